import HearthJournal

/// The outbox entries that commits produce beside the log.
extension Database {
  /// The journal of the outbox entries; nil when the database's journal cannot store any, so that an outbox is
  /// impossible.
  public var outboxJournal: (any OutboxJournal)? { outboxes.journal }

  /// Sets the outbox that derives entries from every commit decided from now on; nil derives none.
  public func setOutbox(_ outbox: DatabaseOutbox?) { outboxes.set(outbox) }
}
