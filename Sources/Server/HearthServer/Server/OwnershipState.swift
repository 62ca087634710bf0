import Synchronization

/// The ownership of an object that the nodes of a cluster share, for an observer that is added after the first change.
final class OwnershipState: Sendable {
  private struct State {
    var isOwner = false
    var observe: (@Sendable (Bool) -> Void)?
  }

  private let state = Mutex(State())

  func changed(_ isOwner: Bool) {
    let observe = state.withLock { state in
      state.isOwner = isOwner
      return state.observe
    }
    observe?(isOwner)
  }

  /// Sets the observer, which is called with the current state, and with every change.
  func observe(_ observe: @escaping @Sendable (Bool) -> Void) {
    let isOwner = state.withLock { state in
      state.observe = observe
      return state.isOwner
    }
    observe(isOwner)
  }
}
