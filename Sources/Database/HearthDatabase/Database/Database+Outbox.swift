import HearthJournal

/// What is made of commits beside the log.
extension Database {
  /// The place where the entries of its commits are kept; nil when its journal keeps none, and so cannot have an
  /// outbox.
  public var outboxJournal: (any OutboxJournal)? { outboxes.journal }

  /// Makes something of every commit that is decided from now on; nil makes nothing.
  public func setOutbox(_ outbox: DatabaseOutbox?) { outboxes.set(outbox) }
}
