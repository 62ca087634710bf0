import HearthTree
import Synchronization

/// Reports unreadable records to the operator, each of them once.
final class DamageReport: Sendable {
  /// The number of damaged places that are told apart; the operator has been notified by then.
  private static let placesMax = 1_000

  private let notice: @Sendable (AccountsNotice) -> Void
  private let places = Mutex(Set<Path>())

  init(notice: @escaping @Sendable (AccountsNotice) -> Void) { self.notice = notice }

  func add(_ path: Path, _ reason: String) {
    let isNew = places.withLock { places in places.count < Self.placesMax && places.insert(path).inserted }
    if isNew { notice(AccountsNotice(.error, "accounts: the record \(path) cannot be read: \(reason)")) }
  }
}
