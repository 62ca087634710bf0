import CoreMetrics

/// A level that rises and falls. Can be used on any thread, without a lock.
final class GaugeCell: MeterHandler, RecorderHandler {
  private let level = AtomicDouble()

  /// The last level.
  var value: Double { level.value }

  func set(_ value: Int64) { level.set(Double(value)) }
  func set(_ value: Double) { level.set(value) }
  func increment(by amount: Double) { level.add(amount) }
  func decrement(by amount: Double) { level.add(-amount) }
  func record(_ value: Int64) { level.set(Double(value)) }
  func record(_ value: Double) { level.set(value) }
}
