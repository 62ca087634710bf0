import HearthTriggers

/// How a trigger is at one moment, as far as memory says it.
public struct TriggerStanding: Sendable {
  /// The trigger's name.
  public var name: String
  /// Events that wait, of all databases.
  public var waitingCount = 0
  /// Their bytes.
  public var waitingBytes = 0
  /// Events whose handler has not answered yet.
  public var inFlightCount: Int
  /// The operator, or the receiver, wants nothing sent.
  public var isPaused: Bool
  /// The receiver cannot be reached.
  public var isUnreachable: Bool
  /// What became of sending since the server started.
  public var figures: TriggerFigures
}

extension EventSender {
  /// How each trigger is, in order of name. Does not look at the disk.
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
