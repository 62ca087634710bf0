import HearthEngine
import Synchronization

/// Keeps messages from premium-rate numbers that the operator has not allowed, and tells the operator of each range once an
/// hour.
final class PremiumGuard: Sendable {
  private static let noticeMilliseconds: Int64 = 3_600_000

  private let notice: @Sendable (AccountsNotice) -> Void
  /// When a range was last told of, on the monotonic clock. As many at most as there are ranges.
  private let told = Mutex<[String: Int64]>([:])

  init(notice: @escaping @Sendable (AccountsNotice) -> Void) { self.notice = notice }

  /// Returns true when a message may go to a number.
  ///
  /// - Parameter number: E.164.
  func admits(_ number: String, _ settings: PhoneSettings, now: Instant) -> Bool {
    guard let range = PremiumNumbers.range(of: number) else { return true }
    if settings.premiumPrefixes.contains(where: { number.hasPrefix($0) }) { return true }
    let isNew = told.withLock { told in
      if let last = told[range.prefix], now.monotonicMilliseconds - last < Self.noticeMilliseconds { return false }
      told[range.prefix] = now.monotonicMilliseconds
      return true
    }
    if isNew {
      notice(
        AccountsNotice(
          .warning,
          "a code for a \(range.kind.rawValue) number, \(range.prefix)…, was refused; phone.premiumPrefixes allows such numbers"
        ))
    }
    return false
  }
}
