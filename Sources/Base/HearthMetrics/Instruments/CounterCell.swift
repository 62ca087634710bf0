import CoreMetrics
import Synchronization

/// A number that only grows. From any thread, without a lock.
final class CounterCell: CounterHandler, FloatingPointCounterHandler {
  private let total = AtomicDouble()

  /// What was counted so far.
  var value: Double { total.value }

  func increment(by amount: Int64) { if amount > 0 { total.add(Double(amount)) } }

  func increment(by amount: Double) { if amount > 0, amount.isFinite { total.add(amount) } }

  /// Nothing: what a scraper has seen of a counter never becomes less while the server runs.
  func reset() {}
}
