import HearthTransport
import NIOCore
import Synchronization

/// The presence of a session's client: a session whose client is absent may be replaced by a new one.
///
/// A present client has a poll under way, on a connection, nearly all the time.
final class PollPresence: Sendable {
  private struct State {
    /// The time of the last poll, or of its response.
    var since: NIODeadline
    var hasPoll = false
    /// The flag that the client no longer waits for the poll's response.
    var cancellation: RequestCancellation?
  }

  private let state: Mutex<State>

  /// - Parameter now: the time at which the session began.
  init(at now: NIODeadline) { state = Mutex(State(since: now)) }

  /// Records a poll that waits for its response.
  func pollBegan(_ cancellation: RequestCancellation?, at now: NIODeadline) {
    state.withLock { $0 = State(since: now, hasPoll: true, cancellation: cancellation) }
  }

  /// Records a response: no poll waits.
  func pollEnded(at now: NIODeadline) { state.withLock { $0 = State(since: now) } }

  /// The time since which no client waits; nil while a poll is under way.
  var idleSince: NIODeadline? {
    state.withLock { state in
      guard state.hasPoll else { return state.since }
      return state.cancellation?.isCancelled == true ? state.since : nil
    }
  }
}
