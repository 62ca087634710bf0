/// The embedded journal's limits, with their reasons.
enum SQLiteLimits {
  /// The payload bytes that one step of pruning deletes; an append waits for one step at most.
  static let pruneStepBytes = 4 << 20

  /// The approximate bytes of SQLite's WAL that removing a delivered outbox entry takes: a share of the pages that the
  /// entry is on.
  static let settledEntryBytes = 512

  /// The approximate size of a batch on the disk in addition to its payload: its other columns, and its share of its
  /// page.
  static let batchRowBytes = 48

  /// The number of rows that one step of pruning deletes, for logs of small batches.
  static let pruneStepRows = 256

  /// The time in milliseconds that a connection waits for another one's lock.
  static let busyMilliseconds = 5_000
}
