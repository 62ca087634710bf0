import HearthCrypto
import HearthEngine

/// What the accounts are handed instead of reading it themselves: clocks, randomness, timers, the operator's log.
public struct AccountsEnvironment: Sendable {
  /// Reads both clocks. Each request does so once.
  public var clock: @Sendable () -> Instant
  /// The place where secrets come from.
  public var random: RandomBytes
  /// Runs the work once, on any thread, after that many milliseconds.
  public var schedule: @Sendable (_ afterMilliseconds: Int64, _ work: @escaping @Sendable () -> Void) -> Void
  /// Takes what an operator should know, from any thread. No secret in it.
  public var notice: @Sendable (_ notice: AccountsNotice) -> Void

  /// Asks functions over HTTP; nil when nobody can be asked.
  package var functions: (any FunctionCaller)?
  /// Asks captcha services; nil when none can be asked.
  package var captchas: (any CaptchaService)?

  /// An environment that a server or a test puts together.
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

/// Something for the operator's log.
public struct AccountsNotice: Sendable, CustomStringConvertible {
  /// How much it matters.
  public enum Level: Sendable { case info, warning, error }

  /// How much it matters.
  public var level: Level
  /// A sentence. No secret in it.
  public var text: String

  /// A sentence of a level.
  public init(_ level: Level, _ text: String) {
    self.level = level
    self.text = text
  }

  /// The sentence.
  public var description: String { text }
}
