import Synchronization

/// A gate that holds tasks until it is opened.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var arrivals = 0
    var watchers: [(count: Int, CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  func pass() async {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state -> [CheckedContinuation<Void, Never>] in
        state.arrivals += 1
        let seen = state.watchers.filter { $0.count <= state.arrivals }.map(\.1)
        state.watchers.removeAll { $0.count <= state.arrivals }
        if state.isOpen { return seen + [continuation] }
        state.waiting.append(continuation)
        return seen
      }
      for each in ready { each.resume() }
    }
  }

  /// Waits until this many tasks have arrived.
  func reached(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.arrivals < count { state.watchers.append((count, continuation)) }
        return state.arrivals >= count
      }
      if isThere { continuation.resume() }
    }
  }

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for each in waiting { each.resume() }
  }
}
