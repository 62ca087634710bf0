/// Decides when a service counts as there, and when it is greeted again.
///
/// A state machine without sockets, clocks and threads: what happened comes in, and what is to be done comes back.
struct WebhookHealth {
  enum Mode: Equatable {
    /// It has not answered a hello yet.
    case greeting
    /// It is asked.
    case up
    /// It does not answer, and is asked nothing but hello.
    case down(reason: String)
    case draining
    case stopped
  }

  /// Requests in a row that came to nothing after which it is greeted before it is asked again.
  static let failuresMax = 5
  /// The wait before it is greeted once more; it doubles with each time.
  static let backOffMilliseconds: Int64 = 500
  /// The longest such wait.
  static let backOffMillisecondsMax: Int64 = 30_000
  /// Greetings in vain after which nobody waits for it to come up.
  static let settlingGreetings = 2

  private(set) var mode = Mode.greeting
  private var failureCount = 0
  private var greetingCount = 0
  private(set) var returnCount = 0
  private var random: any RandomNumberGenerator & Sendable

  init(random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) { self.random = random }

  /// The same as operators see it.
  var health: PluginHealth {
    switch mode {
    case .greeting: .starting
    case .up: .running
    case .down(let reason): .down(reason: reason)
    case .draining: .draining
    case .stopped: .stopped
    }
  }

  /// It answers, or nobody should wait for it.
  var isSettled: Bool { mode != .greeting }

  /// It answered hello.
  ///
  /// - Returns: whether it had been gone.
  mutating func answeredHello() -> Bool {
    defer { (failureCount, greetingCount) = (0, 0) }
    switch mode {
    case .greeting:
      mode = .up
      return false
    case .down:
      mode = .up
      returnCount &+= 1
      return true
    case .up, .draining, .stopped: return false
    }
  }

  /// It did not answer hello as it should.
  ///
  /// - Returns: how long to wait before the next.
  mutating func failedHello(_ reason: String) -> Int64 {
    greetingCount += 1
    switch mode {
    case .greeting where greetingCount >= Self.settlingGreetings, .down: mode = .down(reason: reason)
    case .greeting, .up, .draining, .stopped: break
    }
    let wait = min(Self.backOffMilliseconds << min(greetingCount - 1, 30), Self.backOffMillisecondsMax)
    let fifth = wait / 5
    return wait - fifth + Int64.random(in: 0...(2 * fifth), using: &random)
  }

  /// A request came to this.
  ///
  /// - Returns: whether the service is to be greeted from now on.
  mutating func note(_ outcome: PluginOutcome) -> Bool {
    guard mode == .up else { return false }
    switch outcome {
    case .output, .failed:
      failureCount = 0
      return false
    case .late, .died, .unreachable, .unusable:
      failureCount += 1
      guard failureCount >= Self.failuresMax else { return false }
      mode = .down(reason: "it \(outcome.text)")
      return true
    // No word about the service.
    case .overloaded, .down: return false
    }
  }

  /// Nothing more is asked.
  ///
  /// - Parameter isIdle: no request is under way.
  mutating func drain(isIdle: Bool) {
    if mode != .stopped { mode = isIdle ? .stopped : .draining }
  }

  /// The last request is over.
  mutating func becameIdle() { if mode == .draining { mode = .stopped } }
}
