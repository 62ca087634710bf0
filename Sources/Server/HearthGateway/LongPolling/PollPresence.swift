import HearthTransport
import NIOCore
import Synchronization

/// True when the client of a session is still there: sessions whose client is not may give up their place to new ones.
///
/// A client that is there has a poll under way, on a connection, nearly all the time.
final class PollPresence: Sendable {
  private struct State {
    /// When the last poll came, or was answered.
    var since: NIODeadline
    var isAsked = false
    /// Says that nobody waits for the answer to the poll.
    var abandonment: Abandonment?
  }

  private let state: Mutex<State>

  /// - Parameter now: when the session began.
  init(at now: NIODeadline) { state = Mutex(State(since: now)) }

  /// A poll waits for its answer.
  func asked(_ abandonment: Abandonment?, at now: NIODeadline) {
    state.withLock { $0 = State(since: now, isAsked: true, abandonment: abandonment) }
  }

  /// No poll waits.
  func answered(at now: NIODeadline) { state.withLock { $0 = State(since: now) } }

  /// Since when nobody waits for anything; nil while somebody does.
  var isRestingSince: NIODeadline? {
    state.withLock { state in
      guard state.isAsked else { return state.since }
      return state.abandonment?.isDeclared == true ? state.since : nil
    }
  }
}
