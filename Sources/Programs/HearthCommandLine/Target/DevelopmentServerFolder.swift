import Glibc
import HearthProgram
import HearthSystem

/// The folder in which running development servers of one user describe themselves, a file for each: `dev-PID.json`.
///
/// Commands follow a file only when it, the folder and the process belong to this user, no other user may write there,
/// and the process is the one that wrote it. Links are not followed.
package struct DevelopmentServerFolder: Sendable {
  /// The path of the folder.
  package let path: String

  private static let sizeBytesMax = 16 << 10
  private static let mode: mode_t = 0o700

  /// The folder at that path.
  package init(path: String) { self.path = path }

  /// The folder of this user: `$XDG_STATE_HOME/hearth`, or `~/.local/state/hearth`; nil for a user without a home.
  ///
  /// - Parameter variables: The environment.
  package init?(_ variables: (String) -> String?) {
    if let state = variables("XDG_STATE_HOME"), state.hasPrefix("/") {
      self.init(path: state + "/hearth")
    } else if let home = variables("HOME"), home.hasPrefix("/"), home != "/" {
      self.init(path: home + "/.local/state/hearth")
    } else {
      return nil
    }
  }

  /// Adds a server, and removes files of processes that have ended.
  ///
  /// - Throws: ``TextFile/Failure`` when the folder does not belong to this user, or cannot be written.
  package func add(_ server: DevelopmentServer) throws {
    try TextFile.makeFolder(path)
    let folder = try opened()
    defer { close(folder) }
    for name in names where read(name, in: folder)?.process.isRunning != true { unlinkat(folder, name, 0) }
    let (name, temporary) = (Self.name(of: server.process.id), ".\(Self.name(of: server.process.id)).new")
    unlinkat(folder, temporary, 0)
    let file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode_t(0o600))
    guard file >= 0 else { throw TextFile.Failure("create", "\(path)/\(name)") }
    let text = server.text
    let count = Glibc.write(file, text, text.count)
    close(file)
    guard count == text.count, renameat(folder, temporary, folder, name) == 0 else {
      unlinkat(folder, temporary, 0)
      throw TextFile.Failure("write", "\(path)/\(name)")
    }
  }

  /// Removes the file of a process.
  package func remove(processID: Int32) {
    guard let folder = try? opened() else { return }
    unlinkat(folder, Self.name(of: processID), 0)
    close(folder)
  }

  /// Returns the running servers of a folder, in order of their processes' numbers.
  ///
  /// - Parameter projectFolders: The real paths of the folders that count as this one.
  package func servers(of projectFolders: [String]) -> [DevelopmentServer] {
    guard let folder = try? opened() else { return [] }
    defer { close(folder) }
    return names.compactMap { read($0, in: folder) }.filter {
      projectFolders.contains($0.projectFolder) && $0.process.isRunning
    }
  }

  /// Opens the folder.
  ///
  /// - Throws: when another user owns it or may write in it, or it is a link.
  private func opened() throws -> Int32 {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard folder >= 0 else { throw TextFile.Failure("open", path) }
    var status = stat()
    guard fstat(folder, &status) == 0, status.st_uid == geteuid() else {
      close(folder)
      throw TextFile.Failure("\(path) belongs to another user")
    }
    guard status.st_mode & 0o077 == 0 else {
      close(folder)
      throw TextFile.Failure("other users may open \(path): run chmod 700 \(path)")
    }
    return folder
  }

  private var names: [String] {
    Folder.names(in: path).filter { $0.hasPrefix("dev-") && $0.hasSuffix(".json") }
  }

  private static func name(of processID: Int32) -> String { "dev-\(processID).json" }

  private func read(_ name: String, in folder: Int32) -> DevelopmentServer? {
    let file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
      status.st_mode & 0o077 == 0
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Self.sizeBytesMax)
    let count = Glibc.read(file, &bytes, bytes.count)
    guard count > 0, let server = DevelopmentServer(Array(bytes.prefix(count))),
      name == Self.name(of: server.process.id)
    else { return nil }
    return server
  }
}
