import CoreMetrics
import Synchronization

/// A number that only grows. Can be used on any thread, without a lock.
final class CounterCell: CounterHandler, FloatingPointCounterHandler {
  private let total = AtomicDouble()

  /// The count so far.
  var value: Double { total.value }

  func increment(by amount: Int64) { if amount > 0 { total.add(Double(amount)) } }

  func increment(by amount: Double) { if amount > 0, amount.isFinite { total.add(amount) } }

  /// Does nothing: a scraper must not see a counter decrease while the server runs.
  func reset() {}
}
