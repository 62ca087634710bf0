import Synchronization

/// A notice whether this server owns an object that the nodes of a cluster share, for an observer that is added after
/// the first change.
final class OwnershipNotice: Sendable {
  private struct State {
    var isOwner = false
    var tell: (@Sendable (Bool) -> Void)?
  }

  private let state = Mutex(State())

  func changed(_ isOwner: Bool) {
    let tell = state.withLock { state in
      state.isOwner = isOwner
      return state.tell
    }
    tell?(isOwner)
  }

  /// Sets the observer, which is called with the current state, and with every change.
  func tell(_ tell: @escaping @Sendable (Bool) -> Void) {
    let isOwner = state.withLock { state in
      state.tell = tell
      return state.isOwner
    }
    tell(isOwner)
  }
}
