import CoreMetrics
import HearthEngine
import HearthMetrics

/// What sockets and requests count: made once for all of a server, and touched without a lock but for what is rare.
package struct GatewayMeters: Sendable {
  /// Nanoseconds on a clock that nobody can set; 0 always when nothing is measured.
  let now: @Sendable () -> UInt64
  /// Counts series whose labels are only known when they come.
  private let factory: any MetricsFactory
  private let deliver: CoreMetrics.Timer
  private let wholeWay: CoreMetrics.Timer
  private let receipts: Counter

  /// Nothing is measured.
  package static let none = GatewayMeters(NOOPMetricsHandler.instance, nanoseconds: { 0 })

  /// - Parameters:
  ///   - factory: counts.
  ///   - nanoseconds: on a clock that nobody can set.
  package init(_ factory: any MetricsFactory, nanoseconds: @escaping @Sendable () -> UInt64) {
    self.factory = factory
    now = nanoseconds
    deliver = factory.timer(.deliver)
    wholeWay = factory.timer(.wholeWay)
    receipts = factory.counter(.receipts)
  }

  /// Effects were written to the sockets of an event loop.
  ///
  /// - Parameters:
  ///   - time: now.
  ///   - handed: when they were handed to the loop.
  ///   - arrival: when the oldest command came that they are of; 0 when that is not known.
  func delivered(at time: UInt64, handed: UInt64, arrival: UInt64) {
    guard time > 0 else { return }
    deliver.recordNanoseconds(Int64(clamping: time &- handed))
    if arrival > 0 { wholeWay.recordNanoseconds(Int64(clamping: time &- arrival)) }
  }

  /// Listens lost their permission.
  func cancelled(_ redecision: Redecision) {
    guard !redecision.cancelled.isEmpty else { return }
    factory.counter(.cancellations, redecision.cause.name).increment(by: Int64(redecision.cancelled.count))
  }

  /// The rules refused something.
  ///
  /// - Parameters:
  ///   - operation: in a word of a short list.
  ///   - rule: the place of the rule in its file; nil when none decided.
  ///   - database: its name; nil for one that is not there, whose name a client thought up.
  func denied(_ operation: String, by rule: String?, database: String?) {
    factory.counter(.denials, database ?? "", operation, rule ?? "none").increment()
  }

  /// A quota refused something.
  ///
  /// - Parameters:
  ///   - quota: its name, of a closed list.
  ///   - database: one that there is.
  func refusedByQuota(_ quota: String, database: String) {
    factory.counter(.quotaRefusals, database, quota).increment()
  }

  /// A client waits because its work is over its allowance.
  ///
  /// - Parameter database: one that there is.
  func waitedForWork(database: String) { factory.counter(.workWaits, database).increment() }

  /// A credential did not count.
  func refusedCredential(_ kind: String) { factory.counter(.credentialsRefused, kind).increment() }

  /// A request to the identity endpoints was answered.
  ///
  /// - Parameters:
  ///   - operation: what it asked for, of a closed list.
  ///   - outcome: the code of the error, of a closed list, or another word for how it went.
  package func identity(_ operation: String, _ outcome: String) {
    factory.counter(.identityRequests, operation, outcome).increment()
  }

  /// A receipt is closed.
  func closedReceipt() { receipts.increment() }
}
