import HearthSystem
import HearthTree
import Logging
import Synchronization

/// The settings of every database, each in a small file that is replaced as a whole; of a cluster, by any of its nodes.
///
/// Blocks for files: not for event loops.
package final class SettingsStore: Sendable {
  /// The maximum bytes of one file: the largest settings, with every character escaped.
  private static let fileBytesMax = 256 << 20

  /// The maximum number of attempts of a change while other nodes of a cluster make changes.
  private static let triesMax = 16

  /// The settings, with the bytes that they were read from.
  private struct Cached {
    var settings: DatabaseSettings
    var bytes: [UInt8]?
  }

  private let files: any SmallFileStore
  private let logger: Logger
  /// The settings in use. Only existing databases have an entry, so there are no more of them than databases.
  private let cached = Mutex<[String: Cached]>([:])

  init(files: any SmallFileStore, logger: Logger) {
    self.files = files
    self.logger = logger
  }

  /// Returns the settings of a database.
  ///
  /// - Parameter name: a legal name of a database.
  func settings(of name: String) throws(RESTFailure) -> DatabaseSettings {
    try change(name) { $0 }
  }

  /// Runs `body` on a database's settings; its change is durable before this returns.
  func change<Result: Sendable>(
    _ name: String, _ body: @Sendable (inout DatabaseSettings) throws(RESTFailure) -> Result
  ) throws(RESTFailure) -> Result {
    let outcome = cached.withLock { cached -> Outcome<Result> in
      do throws(AtomicFile.Problem) {
        return try change(&cached, name, body)
      } catch {
        return .unusable(error)
      }
    }
    switch outcome {
    case .done(let result): return result
    case .refused(let failure): throw failure
    case .unusable(let problem):
      logger.error(
        "settings \(problem.what)", metadata: ["path": "\(files.place(Self.file(name)))", "error": "\(problem.cause)"])
      throw RESTFailure(500, "The settings of the database \(problem.what).")
    }
  }

  /// Removes the file of a deleted database.
  func remove(_ name: String) {
    cached.withLock { cached in
      cached[name] = nil
      if !files.remove(Self.file(name)) {
        logger.error("settings cannot be removed", metadata: ["path": "\(files.place(Self.file(name)))"])
      }
    }
  }

  /// Drops the settings of a deleted database, or of one whose file another node has changed.
  package func forget(_ name: String) { _ = cached.withLock { $0.removeValue(forKey: name) } }

  private enum Outcome<Result: Sendable>: Sendable {
    case done(Result)
    case refused(RESTFailure)
    case unusable(AtomicFile.Problem)
  }

  private func change<Result: Sendable>(
    _ cached: inout [String: Cached], _ name: String,
    _ body: (inout DatabaseSettings) throws(RESTFailure) -> Result
  ) throws(AtomicFile.Problem) -> Outcome<Result> {
    for _ in 0..<Self.triesMax {
      let before = if let kept = cached[name] { kept } else { try read(name) }
      var settings = before.settings
      let result: Result
      do throws(RESTFailure) { result = try body(&settings) } catch { return .refused(error) }
      let text = settings.text
      if text == before.settings.text {
        cached[name] = before
        return .done(result)
      }
      if try files.write(text, to: Self.file(name), over: before.bytes) {
        cached[name] = Cached(settings: settings, bytes: text)
        return .done(result)
      }
      // Another node was faster: its change stays.
      cached[name] = nil
    }
    throw AtomicFile.Problem("cannot be written", cause: "other processes keep changing them")
  }

  private static func file(_ name: String) -> String { "\(name).json" }

  private func read(_ name: String) throws(AtomicFile.Problem) -> Cached {
    guard let bytes = try files.read(Self.file(name), bytesMax: Self.fileBytesMax) else {
      return Cached(settings: DatabaseSettings(), bytes: nil)
    }
    // An unreadable file must not be overwritten.
    guard let settings = DatabaseSettings(parsing: bytes) else {
      throw AtomicFile.Problem("are damaged", cause: "the content is not valid")
    }
    return Cached(settings: settings, bytes: bytes)
  }
}
