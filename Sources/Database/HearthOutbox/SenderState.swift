import HearthJournal
import HearthTriggers

/// The state of a sender between two steps, without the contents of events.
struct SenderState: Sendable {
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
    /// True while new events become dead letters; the operator has been notified.
    var isFull = false
  }

  struct Settled: Sendable {
    var id: QueueID
    var place: OutboxPlace
    var change: OutboxChange
  }

  var triggers: [String: Trigger] = [:]
  var queues: [QueueID: Queue] = [:]
  var journals: [String: any OutboxJournal] = [:]
  /// Databases whose events another server sends while it owns them.
  var followed: Set<String> = []
  /// Databases by the numbers that deliveries use for them.
  var databases: [String] = []
  /// Outcomes that are not on the disk yet.
  var settled: [Settled] = []
  var isFlushDue = false
  var isPumpDue = false
  var isStopped = false
  /// The time when the next step is due without another event.
  var timerMilliseconds: Int64?
  var inFlight: [String: [EventKey: Task<Void, Never>]] = [:]
  /// The trigger that is served first, so that triggers take turns.
  var turn = 0
  var loops = LoopGuard()

  var inFlightCount: Int { triggers.values.reduce(0) { $0 + $1.delivery.inFlightCount } }

  /// Returns the number of a database.
  mutating func number(of database: String) -> Int {
    if let index = databases.firstIndex(of: database) { return index }
    databases.append(database)
    return databases.count - 1
  }

  /// Returns the locations of settled events whose outcome is not on the disk yet.
  func placesOver(in id: QueueID) -> Set<OutboxPlace> {
    Set(settled.filter { if case .waits = $0.change { false } else { $0.id == id } }.map(\.place))
  }

  mutating func settle(_ id: QueueID, _ event: WaitingEvent, _ change: OutboxChange) {
    let place = OutboxPlace(position: event.key.position, ordinal: event.key.ordinal)
    settled.append(Settled(id: id, place: place, change: change))
    if case .waits = change { return }
    queues[id]?.shares.release(place, sizeBytes: event.sizeBytes)
    guard let queue = queues[id], queue.isFull else { return }
    if queue.waitingCount < TriggerLimits.waitingEventsMax / 2, queue.waitingBytes < TriggerLimits.waitingBytesMax / 2 {
      queues[id]?.isFull = false
    }
  }
}

/// The delivery counts of a trigger since the server started.
public struct TriggerFigures: Sendable, Equatable {
  /// The number of attempted requests.
  public var attemptCount: Int64 = 0
  /// The number of delivered events.
  public var deliveredCount: Int64 = 0
  /// The number of attempts that did not reach the handler.
  public var notRunCount: Int64 = 0
  /// The number of attempts whose handler failed.
  public var failedCount: Int64 = 0
  /// The number of attempts for which it is unknown whether the handler ran.
  public var unknownCount: Int64 = 0
  /// The number of attempts that the receiver refused.
  public var refusedCount: Int64 = 0
  /// The number of events that became dead letters.
  public var deadCount: Int64 = 0
  /// The error of the last failed attempt; nil when none has failed.
  public var lastFailure: String?

  mutating func note(_ outcome: AttemptOutcome, _ settlement: EventSettlement) {
    attemptCount += 1
    switch outcome {
    case .done: deliveredCount += 1
    case .refused(let reason):
      refusedCount += 1
      lastFailure = reason
    case .unknownFunction:
      refusedCount += 1
      lastFailure = "status 404"
    case .notRun(let reason, _):
      notRunCount += 1
      lastFailure = reason
    case .failed(let reason):
      failedCount += 1
      lastFailure = reason
    case .unknown(let reason):
      unknownCount += 1
      lastFailure = reason
    case .gone: lastFailure = "status 410"
    }
    if case .dead = settlement { deadCount += 1 }
  }
}
