import Synchronization

/// What came over a connection and was not taken in yet: above a limit nothing more is read, until half of it was.
final class UnhandledBytes: Sendable {
  private struct State {
    var count = 0
    var isReadHeld = false
  }

  private let max: Int
  private let state = Mutex(State())

  init(max: Int) { self.max = max }

  /// True when a read waits for room.
  var isReadHeld: Bool { state.withLock { $0.isReadHeld } }

  func add(_ size: Int) { state.withLock { $0.count += size } }

  /// From any thread.
  ///
  /// - Returns: Whether the read that waits is to be made now.
  func remove(_ size: Int) -> Bool {
    state.withLock { state in
      state.count -= size
      guard state.isReadHeld, state.count <= max / 2 else { return false }
      state.isReadHeld = false
      return true
    }
  }

  /// Returns true when a read has to wait, which is remembered then.
  func holdsRead() -> Bool {
    state.withLock { state in
      if state.count > max { state.isReadHeld = true }
      return state.isReadHeld
    }
  }
}
