/// The values from which the target of a command is decided.
package struct TargetSources: Sendable {
  /// A folder `data` in the current folder.
  package enum CurrentFolder: Equatable, Sendable {
    case missing
    /// A data folder that no server has open.
    case stopped
    /// A data folder that a running server of this URL has open.
    case running(url: String)
  }

  /// The option file of the installed package.
  package enum Package: Equatable, Sendable {
    case missing
    /// A file that this user may not read.
    case unreadable(file: String)
    /// A file with the option `data`.
    case folder(String, file: String)
  }

  /// The value of `--data`.
  package var folderFlag: String?
  /// The value of `--server`.
  package var serverFlag: String?
  /// The value of `HEARTH_DATA`; an empty one counts as none.
  package var folderVariable: String?
  /// The value of `HEARTH_SERVER`; an empty one counts as none.
  package var serverVariable: String?
  /// The running development servers of the current folder.
  package var developmentServers: [DevelopmentServer] = []
  /// The folder `data` in the current folder.
  package var currentFolder = CurrentFolder.missing
  /// The absolute path of the folder `data`, with which running servers are compared.
  package var currentFolderPath = CommandTargetDefaults.folder
  /// The installed package.
  package var installed = Package.missing

  /// Sources without any value.
  package init() {}

  /// Decides the target: a flag, an environment variable, the running development server of this folder, its folder
  /// `data`, the installed package.
  ///
  /// - Throws: ``TargetProblem`` when several running servers belong to this folder, or the package's file cannot be
  ///   read.
  package func target() throws(TargetProblem) -> CommandTarget {
    let folderVariable = folderVariable.flatMap { $0.isEmpty ? nil : $0 }
    let serverVariable = serverVariable.flatMap { $0.isEmpty ? nil : $0 }
    // The token of another folder than a named one must not reach a named server.
    let tokenFolder = folderFlag ?? folderVariable ?? CommandTargetDefaults.folder
    if let serverFlag { return CommandTarget(.server(url: serverFlag, tokenFolder: tokenFolder), from: .flag) }
    if let folderFlag { return CommandTarget(.folder(folderFlag), from: .flag) }
    if let serverVariable {
      return CommandTarget(
        .server(url: serverVariable, tokenFolder: tokenFolder), from: .environment(CommandTargetDefaults.serverVariable)
      )
    }
    if let folderVariable {
      return CommandTarget(.folder(folderVariable), from: .environment(CommandTargetDefaults.folderVariable))
    }
    if let server = try runningServer() { return server }
    if currentFolder == .stopped { return CommandTarget(.folder(CommandTargetDefaults.folder), from: .currentFolder) }
    switch installed {
    case .folder(let path, let file): return CommandTarget(.folder(path), from: .package(file))
    case .unreadable(let file): throw .unreadablePackage(file: file)
    case .missing: return CommandTarget(.folder(CommandTargetDefaults.folder), from: .fallback)
    }
  }

  private func runningServer() throws(TargetProblem) -> CommandTarget? {
    var candidates = developmentServers.map {
      TargetProblem.Candidate(folder: $0.dataFolder, url: $0.url, command: "hearth dev")
    }
    if case .running(let url) = currentFolder {
      let isListed = candidates.contains { $0.folder == currentFolderPath }
      if candidates.isEmpty { return CommandTarget(.folder(CommandTargetDefaults.folder), from: .currentFolder) }
      if !isListed { candidates.append(.init(folder: currentFolderPath, url: url, command: "a server")) }
    }
    guard candidates.count <= 1 else { throw .severalServers(candidates) }
    return candidates.first.map { CommandTarget(.folder($0.folder), from: .developmentServer(url: $0.url)) }
  }
}

/// The names that ``TargetSources`` reads.
package enum CommandTargetDefaults {
  /// The data folder when nothing names another one.
  package static let folder = "data"
  /// The environment variable with a data folder.
  package static let folderVariable = "HEARTH_DATA"
  /// The environment variable with a server's URL.
  package static let serverVariable = "HEARTH_SERVER"
  /// The option file of the Debian package.
  package static let packageFile = "/etc/hearth/hearth.conf"
}

/// The reason that the target of a command cannot be decided.
package enum TargetProblem: Error, Equatable, CustomStringConvertible {
  /// A running server that the command could mean.
  package struct Candidate: Equatable, Sendable {
    /// The data folder.
    package var folder: String
    /// The URL on this machine.
    package var url: String
    /// The command that runs there, in words.
    package var command: String
  }

  case severalServers([Candidate])
  case unreadablePackage(file: String)

  package var description: String {
    switch self {
    case .severalServers(let candidates):
      "several servers run for this folder; name one with --data:\n"
        + candidates.map { "  --data \($0.folder)   (\($0.command) on \($0.url))" }.joined(separator: "\n")
    case .unreadablePackage(let file):
      """
      no server runs for this folder, and this user may not read \(file): run the command as the server's user \
      (sudo -u hearth hearth …), or name a data folder with --data
      """
    }
  }
}
