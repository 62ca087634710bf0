import HearthJournal
import Synchronization

/// A journal in PostgreSQL: see ``PostgresSchema`` for its rows.
///
/// It relies on no clock. An append is a single statement that writes a row, or none: only for the owner and only after
/// the owner's last row. `acquire()` raises the epoch, which refuses later appends of the previous owner, and then puts
/// a claim at the end of the log: an earlier append is either before the claim, and so part of the taken-over log, or
/// conflicts with it at the same key and is refused.
public final class PostgresJournal: Journal {
  /// The row that the next append refers to.
  struct Tail: Sendable {
    /// The key of the log's last row.
    var firstPosition: Int64
    /// True when the row is the owner's claim, which its first batch replaces.
    var isClaim: Bool
  }

  struct State {
    var head: JournalHead?
    var tail = Tail(firstPosition: 0, isClaim: false)
    var failure: JournalError?
    /// The head after an append with an unknown outcome, and the reason that it is unknown; nil when there is none.
    var doubt: (next: JournalHead, text: String)?
    var isClosed = false
    var openSnapshot: OpenSnapshot?
    /// The end of the last read, with the running hash there.
    var readUpTo: (position: Int64, hash: RunningHash)?
  }

  let engine: PostgresEngine
  let identifier: Int64
  /// The journal's name in the table.
  public let name: String
  let state = Mutex(State())

  /// True when closing the journal unregisters it from the engine.
  private let isEntered: Bool

  /// - Parameter isEntered: False for reading the rows of a journal that is open elsewhere in this process.
  init(_ engine: PostgresEngine, identifier: Int64, name: String, isEntered: Bool = true) {
    (self.engine, self.identifier, self.name, self.isEntered) = (engine, identifier, name, isEntered)
  }

  deinit { if isEntered, state.withLock({ !$0.isClosed }) { engine.leave(identifier) } }

  public func close() throws(JournalError) {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    if isFirst, isEntered { engine.leave(identifier) }
  }

  // MARK: Access

  /// Returns the place of an error.
  func place(_ position: Int64? = nil) -> JournalError.Place {
    JournalError.Place(file: "\(engine.address) \(name)", position: position)
  }

  func requireOpen(forWriting: Bool) throws(JournalError) {
    let (isClosed, failure) = state.withLock { ($0.isClosed, $0.failure) }
    if isClosed { throw JournalError(.closed, "the journal is closed", at: place()) }
    if forWriting, let failure {
      throw JournalError(
        .failed, "an earlier write failed, and what became of it is unknown; open the journal again to find out",
        at: place(), cause: failure.description)
    }
  }

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
      if isWriting, error.leavesOutcomeUnknown { state.withLock { $0.failure = $0.failure ?? error } }
      throw error
    }
  }

  func statement(_ sql: PostgresSQL, _ parameters: PostgresStatement.Parameter...) -> PostgresStatement {
    PostgresStatement(sql, [.integer(identifier)] + parameters)
  }
}

extension PostgresStatement.Parameter {
  /// Returns the stored form of a running hash.
  static func hash(_ hash: RunningHash) -> Self { .integer(Int64(bitPattern: hash.rawValue)) }
}

extension RunningHash {
  /// A running hash in its stored form.
  init(stored: Int64) { self.init(rawValue: UInt64(bitPattern: stored)) }
}
