import Dispatch
import Synchronization

/// Statements that succeed or fail together, with the wait for their outcome.
final class PostgresRequest: Sendable {
  /// The outcome of a request.
  enum Outcome: Sendable {
    /// The transaction is committed, and durable according to the server. One answer for each statement.
    case done([PostgresAnswer])
    /// The server refused a statement and has undone all of them.
    case refused(PostgresFault)
    /// The request never left this process.
    case unsent(String)
    /// The request may be committed, now or a little later, or not.
    case unknown(String)
  }

  let statements: [PostgresStatement]
  let sizeBytes: Int
  /// The deadline by the monotonic clock in nanoseconds.
  let deadline: UInt64
  /// True when the request fails at once if no connection can be made.
  let failsIfUnreachable: Bool

  private let outcome = Mutex<Outcome?>(nil)
  private let isOver = DispatchSemaphore(value: 0)
  private let then: (@Sendable (Outcome) -> Void)?

  /// - Parameter then: Receives the outcome on the connection's thread, which it must not block.
  init(
    _ statements: [PostgresStatement], deadline: UInt64, failsIfUnreachable: Bool = false,
    then: (@Sendable (Outcome) -> Void)? = nil
  ) {
    self.statements = statements
    self.deadline = deadline
    self.failsIfUnreachable = failsIfUnreachable
    self.then = then
    sizeBytes = statements.reduce(0) { $0 + $1.sizeBytes }
  }

  /// Sets the outcome and ends the wait. Later calls have no effect.
  func finish(_ found: Outcome) {
    let isFirst = outcome.withLock { outcome in
      defer { outcome = outcome ?? found }
      return outcome == nil
    }
    guard isFirst else { return }
    isOver.signal()
    then?(found)
  }

  /// Blocks until the outcome is known.
  func wait() -> Outcome {
    isOver.wait()
    isOver.signal()
    return outcome.withLock { $0 } ?? .unknown("the outcome is unknown")
  }
}
