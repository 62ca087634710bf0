import Synchronization

/// When a database was last used, as far as somebody looks now and then.
final class DatabaseUse: Sendable {
  private let wasUsed = Atomic(true)
  /// When it was looked at for the first time after its last use, on the monotonic clock; 0 before that.
  private let unusedSince = Atomic<Int64>(0)

  /// It is used.
  func note() {
    if !wasUsed.load(ordering: .relaxed) { wasUsed.store(true, ordering: .relaxed) }
  }

  /// True when it was used since it was last looked at.
  var isNoted: Bool { wasUsed.load(ordering: .relaxed) }

  /// Looks whether it was unused for that long. Called by one thread.
  func isOver(forMilliseconds milliseconds: Int64, at now: Int64) -> Bool {
    if wasUsed.exchange(false, ordering: .relaxed) {
      unusedSince.store(now, ordering: .relaxed)
      return false
    }
    return now - unusedSince.load(ordering: .relaxed) >= milliseconds
  }
}
