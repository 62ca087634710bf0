import HearthCrypto
import HearthEngine

/// The dependencies of the accounts on their environment: clocks, randomness, timers, the operator's log.
public struct AccountsEnvironment: Sendable {
  /// Reads both clocks. Each request does so once.
  public var clock: @Sendable () -> Instant
  /// The source of secrets.
  public var random: RandomBytes
  /// Runs the work once, on any thread, after the given number of milliseconds.
  public var schedule: @Sendable (_ afterMilliseconds: Int64, _ work: @escaping @Sendable () -> Void) -> Void
  /// Takes notices for the operator, on any thread. They contain no secrets.
  public var notice: @Sendable (_ notice: AccountsNotice) -> Void

  /// The client for functions over HTTP; nil when functions cannot be called.
  package var functions: (any FunctionCaller)?
  /// The client for captcha services; nil when they cannot be reached.
  package var captchas: (any CaptchaService)?

  /// Creates an environment for a server or a test.
  public init(
    clock: @escaping @Sendable () -> Instant, random: RandomBytes,
    schedule: @escaping @Sendable (_ afterMilliseconds: Int64, _ work: @escaping @Sendable () -> Void) -> Void,
    notice: @escaping @Sendable (_ notice: AccountsNotice) -> Void = { _ in }
  ) {
    self.clock = clock
    self.random = random
    self.schedule = schedule
    self.notice = notice
  }
}

/// A message for the operator's log.
public struct AccountsNotice: Sendable, CustomStringConvertible {
  /// The severity of a message.
  public enum Level: Sendable { case info, warning, error }

  /// The severity.
  public var level: Level
  /// The text, a sentence without secrets.
  public var text: String

  /// Creates a message of a level.
  public init(_ level: Level, _ text: String) {
    self.level = level
    self.text = text
  }

  /// The sentence.
  public var description: String { text }
}
