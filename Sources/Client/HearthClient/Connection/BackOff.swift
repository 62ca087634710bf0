/// The delay before the next connection attempt: none after a success, then 1 s, growing by 1.3 up to 30 s, with 30 %
/// fixed and 70 % random. The values are those of the native Firebase SDKs.
struct BackOff: Sendable {
  /// The parameters, with times in milliseconds.
  struct Settings: Sendable {
    /// The first delay after a failure.
    var first: Int64 = 1_000
    /// The maximum delay.
    var max: Int64 = 30_000
    /// The growth of the delay from one failure to the next.
    var factor = 1.3
    /// The random share of a delay.
    var jitter = 0.7
    /// The range of the random delay after a stable connection was lost, because all clients of a restarting server
    /// lose their connections at once.
    var spread: Int64 = 1_000
  }

  private let settings: Settings
  /// The delay before randomisation; 0 when there was no failure.
  private var delay: Int64 = 0
  private var spreads = false

  init(_ settings: Settings = Settings()) { self.settings = settings }

  /// Returns the delay in milliseconds before the next attempt, and updates the delay for the one after it.
  mutating func next(using random: inout some RandomNumberGenerator) -> Int64 {
    defer { spreads = false }
    guard delay > 0 else { return spreads ? Int64.random(in: 0...settings.spread, using: &random) : 0 }
    let share = 1 - settings.jitter * Double.random(in: 0...1, using: &random)
    return Int64((Double(delay) * share).rounded())
  }

  /// Notes that an attempt failed or its connection did not last.
  mutating func fail() {
    spreads = false
    delay = delay == 0 ? settings.first : min(settings.max, Int64(Double(delay) * settings.factor))
  }

  /// Removes the delay before the next attempt; `spreading` makes it random within the range of ``Settings/spread``.
  mutating func reset(spreading: Bool = false) { (delay, spreads) = (0, spreading) }

  /// Sets the next delay to the maximum.
  mutating func jumpToMax() { (delay, spreads) = (settings.max, false) }
}
