import HearthJournal

/// A fault that keeps an open journal from accepting writes.
///
///     healthy ─── a read or write failed ──▶ healthy: the transaction is rolled back; the same append may be repeated
///     healthy ─── a sync failed, or moving the log did ──▶ unverified
///     unverified ─── the owner's next append: closed, log written anew and synced, opened, read back ──▶ healthy
///     unverified ─── any step of that failed ──▶ unverified
///     unverified ─── what was read back is not what was acknowledged ──▶ failed
///
/// Repeating a failed sync proves nothing: the system may have marked the pages clean that were to be synced, and
/// report success for pages that the disk never took.
enum JournalFault {
  /// The durable content is unknown. The cause, and true when an append has been refused with it: faults outside of
  /// appends are reported by the next one, so that the operator sees them.
  case unverified(JournalError, isReported: Bool)
  /// Acknowledged content is missing or damaged. This is final.
  case failed(JournalError)
}
