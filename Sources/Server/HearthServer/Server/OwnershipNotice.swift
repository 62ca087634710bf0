import Synchronization

/// True when this server owns something that the nodes of a cluster share, for somebody who comes later than the first
/// change.
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

  /// Has somebody told how it is, and of every change.
  func tell(_ tell: @escaping @Sendable (Bool) -> Void) {
    let isOwner = state.withLock { state in
      state.tell = tell
      return state.isOwner
    }
    tell(isOwner)
  }
}
