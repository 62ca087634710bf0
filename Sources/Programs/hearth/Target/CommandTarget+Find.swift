import ArgumentParser
import Glibc
import HearthCommandLine
import HearthProgram
import HearthServer
import HearthSystem
import Synchronization

/// A command that changes data, accounts or settings. It names its target on standard error before it begins.
protocol WritingCommand {}

/// The command of this process.
enum CommandRun {
  /// True while a ``WritingCommand`` runs.
  @TaskLocal static var isWriting = false
}

extension CommandTarget {
  private struct Request: Hashable {
    var folder: String?
    var server: String?
    var canBeServer: Bool
  }

  /// The targets that this process has decided: one that was found stays the same until the command ends.
  private static let found = Mutex<[Request: CommandTarget]>([:])

  /// Decides what a command works on. The first call of a command that writes prints it, unless a flag named it and
  /// standard error is no terminal.
  ///
  /// - Parameters:
  ///   - folder: The value of `--data`.
  ///   - server: The value of `--server`.
  ///   - canBeServer: False for commands that work on a folder alone, which ignore `HEARTH_SERVER`.
  static func find(folder: String?, server: String? = nil, canBeServer: Bool) throws -> CommandTarget {
    let request = Request(folder: folder, server: server, canBeServer: canBeServer)
    if let known = found.withLock({ $0[request] }) { return known }
    let sources = try TargetSources(folder: folder, server: server, canBeServer: canBeServer)
    let target: CommandTarget
    do throws(TargetProblem) { target = try sources.target() } catch { throw ValidationError(error.description) }
    let isFirst = found.withLock { found in
      defer { found[request] = target }
      return found.isEmpty
    }
    if isFirst, CommandRun.isWriting, target.origin != .flag || isatty(STDERR_FILENO) == 1 {
      Output.note("hearth: target: \(target.description)")
    }
    return target
  }
}

extension TargetSources {
  /// The flags of a command, and the values of its environment.
  fileprivate init(folder: String?, server: String?, canBeServer: Bool) throws {
    self.init()
    (folderFlag, serverFlag) = (folder, server)
    folderVariable = Self.variable(CommandTargetDefaults.folderVariable)
    // A flag decides alone, so nothing else has to be readable.
    guard folder == nil, server == nil else { return }
    if canBeServer { serverVariable = Self.variable(CommandTargetDefaults.serverVariable) }
    developmentServers =
      DevelopmentServerFolder(Self.variable)?.servers(of: DevelopmentServer.foldersHere) ?? []
    currentFolderPath =
      DevelopmentServer.realPath(CommandTargetDefaults.folder) ?? CommandTargetDefaults.folder
    currentFolder = Self.folderHere
    installed = try Self.installedPackage
  }

  static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  private static var folderHere: CurrentFolder {
    let folder = CommandTargetDefaults.folder
    if let server = ServerProcess.running(on: folder) { return .running(url: server.url) }
    return FileVersion(of: HearthServer.Options.keysDirectory(of: folder)) == nil ? .missing : .stopped
  }

  static var installedPackage: Package {
    get throws {
      let file = CommandTargetDefaults.packageFile
      guard access(file, R_OK) == 0 else {
        return errno == EACCES ? .unreadable(file: file) : .missing
      }
      let text = try TextFile.read(file)
      do throws(OptionFile.Problem) {
        let folder = try OptionFile(text).options.last { $0.name == "data" }?.value
        return folder.map { .folder($0, file: file) } ?? .missing
      } catch {
        throw TextFile.Failure("\(file):\(error)")
      }
    }
  }
}

extension DevelopmentServer {
  /// The real paths of the folders whose development server a command of this folder means: this one, and that of its
  /// `firebase.json`.
  static var foldersHere: [String] {
    [".", FirebaseProject.folder(above: ".")].compactMap { $0.flatMap(realPath) }
  }

  /// Returns the folder that a server started here serves for.
  static var ownFolder: String? { realPath(FirebaseProject.folder(above: ".") ?? ".") }

  static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
