import Synchronization

/// The emulator's state for one project beside its accounts, in memory: the order in which codes were made.
package final class Emulation: Sendable {
  private let lastOrder = Mutex<Int64>(0)

  init() {}

  /// Returns a number above all earlier ones, also of earlier starts, by which a list of codes is sorted.
  func nextOrder(nowMilliseconds: Int64) -> Int64 {
    lastOrder.withLock { last in
      last = max(last + 1, nowMilliseconds * 1_000)
      return last
    }
  }
}
