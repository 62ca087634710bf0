import HearthJournal

/// A fault that keeps an open journal from accepting writes.
///
///     healthy ─── a read or write failed ──▶ healthy: the transaction is rolled back; the same append may be repeated
///     healthy ─── a sync failed, or moving the log did ──▶ unverified
///     unverified ─── the owner's next append: closed, log written anew and synced, opened, read back ──▶ healthy
///     unverified ─── any step of that failed ──▶ unverified
///     unverified ─── what was read back is not what was acknowledged ──▶ failed
///
/// Repeating a failed sync proves nothing: the system may have marked the pages as clean, and may then report success
/// for pages that were never written to the disk.
enum JournalFault {
  /// The durable content is unknown. `isReported` is true once an append has failed with the error: a fault outside of
  /// an append is reported by the next append, so that the operator learns of it.
  case unverified(JournalError, isReported: Bool)
  /// Acknowledged content is missing or damaged. This is final.
  case failed(JournalError)
}
