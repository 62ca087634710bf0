import HearthJournal
import Synchronization

/// The handle of an open journal. Its statements are refused once the journal is closed or has failed.
final class JournalHandle: Sendable {
  private struct State {
    var failure: JournalError?
    var isClosed = false
  }

  let engine: PostgresEngine
  let identifier: Int64
  /// The journal's name in the `journal` table, with its collection.
  let name: String

  /// True when closing the journal unregisters it from the engine.
  private let isRegistered: Bool
  private let state = Mutex(State())

  /// - Parameter isRegistered: False to read the rows of a journal that another handle in this process has open.
  init(_ engine: PostgresEngine, identifier: Int64, name: String, isRegistered: Bool) {
    (self.engine, self.identifier, self.name, self.isRegistered) = (engine, identifier, name, isRegistered)
  }

  deinit { close() }

  func close() {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    if isFirst, isRegistered { engine.markClosed(identifier) }
  }

  // MARK: Errors

  /// The server's address and the journal's name, which errors show in place of a file.
  var file: String { "\(engine.address) \(name)" }

  /// Returns the place of an error, at a position of the journal if one is given.
  func place(_ position: Int64? = nil) -> JournalError.Place { JournalError.Place(file: file, position: position) }

  func requireOpen(forWriting: Bool) throws(JournalError) {
    let (isClosed, failure) = state.withLock { ($0.isClosed, $0.failure) }
    if isClosed { throw JournalError(.closed, "the journal is closed", at: place()) }
    if forWriting, let failure {
      throw JournalError(
        .failed, "an earlier write failed with an unknown outcome; open the journal again to check it",
        at: place(), cause: failure.description)
    }
  }

  /// Records a write with an unknown outcome, so that later writes are refused. Only the first such error is recorded.
  func fail(_ error: JournalError) { state.withLock { $0.failure = $0.failure ?? error } }

  // MARK: Statements

  /// Runs statements other than appends, in one transaction.
  ///
  /// - Parameters:
  ///   - isWriting: True for statements that change the journal: they are refused after a failed write, and their own
  ///     unknown outcome makes the journal refuse later ones.
  ///   - isRepeatable: True when the statements may run twice; they are then retried after an unknown outcome.
  func run(
    _ action: String, _ statements: [PostgresStatement], isWriting: Bool = false, isRepeatable: Bool = true
  ) throws(JournalError) -> [PostgresAnswer] {
    try requireOpen(forWriting: isWriting)
    do { return try engine.run(action, identifier, statements, isRepeatable: isRepeatable) } catch {
      var error = error
      error.place = place()
      if isWriting, error.leavesOutcomeUnknown { fail(error) }
      throw error
    }
  }

  func statement(_ sql: PostgresSQL, _ parameters: PostgresStatement.Parameter...) -> PostgresStatement {
    PostgresStatement(sql, [.integer(identifier)] + parameters)
  }
}

extension PostgresStatement.Parameter {
  /// Returns the stored form of a running hash.
  static func hash(_ hash: RunningHash) -> Self { .integer(hash.stored) }
}
