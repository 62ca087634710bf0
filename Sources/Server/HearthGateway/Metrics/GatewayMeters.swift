import CoreMetrics
import HearthEngine
import HearthMetrics

/// The metrics of sockets and requests: made once for a server, and updated without a lock except for rare ones.
package struct GatewayMeters: Sendable {
  /// Returns nanoseconds on a monotonic clock; always 0 when metrics are off.
  let now: @Sendable () -> UInt64
  /// The factory of counters whose labels are only known at run time.
  private let factory: any MetricsFactory
  private let deliver: CoreMetrics.Timer
  private let commandLatency: CoreMetrics.Timer
  private let receipts: Counter

  /// The metrics of a server that measures nothing.
  package static let none = GatewayMeters(NOOPMetricsHandler.instance, nanoseconds: { 0 })

  /// - Parameters:
  ///   - factory: makes the counters.
  ///   - nanoseconds: on a monotonic clock.
  package init(_ factory: any MetricsFactory, nanoseconds: @escaping @Sendable () -> UInt64) {
    self.factory = factory
    now = nanoseconds
    deliver = factory.timer(.deliver)
    commandLatency = factory.timer(.commandLatency)
    receipts = factory.counter(.receipts)
  }

  /// Records effects that were written to the sockets of an event loop.
  ///
  /// - Parameters:
  ///   - time: now.
  ///   - queuedAt: the time at which they were queued for the loop.
  ///   - arrival: the time of the oldest command with these effects; 0 when that is not known.
  func delivered(at time: UInt64, queuedAt: UInt64, arrival: UInt64) {
    guard time > 0 else { return }
    deliver.recordNanoseconds(Int64(clamping: time &- queuedAt))
    if arrival > 0 { commandLatency.recordNanoseconds(Int64(clamping: time &- arrival)) }
  }

  /// Counts cancelled listens.
  func cancelled(_ redecision: Redecision) {
    guard !redecision.cancelled.isEmpty else { return }
    factory.counter(.cancellations, redecision.cause.name).increment(by: Int64(redecision.cancelled.count))
  }

  /// Counts a denial.
  ///
  /// - Parameters:
  ///   - operation: its name, of a closed list.
  ///   - rule: the path of the rule in its file; nil when none decided.
  ///   - database: its name; nil for one that does not exist, whose name a client made up.
  func denied(_ operation: String, by rule: String?, database: String?) {
    factory.counter(.denials, database ?? "", operation, rule ?? "none").increment()
  }

  /// Counts a refusal by a quota.
  ///
  /// - Parameters:
  ///   - quota: its name, of a closed list.
  ///   - database: an existing one.
  func refusedByQuota(_ quota: String, database: String) {
    factory.counter(.quotaRefusals, database, quota).increment()
  }

  /// Counts a client that waits because its work is over its allowance.
  ///
  /// - Parameter database: an existing one.
  func waitedForWork(database: String) { factory.counter(.workWaits, database).increment() }

  /// Counts a refused credential.
  func refusedCredential(_ kind: String) { factory.counter(.credentialsRefused, kind).increment() }

  /// Counts a response of the identity endpoints.
  ///
  /// - Parameters:
  ///   - operation: its name, of a closed list.
  ///   - outcome: the code of the error, of a closed list, or another word for the outcome.
  package func identity(_ operation: String, _ outcome: String) {
    factory.counter(.identityRequests, operation, outcome).increment()
  }

  /// Counts a closed receipt: every cancellation was written or its connection was gone, or the time limit has passed.
  func closedReceipt() { receipts.increment() }
}
