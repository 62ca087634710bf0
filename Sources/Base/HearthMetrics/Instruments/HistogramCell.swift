import CoreMetrics
import Synchronization

// Unchecked because of the pointer, which points to atomics and does not change.
/// A histogram: observations, counted in fixed buckets. Can be used on any thread, without a lock; an observation
/// allocates no memory.
final class HistogramCell: TimerHandler, RecorderHandler, @unchecked Sendable {
  private let bounds: [Double]
  private let counts: UnsafeMutablePointer<Atomic<UInt64>>
  private let sum = AtomicDouble()

  /// - Parameter bounds: The greatest values of the buckets, in ascending order.
  init(bounds: [Double]) {
    self.bounds = bounds
    counts = .allocate(capacity: bounds.count + 1)
    for index in 0...bounds.count { (counts + index).initialize(to: Atomic(0)) }
  }

  deinit {
    counts.deinitialize(count: bounds.count + 1)
    counts.deallocate()
  }

  /// The observations so far. A concurrent observation may be included in the counts and not yet in the sum.
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

  /// Records a duration, in seconds as Prometheus expects.
  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
}
