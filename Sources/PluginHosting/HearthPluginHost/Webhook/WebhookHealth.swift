/// A state machine that decides when a service counts as available, and when it is greeted again.
///
/// It has no sockets, clocks or threads: events come in, and the actions are returned.
struct WebhookHealth {
  enum Mode: Equatable {
    /// The service has not answered a hello yet.
    case greeting
    /// The service answers and gets requests.
    case up
    /// The service does not answer, and gets no message but hello.
    case down(reason: String)
    case draining
    case stopped
  }

  /// The number of failed requests in a row after which the service is greeted before it gets another one.
  static let failuresMax = 5
  /// The wait before the next greeting; it doubles with each.
  static let backOffMilliseconds: Int64 = 500
  /// The longest such wait.
  static let backOffMillisecondsMax: Int64 = 30_000
  /// The number of failed greetings after which callers no longer wait for the service.
  static let settlingGreetings = 2

  private(set) var mode = Mode.greeting
  private var failureCount = 0
  private var greetingCount = 0
  private(set) var returnCount = 0
  private var random: any RandomNumberGenerator & Sendable

  init(random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) { self.random = random }

  /// The health that operators see.
  var health: PluginHealth {
    switch mode {
    case .greeting: .starting
    case .up: .running
    case .down(let reason): .down(reason: reason)
    case .draining: .draining
    case .stopped: .stopped
    }
  }

  /// True when the service answers, or waiting for it is pointless.
  var isSettled: Bool { mode != .greeting }

  /// Records an answer to hello.
  ///
  /// - Returns: true when the service had been unavailable.
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

  /// Records a missing or wrong answer to hello.
  ///
  /// - Returns: the time to wait before the next greeting.
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

  /// Records the outcome of a request.
  ///
  /// - Returns: true when the service is to be greeted from now on.
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
    // No evidence about the service.
    case .overloaded, .down: return false
    }
  }

  /// Takes no more requests.
  ///
  /// - Parameter isIdle: true when no request is under way.
  mutating func drain(isIdle: Bool) {
    if mode != .stopped { mode = isIdle ? .stopped : .draining }
  }

  /// Records the end of the last request.
  mutating func becameIdle() { if mode == .draining { mode = .stopped } }
}
