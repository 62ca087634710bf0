import Synchronization

/// What an emulator keeps for one project beside its accounts, in memory: the order in which codes were made.
package final class Emulation: Sendable {
  private let lastOrder = Mutex<Int64>(0)

  init() {}

  /// A number above every one before, also of earlier starts: what a list of codes is sorted by.
  func nextOrder(nowMilliseconds: Int64) -> Int64 {
    lastOrder.withLock { last in
      last = max(last + 1, nowMilliseconds * 1_000)
      return last
    }
  }
}
