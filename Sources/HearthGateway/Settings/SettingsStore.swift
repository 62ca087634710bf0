import Glibc
import HearthTree
import Logging
import Synchronization

/// The settings of every database, each in a small file that is replaced as a whole.
///
/// Blocks for files: not for event loops.
package final class SettingsStore: Sendable {
  /// Bytes of one file: what settings may be, with every character escaped.
  private static let fileBytesMax = 256 << 20

  private let folder: String
  private let logger: Logger
  /// Those that were used. A database whose name is here exists, so there are no more of them than databases.
  private let known = Mutex<[String: DatabaseSettings]>([:])

  init(folder: String, logger: Logger) {
    self.folder = folder
    self.logger = logger
  }

  /// - Parameter name: a legal name of a database.
  func settings(of name: String) throws(RESTFailure) -> DatabaseSettings {
    try change(name) { $0 }
  }

  /// Runs `body` on a database's settings; what it changes is durable before this returns.
  func change<Result: Sendable>(
    _ name: String, _ body: @Sendable (inout DatabaseSettings) throws(RESTFailure) -> Result
  ) throws(RESTFailure) -> Result {
    let outcome = known.withLock { known -> Outcome<Result> in
      do throws(FileProblem) {
        return try change(&known, name, body)
      } catch {
        return .unusable(error)
      }
    }
    switch outcome {
    case .done(let result): return result
    case .refused(let failure): throw failure
    case .unusable(let problem):
      logger.error("settings \(problem.what)", metadata: ["path": "\(path(name))", "error": "\(problem.cause)"])
      throw RESTFailure(500, "The settings of the database \(problem.what).")
    }
  }

  private enum Outcome<Result: Sendable>: Sendable {
    case done(Result)
    case refused(RESTFailure)
    case unusable(FileProblem)
  }

  private func change<Result: Sendable>(
    _ known: inout [String: DatabaseSettings], _ name: String,
    _ body: (inout DatabaseSettings) throws(RESTFailure) -> Result
  ) throws(FileProblem) -> Outcome<Result> {
    let before: DatabaseSettings
    if let settings = known[name] { before = settings } else { before = try read(name) }
    var settings = before
    let result: Result
    do throws(RESTFailure) { result = try body(&settings) } catch { return .refused(error) }
    let text = settings.text
    if text != before.text { try write(text, name) }
    known[name] = settings
    return .done(result)
  }

  // MARK: Files

  /// What is wrong with a file, in words that follow "the settings".
  private struct FileProblem: Error {
    let what: String
    let cause: String

    init(_ what: String, cause: String = String(cString: strerror(errno))) {
      (self.what, self.cause) = (what, cause)
    }
  }

  private func path(_ name: String) -> String { "\(folder)/\(name).json" }

  private func read(_ name: String) throws(FileProblem) -> DatabaseSettings {
    let descriptor = open(path(name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw FileProblem("cannot be read") }
      return DatabaseSettings()
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count >= 0, bytes.count <= Self.fileBytesMax else { throw FileProblem("cannot be read") }
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    // What is there is not to be written over, whatever it is.
    guard let settings = DatabaseSettings(parsing: bytes) else {
      throw FileProblem("are damaged", cause: "no text of settings")
    }
    return settings
  }

  /// Puts the file into the folder, whole or not at all.
  private func write(_ text: [UInt8], _ name: String) throws(FileProblem) {
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw FileProblem("cannot be written") }
    let temporary = path(name) + ".new"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw FileProblem("cannot be written") }
    let isWritten = Self.write(text, descriptor) && fsync(descriptor) == 0
    guard close(descriptor) == 0, isWritten, rename(temporary, path(name)) == 0, Self.sync(folder) else {
      unlink(temporary)
      throw FileProblem("cannot be written")
    }
  }

  private static func write(_ text: [UInt8], _ descriptor: Int32) -> Bool {
    var rest = text[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// A new name in a folder lasts when the folder is written.
  private static func sync(_ folder: String) -> Bool {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
  }
}
