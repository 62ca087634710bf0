import HearthTree
import Synchronization

/// Tells the operator of records that cannot be read, each of them once.
final class DamageReport: Sendable {
  /// More are not told apart: the operator knows by then.
  private static let placesMax = 1_000

  private let notice: @Sendable (AccountsNotice) -> Void
  private let places = Mutex(Set<Path>())

  init(notice: @escaping @Sendable (AccountsNotice) -> Void) { self.notice = notice }

  func add(_ path: Path, _ reason: String) {
    let isNew = places.withLock { places in places.count < Self.placesMax && places.insert(path).inserted }
    if isNew { notice(AccountsNotice(.error, "accounts: the record \(path) cannot be read: \(reason)")) }
  }
}
