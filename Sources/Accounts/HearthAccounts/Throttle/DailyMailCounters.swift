/// The purposes among which the mails of a day are divided.
package enum MailCategory: Int, Sendable, CaseIterable {
  /// Resets of passwords.
  case reset
  /// Verifications of addresses.
  case verification
  /// Notices of changes of an account that can be reverted: factors, passkeys, passwords, addresses.
  case notice
  /// Links to sign in, and all others.
  case other

  /// The share of a day's mails reserved for this category, which other mails cannot use up.
  func reserve(of perDay: Int) -> Int { self == .other ? 0 : perDay / 16 }

  init(_ purpose: Ticket.Purpose) {
    self =
      switch purpose {
      case .resetPassword: .reset
      case .verifyEmail, .verifyAndChangeEmail: .verification
      case .recoverEmail, .revertSecondFactor: .notice
      default: .other
      }
  }
}

/// The mails of the last day, by purpose.
struct DailyMailCounters: Sendable {
  static let milliseconds: Int64 = 86_400_000

  private var parts = [SlidingCounter](repeating: SlidingCounter(), count: MailCategory.allCases.count)

  /// Mails within the last day.
  mutating func count(nowMilliseconds: Int64) -> Int { counts(nowMilliseconds).reduce(0, +) }

  /// Returns the number of mails that a category may use beside the reserves of the others, and the number used: its own, and those
  /// of the others beyond their reserves.
  mutating func room(for part: MailCategory, perDay: Int, nowMilliseconds: Int64) -> (used: Int, max: Int) {
    let counts = counts(nowMilliseconds)
    var (used, max) = (counts[part.rawValue], perDay)
    for other in MailCategory.allCases where other != part {
      let reserve = other.reserve(of: perDay)
      max -= reserve
      used += Swift.max(0, counts[other.rawValue] - reserve)
    }
    return (used, max)
  }

  /// Counts one mail, at the time of the last ``room(for:perDay:nowMilliseconds:)``.
  mutating func add(_ part: MailCategory) { parts[part.rawValue].add() }

  private mutating func counts(_ nowMilliseconds: Int64) -> [Int] {
    parts.indices.map {
      parts[$0].count(periodMilliseconds: Self.milliseconds, nowMilliseconds: nowMilliseconds)
    }
  }
}
