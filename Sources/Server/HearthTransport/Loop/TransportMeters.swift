import CoreMetrics
import HearthMetrics

/// What connections count: made once for all of a server, and touched without a lock.
package struct TransportMeters: Sendable {
  /// Nanoseconds on a clock that nobody can set; 0 always when nothing is measured.
  let now: @Sendable () -> UInt64
  private let responses: [Counter]
  private let delay: CoreMetrics.Timer

  /// Nothing is measured.
  package static let none = TransportMeters(NOOPMetricsHandler.instance, nanoseconds: { 0 })

  /// - Parameters:
  ///   - factory: counts.
  ///   - nanoseconds: on a clock that nobody can set.
  package init(_ factory: any MetricsFactory, nanoseconds: @escaping @Sendable () -> UInt64) {
    now = nanoseconds
    responses = (1...5).map { factory.counter(.responses, "\($0)xx") }
    delay = factory.timer(.loopDelay)
  }

  /// A request was answered.
  func answered(_ status: UInt) {
    let digit = Int(clamping: status / 100)
    if (1...5).contains(digit) { responses[digit - 1].increment() }
  }

  /// What was due was done so much later.
  func late(byNanoseconds nanoseconds: UInt64) { delay.recordNanoseconds(Int64(clamping: nanoseconds)) }
}
