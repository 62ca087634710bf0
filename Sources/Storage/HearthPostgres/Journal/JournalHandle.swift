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
  /// The journal's name in the table.
  let name: String

  /// True when closing the journal unregisters it from the engine.
  private let isEntered: Bool
  private let state = Mutex(State())

  /// - Parameter isEntered: False for reading the rows of a journal that is open elsewhere in this process.
  init(_ engine: PostgresEngine, identifier: Int64, name: String, isEntered: Bool) {
    (self.engine, self.identifier, self.name, self.isEntered) = (engine, identifier, name, isEntered)
  }

  deinit { close() }

  func close() {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    if isFirst, isEntered { engine.leave(identifier) }
  }

  // MARK: Errors

  /// The text for the file of an error's place.
  var file: String { "\(engine.address) \(name)" }

  /// Returns the place of an error.
  func place(_ position: Int64? = nil) -> JournalError.Place { JournalError.Place(file: file, position: position) }

  func requireOpen(forWriting: Bool) throws(JournalError) {
    let (isClosed, failure) = state.withLock { ($0.isClosed, $0.failure) }
    if isClosed { throw JournalError(.closed, "the journal is closed", at: place()) }
    if forWriting, let failure {
      throw JournalError(
        .failed, "an earlier write failed, and what became of it is unknown; open the journal again to find out",
        at: place(), cause: failure.description)
    }
  }

  /// Refuses later writes, because the outcome of one can no longer be found out here. The first failure counts.
  func fail(_ error: JournalError) { state.withLock { $0.failure = $0.failure ?? error } }

  // MARK: Statements

  /// Runs statements beside appends, in one transaction.
  ///
  /// - Parameter isWriting: True refuses after a failure, and does not repeat statements with an unknown outcome, which
  ///   ends the journal as for an append.
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
