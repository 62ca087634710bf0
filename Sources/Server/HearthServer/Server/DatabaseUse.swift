import Synchronization

/// The time of a database's last use, as precise as the interval of the checks.
final class DatabaseUse: Sendable {
  private let wasUsed = Atomic(true)
  /// The time of the first check after the last use, on the monotonic clock; 0 before that.
  private let unusedSince = Atomic<Int64>(0)

  /// Records a use.
  func note() {
    if !wasUsed.load(ordering: .relaxed) { wasUsed.store(true, ordering: .relaxed) }
  }

  /// True when it was used since the last check.
  var hasBeenUsed: Bool { wasUsed.load(ordering: .relaxed) }

  /// Returns true when the database was unused for the given time. Called by one thread.
  func isUnused(forMilliseconds milliseconds: Int64, at now: Int64) -> Bool {
    if wasUsed.exchange(false, ordering: .relaxed) {
      unusedSince.store(now, ordering: .relaxed)
      return false
    }
    return now - unusedSince.load(ordering: .relaxed) >= milliseconds
  }
}
