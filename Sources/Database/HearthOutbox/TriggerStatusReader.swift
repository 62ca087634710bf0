import HearthJournal
import HearthTree
import HearthTriggers

/// The part of a trigger's status that can be read from memory.
public struct TriggerStatus: Sendable {
  /// The trigger's name.
  public var name: String
  /// The number of waiting events in all databases.
  public var waitingCount = 0
  /// The size of the waiting events in bytes.
  public var waitingBytes = 0
  /// The number of events whose handler has not answered yet.
  public var inFlightCount: Int
  /// True when the operator or the receiver has paused delivery.
  public var isPaused: Bool
  /// True when the receiver cannot be reached.
  public var isUnreachable: Bool
  /// The delivery counts since the server started.
  public var figures: TriggerFigures
}

/// The reader of the triggers' status, for operators and metrics.
public final class TriggerStatusReader: Sendable {
  private let table: QueueTable

  init(table: QueueTable) { self.table = table }

  /// Returns the status of each trigger, in order of name, without disk access.
  public func statuses() -> [TriggerStatus] {
    table.state.withLock { table in
      var statuses = table.triggers.mapValues { trigger in
        TriggerStatus(
          name: trigger.definition.name, inFlightCount: trigger.delivery.inFlightCount,
          isPaused: trigger.delivery.isPaused, isUnreachable: trigger.delivery.isCircuitOpen, figures: trigger.figures)
      }
      for (id, queue) in table.queues {
        statuses[id.trigger]?.waitingCount += queue.waitingCount
        statuses[id.trigger]?.waitingBytes += queue.waitingBytes
      }
      return statuses.values.sorted { $0.name < $1.name }
    }
  }

  /// Returns the status of a trigger: `{"waiting","waitingBytes","oldestMilliseconds","inFlight","dead",…}`. Blocks for
  /// disk access and must not run on an event loop.
  public func json(of trigger: String) throws(JournalError) -> JSON {
    let (known, journals) = table.state.withLock { ($0.triggers[trigger], $0.journals) }
    var total = OutboxFigures()
    for journal in journals.values {
      let figures = try journal.outboxFigures(of: trigger)
      total.waitingCount += figures.waitingCount
      total.waitingBytes += figures.waitingBytes
      total.deadCount += figures.deadCount
      total.deadBytes += figures.deadBytes
      total.oldestMilliseconds = [total.oldestMilliseconds, figures.oldestMilliseconds].compactMap(\.self).min()
    }
    let figures = known?.figures ?? TriggerFigures()
    var json: JSON = [
      "waiting": .int(Int64(total.waitingCount)), "waitingBytes": .int(Int64(total.waitingBytes)),
      "oldestMilliseconds": total.oldestMilliseconds.map { .int($0) } ?? .null,
      "inFlight": .int(Int64(known?.delivery.inFlightCount ?? 0)), "dead": .int(Int64(total.deadCount)),
      "deadBytes": .int(Int64(total.deadBytes)), "attempts": .int(figures.attemptCount),
      "delivered": .int(figures.deliveredCount), "notRun": .int(figures.notRunCount),
      "failed": .int(figures.failedCount), "unknown": .int(figures.unknownCount), "refused": .int(figures.refusedCount),
      "isUnreachable": .bool(known?.delivery.isCircuitOpen == true),
    ]
    if let failure = figures.lastFailure { json["lastFailure"] = .string(failure) }
    return json
  }
}
