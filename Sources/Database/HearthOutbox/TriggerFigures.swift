import HearthTriggers

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
