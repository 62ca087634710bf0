/// The embedded journal's limits, one reason each.
enum SQLiteLimits {
  /// The payload bytes that one step of pruning deletes; appends wait for one step at most.
  static let pruneStepBytes = 4 << 20

  /// What an entry of the outbox that is settled costs in SQLite's log, roughly: a share of the pages it is on.
  static let settledEntryBytes = 512

  /// What a batch takes on the disk beside its payload, roughly: its other columns, and its share of its page.
  static let batchRowBytes = 48

  /// The rows that one step of pruning deletes, for logs of small batches.
  static let pruneStepRows = 256

  /// The time that a connection waits for another one's lock, in milliseconds.
  static let busyMilliseconds = 5_000
}
