/// A journal that keeps work beside the log: entries that become durable in the same step as the commits they come of,
/// and stay until they are done or given up. An acknowledged commit has its entries, and a lost one has none.
///
/// Calls block until they are done, and may come from any thread beside the owner's appends.
public protocol OutboxJournal: Journal {
  /// Appends a batch and its entries in one step.
  ///
  /// - Throws: what ``Journal/append(_:after:)`` throws.
  func append(
    _ batch: JournalBatch, with entries: [OutboxEntry], after head: JournalHead
  ) throws(JournalError) -> JournalHead

  /// The queues that hold something.
  func outboxQueues() throws(JournalError) -> [String]

  /// Entries of a queue that wait, in order of place.
  ///
  /// - Parameter place: only those behind it; nil begins with the first.
  func waitingEntries(
    of queue: String, after place: OutboxPlace?, countMax: Int
  ) throws(JournalError) -> [WaitingEntry]

  /// What is to be done by entries that wait; those that are not there are missing.
  func waitingContents(of queue: String, at places: [OutboxPlace]) throws(JournalError) -> [OutboxPlace: [UInt8]]

  /// Takes note of what became of entries that wait. Those that are not there are passed over.
  func settle(
    _ changes: [(queue: String, place: OutboxPlace, change: OutboxChange)]
  ) throws(JournalError)

  /// How much a queue holds.
  func outboxFigures(of queue: String) throws(JournalError) -> OutboxFigures

  /// Entries of a queue that were given up, in order of place, without their contents.
  ///
  /// - Parameter place: only those behind it; nil begins with the first.
  func deadEntries(of queue: String, after place: OutboxPlace?, countMax: Int) throws(JournalError) -> [DeadEntry]

  /// An entry that was given up, with its content; nil when there is none.
  func deadEntry(of queue: String, at place: OutboxPlace) throws(JournalError) -> DeadEntry?

  /// Has entries that were given up wait again, as if they had never been tried.
  ///
  /// - Parameter place: which; nil takes all.
  /// - Returns: How many.
  func revive(_ queue: String, at place: OutboxPlace?, countMax: Int) throws(JournalError) -> Int

  /// Gives up all that waits in a queue.
  ///
  /// - Returns: How many.
  @discardableResult
  func giveUp(_ queue: String, reason: String, milliseconds: Int64) throws(JournalError) -> Int

  /// Removes entries that were given up, some at a time: those from before a time, and the oldest as long as there are
  /// more bytes than these.
  ///
  /// - Returns: How many went; 0 when there are no more to remove.
  @discardableResult
  func removeDeadEntries(
    of queue: String, beforeMilliseconds: Int64, sizeBytesMax: Int
  ) throws(JournalError) -> Int
}
