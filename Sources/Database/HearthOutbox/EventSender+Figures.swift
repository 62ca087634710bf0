import HearthTriggers

/// The status of a trigger at one time, as far as it is in memory.
public struct TriggerStanding: Sendable {
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

extension EventSender {
  /// Returns the status of each trigger, in order of name, without disk access.
  public func standings() -> [TriggerStanding] {
    state.withLock { state in
      var standings = state.triggers.mapValues { trigger in
        TriggerStanding(
          name: trigger.definition.name, inFlightCount: trigger.delivery.inFlightCount,
          isPaused: trigger.delivery.isPaused, isUnreachable: trigger.delivery.isBroken, figures: trigger.figures)
      }
      for (id, queue) in state.queues {
        standings[id.trigger]?.waitingCount += queue.waitingCount
        standings[id.trigger]?.waitingBytes += queue.waitingBytes
      }
      return standings.values.sorted { $0.name < $1.name }
    }
  }
}
