import HearthEngine
import Synchronization

/// Blocks messages to premium-rate numbers that the operator has not allowed, and reports each range to the operator
/// once an hour.
final class PremiumNumberFilter: Sendable {
  private static let noticeMilliseconds: Int64 = 3_600_000

  private let notice: @Sendable (AccountsNotice) -> Void
  /// The time of the last notice about a range, on the monotonic clock. It has at most one entry per range.
  private let lastNotices = Mutex<[String: Int64]>([:])

  init(notice: @escaping @Sendable (AccountsNotice) -> Void) { self.notice = notice }

  /// Returns true when a message may go to a number.
  ///
  /// - Parameter number: E.164.
  func admits(_ number: String, _ settings: PhoneSettings, now: Instant) -> Bool {
    guard let range = PremiumNumbers.range(of: number) else { return true }
    if settings.premiumPrefixes.contains(where: { number.hasPrefix($0) }) { return true }
    let isNew = lastNotices.withLock { lastNotices in
      if let last = lastNotices[range.prefix], now.monotonicMilliseconds - last < Self.noticeMilliseconds {
        return false
      }
      lastNotices[range.prefix] = now.monotonicMilliseconds
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
