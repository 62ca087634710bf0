/// The entries of a journal's outbox, as an engine stores them. The methods correspond to those of ``OutboxJournal``.
public protocol OutboxStore {
  /// Returns the queues that have entries.
  func queues() throws(JournalError) -> [String]
  /// Returns waiting entries of a queue in order of place.
  func waiting(_ queue: String, after place: OutboxPlace?, countMax: Int) throws(JournalError) -> [WaitingEntry]
  /// Returns the contents of waiting entries.
  func contents(of queue: String, at places: [OutboxPlace]) throws(JournalError) -> [OutboxPlace: [UInt8]]
  /// Stores the outcomes of waiting entries.
  func settle(_ changes: [(queue: String, place: OutboxPlace, change: OutboxChange)]) throws(JournalError)
  /// Returns the counts and sizes of a queue.
  func figures(of queue: String) throws(JournalError) -> OutboxFigures
  /// Returns dead entries of a queue in order of place, without their contents.
  func dead(_ queue: String, after place: OutboxPlace?, countMax: Int) throws(JournalError) -> [DeadEntry]
  /// Returns a dead entry with its content, or nil when there is none.
  func dead(_ queue: String, at place: OutboxPlace) throws(JournalError) -> DeadEntry?
  /// Makes dead entries wait again.
  func revive(_ queue: String, at place: OutboxPlace?, countMax: Int) throws(JournalError) -> Int
  /// Makes all waiting entries of a queue dead.
  func giveUp(_ queue: String, reason: String, milliseconds: Int64) throws(JournalError) -> Int
  /// Removes dead entries by age and total size.
  func removeDead(_ queue: String, beforeMilliseconds: Int64, sizeBytesMax: Int) throws(JournalError) -> Int
}

/// A journal whose outbox is an ``OutboxStore``.
public protocol OutboxStoreJournal: OutboxJournal {
  /// The entries of the outbox.
  var outboxStore: any OutboxStore { get }
}

extension OutboxStoreJournal {
  public func outboxQueues() throws(JournalError) -> [String] { try outboxStore.queues() }

  public func waitingEntries(
    of queue: String, after place: OutboxPlace?, countMax: Int
  ) throws(JournalError) -> [WaitingEntry] {
    try outboxStore.waiting(queue, after: place, countMax: countMax)
  }

  public func waitingContents(
    of queue: String, at places: [OutboxPlace]
  ) throws(JournalError) -> [OutboxPlace: [UInt8]] {
    try outboxStore.contents(of: queue, at: places)
  }

  public func settle(
    _ changes: [(queue: String, place: OutboxPlace, change: OutboxChange)]
  ) throws(JournalError) {
    try outboxStore.settle(changes)
  }

  public func outboxFigures(of queue: String) throws(JournalError) -> OutboxFigures {
    try outboxStore.figures(of: queue)
  }

  public func deadEntries(
    of queue: String, after place: OutboxPlace?, countMax: Int
  ) throws(JournalError) -> [DeadEntry] {
    try outboxStore.dead(queue, after: place, countMax: countMax)
  }

  public func deadEntry(of queue: String, at place: OutboxPlace) throws(JournalError) -> DeadEntry? {
    try outboxStore.dead(queue, at: place)
  }

  public func revive(_ queue: String, at place: OutboxPlace?, countMax: Int) throws(JournalError) -> Int {
    try outboxStore.revive(queue, at: place, countMax: countMax)
  }

  @discardableResult
  public func giveUp(_ queue: String, reason: String, milliseconds: Int64) throws(JournalError) -> Int {
    try outboxStore.giveUp(queue, reason: reason, milliseconds: milliseconds)
  }

  @discardableResult
  public func removeDeadEntries(
    of queue: String, beforeMilliseconds: Int64, sizeBytesMax: Int
  ) throws(JournalError) -> Int {
    try outboxStore.removeDead(queue, beforeMilliseconds: beforeMilliseconds, sizeBytesMax: sizeBytesMax)
  }
}
