/// A journal with an outbox: entries that become durable atomically with their commits, and stay until they are
/// delivered or given up. Every acknowledged commit has its entries, and a commit that was not stored has none.
///
/// Calls block until they are complete, and may come from any thread during the owner's appends.
public protocol OutboxJournal: Journal {
  /// Appends a batch and its entries atomically.
  ///
  /// - Throws: The errors of ``Journal/append(_:after:)``.
  func append(
    _ batch: JournalBatch, with entries: [OutboxEntry], after head: JournalHead
  ) throws(JournalError) -> JournalHead

  /// Returns the queues that have entries.
  func outboxQueues() throws(JournalError) -> [String]

  /// Returns waiting entries of a queue in the order of their places in the queue.
  ///
  /// - Parameter place: The place after which to begin; nil for the first entry.
  func waitingEntries(
    of queue: String, after place: OutboxPlace?, countMax: Int
  ) throws(JournalError) -> [WaitingEntry]

  /// Returns the contents of waiting entries, of those that exist.
  func waitingContents(of queue: String, at places: [OutboxPlace]) throws(JournalError) -> [OutboxPlace: [UInt8]]

  /// Stores the outcomes of waiting entries. Entries that do not exist are skipped.
  func settle(
    _ changes: [(queue: String, place: OutboxPlace, change: OutboxChange)]
  ) throws(JournalError)

  /// Returns the counts and sizes of a queue.
  func outboxFigures(of queue: String) throws(JournalError) -> OutboxFigures

  /// Returns dead entries of a queue in order of place, without their contents.
  ///
  /// - Parameter place: The place after which to begin; nil for the first entry.
  func deadEntries(of queue: String, after place: OutboxPlace?, countMax: Int) throws(JournalError) -> [DeadEntry]

  /// Returns a dead entry with its content, or nil when there is none.
  func deadEntry(of queue: String, at place: OutboxPlace) throws(JournalError) -> DeadEntry?

  /// Makes dead entries wait again, as if they had never been attempted.
  ///
  /// - Parameter place: The entry's place; nil for all entries.
  /// - Returns: The number of entries.
  func revive(_ queue: String, at place: OutboxPlace?, countMax: Int) throws(JournalError) -> Int

  /// Gives up all waiting entries of a queue, which makes them dead.
  ///
  /// - Returns: The number of entries.
  @discardableResult
  func giveUp(_ queue: String, reason: String, milliseconds: Int64) throws(JournalError) -> Int

  /// Removes some dead entries: those from before a time, and the oldest while the total size exceeds the limit.
  ///
  /// - Returns: The number of removed entries; 0 when there are no more to remove.
  @discardableResult
  func removeDeadEntries(
    of queue: String, beforeMilliseconds: Int64, sizeBytesMax: Int
  ) throws(JournalError) -> Int
}

extension OutboxJournal {
  /// Appends a batch without entries.
  ///
  /// - Throws: The errors of ``Journal/append(_:after:)``.
  public func append(_ batch: JournalBatch, after head: JournalHead) throws(JournalError) -> JournalHead {
    try append(batch, with: [], after: head)
  }
}
