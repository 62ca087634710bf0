import HearthJournal
import HearthTriggers

/// What a sender knows between two steps. Contents of events are not among it.
struct SenderState: Sendable {
  struct Trigger: Sendable {
    var definition: TriggerDefinition
    var delivery: Delivery
    var carrier: any EventCarrier
    var figures = TriggerFigures()
  }

  struct Queue: Sendable {
    /// The last one that was taken into memory.
    var cursor: OutboxPlace?
    /// There may be more behind it.
    var hasMore = true
    var shares = WaitingShares()
    var waitingCount: Int { shares.total.count }
    var waitingBytes: Int { shares.total.bytes }
    /// New events are dead letters: the operator was told.
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
  /// Databases whose events another server sends, as long as it owns them.
  var followed: Set<String> = []
  /// Databases by number, as deliveries know them.
  var databases: [String] = []
  /// Outcomes that are not on the disk yet.
  var settled: [Settled] = []
  var isFlushDue = false
  var isPumpDue = false
  var isStopped = false
  /// The time when the next step is due by itself.
  var timerMilliseconds: Int64?
  var inFlight: [String: [EventKey: Task<Void, Never>]] = [:]
  /// Which trigger is served first, so that each has its turn.
  var turn = 0
  var loops = LoopGuard()

  var inFlightCount: Int { triggers.values.reduce(0) { $0 + $1.delivery.inFlightCount } }

  /// The number of a database.
  mutating func number(of database: String) -> Int {
    if let index = databases.firstIndex(of: database) { return index }
    databases.append(database)
    return databases.count - 1
  }

  /// Where events are that wait no more, which is not on the disk yet.
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

/// What a trigger's deliveries came to since the server started.
public struct TriggerFigures: Sendable, Equatable {
  /// Requests that were sent, or tried.
  public var attemptCount: Int64 = 0
  /// Events that were delivered.
  public var deliveredCount: Int64 = 0
  /// Attempts that did not reach the handler.
  public var notRunCount: Int64 = 0
  /// Attempts whose handler failed.
  public var failedCount: Int64 = 0
  /// Attempts of which nobody knows whether the handler ran.
  public var unknownCount: Int64 = 0
  /// Attempts that the receiver did not take.
  public var refusedCount: Int64 = 0
  /// Events that became dead letters.
  public var deadCount: Int64 = 0
  /// How the last attempt that failed ended.
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
