import Synchronization

/// What an emulator keeps for one project beside its accounts, in memory: the codes that no text message carries, and the
/// order in which codes were made.
package final class Emulation: Sendable {
  private struct State {
    var phone = PhoneCodes()
    var lastOrder: Int64 = 0
  }

  private let state = Mutex(State())

  init() {}

  /// A number above every one before, also of earlier starts: what a list of codes is sorted by.
  func nextOrder(nowMilliseconds: Int64) -> Int64 {
    state.withLock { state in
      state.lastOrder = max(state.lastOrder + 1, nowMilliseconds * 1_000)
      return state.lastOrder
    }
  }

  /// Looks at the codes for phone numbers, or changes them.
  package func phoneCodes<Value: Sendable>(_ body: (inout PhoneCodes) -> Value) -> Value {
    state.withLock { body(&$0.phone) }
  }
}
