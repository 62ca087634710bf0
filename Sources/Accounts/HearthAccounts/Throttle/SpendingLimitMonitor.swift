/// A spending bound: each mail, and each text message, costs money.
package struct SpendingLimit: Sendable, Equatable {
  /// The name of its setting: `mailsPerDay`.
  package var name: String
  /// Messages that were sent in its period.
  package var used: Int
  /// Messages that may be sent in its period.
  package var max: Int
}

/// Notifies the operator when a spending bound is near, and when it is used up: once each, until it is half empty
/// again.
struct SpendingLimitMonitor: Sendable {
  private enum Level: Int { case ample, near, usedUp }

  /// The percentage from which a bound is near.
  static let nearPercent = 80

  private var level = Level.ample

  /// Notes the use of a bound.
  ///
  /// - Parameter isRefused: true when a message was not sent because of it.
  /// - Returns: the notice for the operator; nil for none.
  mutating func note(_ bound: SpendingLimit, isRefused: Bool = false) -> AccountsNotice? {
    guard bound.max > 0 else { return nil }
    let percent = bound.used >= bound.max ? 100 : Int(Double(bound.used) / Double(bound.max) * 100)
    let now: Level = isRefused || percent >= 100 ? .usedUp : percent >= Self.nearPercent ? .near : .ample
    if percent < 50, !isRefused { level = .ample }
    guard now.rawValue > level.rawValue else { return nil }
    level = now
    let count = "\(bound.used) of \(bound.max) (limits.\(bound.name))"
    return now == .near
      ? AccountsNotice(.warning, "messages that cost money approach their limit: \(count) are sent")
      : AccountsNotice(.error, "messages are refused: \(count) are sent, and the rest is reserved for other clients")
  }
}
