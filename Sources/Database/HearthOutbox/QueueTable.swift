import HearthJournal
import HearthTriggers
import Synchronization

/// The triggers, their queues and the journals, without the contents of events: the state that the components of
/// ``EventSender`` share. Its lock is taken before their locks.
final class QueueTable: Sendable {
  struct Trigger: Sendable {
    var definition: TriggerDefinition
    var delivery: Delivery
    var carrier: any EventCarrier
    var figures = TriggerFigures()
  }

  struct Queue: Sendable {
    /// The last entry that was read into memory.
    var cursor: OutboxPlace?
    /// True when there may be more entries after the cursor.
    var hasMore = true
    var shares = WaitingShares()
    var waitingCount: Int { shares.total.count }
    var waitingBytes: Int { shares.total.bytes }
    /// True while new events become dead letters because the queue is full; the operator has been notified.
    var isFull = false
  }

  struct State: Sendable {
    var triggers: [String: Trigger] = [:]
    var queues: [QueueID: Queue] = [:]
    var journals: [String: any OutboxJournal] = [:]
    /// The databases that another server owns, and whose events it sends.
    var followed: Set<String> = []
    /// The databases, indexed by the numbers that ``Delivery`` uses for them.
    var databases: [String] = []
    /// The trigger that is served first, so that triggers take turns.
    private var turn = 0
  }

  let state = Mutex(State())

  var definitions: [TriggerDefinition] { state.withLock { $0.triggers.values.map(\.definition) } }
  var journals: [String: any OutboxJournal] { state.withLock { $0.journals } }
  var inFlightCount: Int { state.withLock { $0.inFlightCount } }

  /// Adds the queues of a database, with the numbers and sizes of the events that wait in its journal.
  func open(_ database: String, _ figures: [String: OutboxFigures]) {
    state.withLock { state in
      for trigger in state.triggers.keys {
        state.open(database, trigger)
        let id = QueueID(database: database, trigger: trigger)
        state.queues[id]?.shares.total = WaitingShares.Amount(
          count: figures[trigger]?.waitingCount ?? 0, bytes: figures[trigger]?.waitingBytes ?? 0)
      }
    }
  }
}

extension QueueTable.State {
  var inFlightCount: Int { triggers.values.reduce(0) { $0 + $1.delivery.inFlightCount } }

  /// Returns the number of a database.
  mutating func number(of database: String) -> Int {
    if let index = databases.firstIndex(of: database) { return index }
    databases.append(database)
    return databases.count - 1
  }

  /// Adds a queue that may have events.
  mutating func open(_ database: String, _ trigger: String) {
    let id = QueueID(database: database, trigger: trigger)
    if queues[id] == nil { queues[id] = QueueTable.Queue() }
  }

  /// Returns the names of the triggers in the order in which they are served in this step.
  mutating func namesInTurn() -> [String] {
    let names = triggers.keys.sorted()
    guard !names.isEmpty else { return [] }
    turn = (turn + 1) % names.count
    return Array(names[turn...] + names[..<turn])
  }

  /// Records that an event no longer waits.
  mutating func release(_ id: QueueID, _ place: OutboxPlace, sizeBytes: Int) {
    queues[id]?.shares.release(place, sizeBytes: sizeBytes)
    guard let queue = queues[id], queue.isFull else { return }
    if queue.waitingCount < TriggerLimits.waitingEventsMax / 2, queue.waitingBytes < TriggerLimits.waitingBytesMax / 2 {
      queues[id]?.isFull = false
    }
  }

  /// Drops a database's events that are not in flight, so that they are read again in order.
  mutating func reread(database: String) {
    for id in queues.keys where id.database == database {
      if triggers[id.trigger] != nil { reread(trigger: id.trigger) }
    }
  }

  /// Drops a trigger's events that are not in flight, so that they are read again in order.
  mutating func reread(trigger name: String) {
    triggers[name]?.delivery.forgetIdle()
    for id in queues.keys where id.trigger == name {
      queues[id]?.cursor = nil
      queues[id]?.hasMore = true
    }
  }
}
