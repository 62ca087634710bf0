import HearthTree
import Synchronization

/// Reports unreadable records to the operator, each of them once.
final class DamageReport: Sendable {
  /// The maximum number of damaged places that are reported separately; the operator has been notified by then.
  private static let placesMax = 1_000

  private let notice: @Sendable (AccountsNotice) -> Void
  private let places = Mutex(Set<Path>())

  init(notice: @escaping @Sendable (AccountsNotice) -> Void) { self.notice = notice }

  func add(_ path: Path, _ reason: String) {
    let isNew = places.withLock { places in places.count < Self.placesMax && places.insert(path).inserted }
    if isNew { notice(AccountsNotice(.error, "accounts: the record \(path) cannot be read: \(reason)")) }
  }
}
