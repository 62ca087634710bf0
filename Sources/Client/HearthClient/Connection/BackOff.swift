/// The time that to wait before the next attempt to connect: nothing after a success, then 1 s, growing by 1.3 up to 30
/// s, of which 30 % are certain and 70 % random. The figures are those of the native SDKs.
struct BackOff: Sendable {
  /// Times in milliseconds.
  struct Settings: Sendable {
    /// The first wait after a failure.
    var first: Int64 = 1_000
    /// What the wait grows to at most.
    var max: Int64 = 30_000
    /// Each wait is so many times that before.
    var factor = 1.3
    /// The share of a wait that is random.
    var jitter = 0.7
    /// When the waits begin anew because a connection ended that had been good, the next attempt is at a random moment
    /// within so long: all clients of a server that restarts lose theirs at once.
    var spread: Int64 = 1_000
  }

  private let settings: Settings
  /// The wait, before chance; 0: there was no failure.
  private var delay: Int64 = 0
  private var spreads = false

  init(_ settings: Settings = Settings()) { self.settings = settings }

  /// The wait before an attempt that begins now, in milliseconds. Whoever asks makes that attempt.
  mutating func next(using random: inout some RandomNumberGenerator) -> Int64 {
    defer { spreads = false }
    guard delay > 0 else { return spreads ? Int64.random(in: 0...settings.spread, using: &random) : 0 }
    let share = 1 - settings.jitter * Double.random(in: 0...1, using: &random)
    return Int64((Double(delay) * share).rounded())
  }

  /// An attempt failed, or what it led to did not last.
  mutating func fail() {
    spreads = false
    delay = delay == 0 ? settings.first : min(settings.max, Int64(Double(delay) * settings.factor))
  }

  /// The next attempt is at once, or spread with those of all others who lost their server.
  mutating func reset(spreading: Bool = false) { (delay, spreads) = (0, spreading) }

  /// The next attempt waits as long as one ever does.
  mutating func jumpToMax() { (delay, spreads) = (settings.max, false) }
}
