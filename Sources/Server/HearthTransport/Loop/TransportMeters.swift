import CoreMetrics
import HearthMetrics

/// The metrics of connections: made once for a server, and updated without a lock.
package struct TransportMeters: Sendable {
  /// Returns nanoseconds on a monotonic clock; always 0 when metrics are off.
  let now: @Sendable () -> UInt64
  private let responses: [Counter]
  private let delay: CoreMetrics.Timer

  /// The metrics of a server that measures nothing.
  package static let none = TransportMeters(NOOPMetricsHandler.instance, nanoseconds: { 0 })

  /// - Parameters:
  ///   - factory: makes the counters.
  ///   - nanoseconds: on a monotonic clock.
  package init(_ factory: any MetricsFactory, nanoseconds: @escaping @Sendable () -> UInt64) {
    now = nanoseconds
    responses = (1...5).map { factory.counter(.responses, "\($0)xx") }
    delay = factory.timer(.loopDelay)
  }

  /// Counts a response.
  func answered(_ status: UInt) {
    let digit = Int(clamping: status / 100)
    if (1...5).contains(digit) { responses[digit - 1].increment() }
  }

  /// Records the delay of a task on the loop.
  func late(byNanoseconds nanoseconds: UInt64) { delay.recordNanoseconds(Int64(clamping: nanoseconds)) }
}
