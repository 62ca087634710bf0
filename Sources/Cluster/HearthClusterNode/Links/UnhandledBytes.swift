import Synchronization

/// The received and unhandled bytes of a connection: above a limit, reading pauses until the bytes fall to half of it.
final class UnhandledBytes: Sendable {
  private struct State {
    var count = 0
    var isReadPaused = false
  }

  private let max: Int
  private let state = Mutex(State())

  init(max: Int) { self.max = max }

  /// True when a read waits for room.
  var isReadPaused: Bool { state.withLock { $0.isReadPaused } }

  func add(_ size: Int) { state.withLock { $0.count += size } }

  /// Removes handled bytes, from any thread.
  ///
  /// - Returns: True when the waiting read is to be made now.
  func remove(_ size: Int) -> Bool {
    state.withLock { state in
      state.count -= size
      guard state.isReadPaused, state.count <= max / 2 else { return false }
      state.isReadPaused = false
      return true
    }
  }

  /// Returns true when a read has to wait, and remembers it.
  func pausesRead() -> Bool {
    state.withLock { state in
      if state.count > max { state.isReadPaused = true }
      return state.isReadPaused
    }
  }
}
