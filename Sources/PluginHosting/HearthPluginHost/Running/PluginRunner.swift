import HearthPlugin
import HearthTree

/// A running plugin behind any carrier.
protocol PluginRunner: AnyObject, Sendable {
  /// The time that a caller waits, in milliseconds.
  var deadlineMilliseconds: Int64 { get }
  /// The maximum number of concurrent requests that the plugin takes without queueing.
  var concurrentRequestsMax: Int { get }
  /// The plugin's health.
  var health: PluginHealth { get }
  /// The counters of its requests so far.
  var statistics: PluginStatistics { get }

  /// Starts the plugin. Called once.
  func start()

  /// Returns when the plugin answers, when it seems not to come up, or after the timeout.
  func waitUntilSettled(milliseconds: Int64) async

  /// Calls a hook and waits for the outcome, which comes at the deadline at the latest, give or take a moment.
  func ask(_ hook: PluginHook, _ input: JSON, milliseconds: Int64) async -> PluginOutcome

  /// Takes no more requests, lets those under way be answered, and returns when all resources are released.
  func stop() async
}

/// The receivers of a plugin's output and events, for logs.
struct PluginReport: Sendable {
  /// Logs a line for the operator.
  var event: @Sendable (_ isWarning: Bool, _ text: String) -> Void
  /// Logs a line of the standard error of one of its processes.
  var line: @Sendable (_ worker: Int, _ text: String) -> Void
  /// Revokes tokens that the plugin had verified.
  var revoked: @Sendable (TokenRevocation) -> Void = { _ in }
}

/// The counters of a plugin's requests and restarts.
struct PluginStatistics: Sendable {
  /// The number of restarted processes; for a service, the number of times that it became available again.
  var restartCount = 0
  private var records: [PluginHook: LatencyRecord] = [:]

  /// The record of one hook; nil before its first request.
  subscript(hook: PluginHook) -> LatencyRecord? { records[hook] }

  /// Adds the outcome of one request.
  mutating func note(_ hook: PluginHook, _ outcome: PluginOutcome, nanoseconds: UInt64) {
    var isFailure = true
    if case .output = outcome { isFailure = false }
    records[hook, default: LatencyRecord()]
      .add(microseconds: Int64(clamping: nanoseconds / 1_000), isFailure: isFailure)
  }
}
