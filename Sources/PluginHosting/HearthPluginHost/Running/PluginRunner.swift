import HearthPlugin
import HearthTree

/// One plugin that runs, whatever carries its messages.
protocol PluginRunner: AnyObject, Sendable {
  /// The time that whoever asks waits.
  var deadlineMilliseconds: Int64 { get }
  /// Questions that it takes at a time without any of them waiting.
  var questionsMax: Int { get }
  /// How it is.
  var health: PluginHealth { get }
  /// What it was asked so far.
  var figures: PluginFigures { get }

  /// Brings it up. Called once.
  func start()

  /// Returns when it answers, or does not seem to come up; or when the time is over.
  func untilSettled(milliseconds: Int64) async

  /// Asks a hook and waits for what comes of it, which is never longer than the deadline and a moment.
  func ask(_ hook: PluginHook, _ input: JSON, milliseconds: Int64) async -> PluginOutcome

  /// Takes no more requests, lets those that are under way be answered, and returns when nothing is left of it.
  func stop() async
}

/// What a plugin wrote, and what became of it, for logs.
struct PluginReport: Sendable {
  /// A line for the operator.
  var event: @Sendable (_ isWarning: Bool, _ text: String) -> Void
  /// A line of the standard error of one of its processes.
  var line: @Sendable (_ worker: Int, _ text: String) -> Void
  /// Tokens that the plugin vouched for count no longer.
  var revoked: @Sendable (TokenRevocation) -> Void = { _ in }
}

/// What a plugin was asked so far, and how often it was brought up again.
struct PluginFigures: Sendable {
  /// Processes that were started again; of a service, how often it was there again.
  var restartCount = 0
  private var records: [PluginHook: LatencyRecord] = [:]

  /// What is known of one hook; nil before it was asked.
  subscript(hook: PluginHook) -> LatencyRecord? { records[hook] }

  /// Adds what one request came to.
  mutating func note(_ hook: PluginHook, _ outcome: PluginOutcome, nanoseconds: UInt64) {
    var isFailure = true
    if case .output = outcome { isFailure = false }
    records[hook, default: LatencyRecord()]
      .add(microseconds: Int64(clamping: nanoseconds / 1_000), isFailure: isFailure)
  }
}
