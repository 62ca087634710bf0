/// The purposes among which the mails of a day are divided.
package enum MailPart: Int, Sendable, CaseIterable {
  /// Resets of passwords.
  case reset
  /// Verifications of addresses.
  case verification
  /// Notices of what happened to an account, with a way back: factors, passkeys, passwords, addresses.
  case notice
  /// Links to sign in, and all others.
  case other

  /// Of a day's mails, what is kept for this part: no other mail keeps it back.
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

/// The mails of the last day, by what they were for.
struct MailDay: Sendable {
  static let milliseconds: Int64 = 86_400_000

  private var parts = [SlidingCounter](repeating: SlidingCounter(), count: MailPart.allCases.count)

  /// Mails within the last day.
  mutating func count(nowMilliseconds: Int64) -> Int { counts(nowMilliseconds).reduce(0, +) }

  /// Returns the mails that a part may have beside what is kept for the others, and those that are used of them: its own,
  /// and what the others took beyond what is kept for them.
  mutating func room(for part: MailPart, perDay: Int, nowMilliseconds: Int64) -> (used: Int, max: Int) {
    let counts = counts(nowMilliseconds)
    var (used, max) = (counts[part.rawValue], perDay)
    for other in MailPart.allCases where other != part {
      let reserve = other.reserve(of: perDay)
      max -= reserve
      used += Swift.max(0, counts[other.rawValue] - reserve)
    }
    return (used, max)
  }

  /// Counts one mail, at the moment that was looked at last.
  mutating func add(_ part: MailPart) { parts[part.rawValue].add() }

  private mutating func counts(_ nowMilliseconds: Int64) -> [Int] {
    parts.indices.map {
      parts[$0].count(periodMilliseconds: Self.milliseconds, nowMilliseconds: nowMilliseconds)
    }
  }
}
