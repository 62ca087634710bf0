/// The embedded journal's limits, one reason each.
enum SQLiteLimits {
  /// The payload bytes that one step of pruning deletes; appends wait for one step at most.
  static let pruneStepBytes = 4 << 20

  /// The rows that one step of pruning deletes, for logs of small batches.
  static let pruneStepRows = 256
}
