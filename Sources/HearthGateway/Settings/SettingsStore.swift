import HearthSystem
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
      do throws(WholeFile.Problem) {
        return try change(&known, name, body)
      } catch {
        return .unusable(error)
      }
    }
    switch outcome {
    case .done(let result): return result
    case .refused(let failure): throw failure
    case .unusable(let problem):
      logger.error("settings \(problem.what)", metadata: ["path": "\(file(name).path)", "error": "\(problem.cause)"])
      throw RESTFailure(500, "The settings of the database \(problem.what).")
    }
  }

  /// The database is no more, nor is its file.
  func forget(_ name: String) { _ = known.withLock { $0.removeValue(forKey: name) } }

  private enum Outcome<Result: Sendable>: Sendable {
    case done(Result)
    case refused(RESTFailure)
    case unusable(WholeFile.Problem)
  }

  private func change<Result: Sendable>(
    _ known: inout [String: DatabaseSettings], _ name: String,
    _ body: (inout DatabaseSettings) throws(RESTFailure) -> Result
  ) throws(WholeFile.Problem) -> Outcome<Result> {
    let before: DatabaseSettings
    if let settings = known[name] { before = settings } else { before = try read(name) }
    var settings = before
    let result: Result
    do throws(RESTFailure) { result = try body(&settings) } catch { return .refused(error) }
    let text = settings.text
    if text != before.text { try file(name).write(text) }
    known[name] = settings
    return .done(result)
  }

  private func file(_ name: String) -> WholeFile { WholeFile(folder: folder, name: "\(name).json") }

  private func read(_ name: String) throws(WholeFile.Problem) -> DatabaseSettings {
    guard let bytes = try file(name).read(bytesMax: Self.fileBytesMax) else { return DatabaseSettings() }
    // What is there is not to be written over, whatever it is.
    guard let settings = DatabaseSettings(parsing: bytes) else {
      throw WholeFile.Problem("are damaged", cause: "no text of settings")
    }
    return settings
  }
}
