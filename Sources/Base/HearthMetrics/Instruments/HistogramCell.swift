import CoreMetrics
import Synchronization

// Unchecked because of the pointer, which is to atomics and never changes.
/// Observations, counted in fixed buckets. From any thread, without a lock and without memory for any of them.
final class HistogramCell: TimerHandler, RecorderHandler, @unchecked Sendable {
  private let bounds: [Double]
  private let counts: UnsafeMutablePointer<Atomic<UInt64>>
  private let sum = AtomicDouble()

  /// - Parameter bounds: the greatest values of the buckets, rising.
  init(bounds: [Double]) {
    self.bounds = bounds
    counts = .allocate(capacity: bounds.count + 1)
    for index in 0...bounds.count { (counts + index).initialize(to: Atomic(0)) }
  }

  deinit {
    counts.deinitialize(count: bounds.count + 1)
    counts.deallocate()
  }

  /// What was observed so far. What comes while it is read may be in the counts and not in the sum yet.
  var value: HistogramCounts {
    HistogramCounts(
      bounds: bounds, counts: (0...bounds.count).map { counts[$0].load(ordering: .relaxed) }, sum: sum.value)
  }

  func record(_ value: Double) {
    guard value.isFinite else { return }
    var index = 0
    while index < bounds.count, value > bounds[index] { index += 1 }
    counts[index].wrappingAdd(1, ordering: .relaxed)
    sum.add(value)
  }

  func record(_ value: Int64) { record(Double(value)) }

  /// In seconds, as Prometheus has all times.
  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
}
