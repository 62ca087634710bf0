/// The key of an event among all those of one trigger.
public struct EventKey: Sendable, Hashable, Comparable {
  /// The number that the caller has assigned to the event's database.
  public var source: Int
  /// The number of the commit.
  public var position: Int64
  /// The number of the event within its commit.
  public var ordinal: Int32

  /// Creates the key of an event.
  public init(source: Int, position: Int64, ordinal: Int32) {
    (self.source, self.position, self.ordinal) = (source, position, ordinal)
  }

  public static func < (a: EventKey, b: EventKey) -> Bool {
    (a.source, a.position, a.ordinal) < (b.source, b.position, b.ordinal)
  }
}

/// An event that waits for delivery, without its content.
public struct WaitingEvent: Sendable, Equatable {
  /// The event's key.
  public var key: EventKey
  /// The location, as keys with `/` between them. Events of one location are delivered in order, one at a time.
  public var ref: String
  /// The time of its write, in milliseconds since 1970.
  public var milliseconds: Int64
  /// The number of attempts.
  public var attemptCount: Int
  /// The earliest time of the next attempt, in milliseconds since 1970.
  public var dueMilliseconds: Int64
  /// The stored size of its content in bytes.
  public var sizeBytes: Int

  /// Creates a waiting event.
  public init(
    key: EventKey, ref: String, milliseconds: Int64, attemptCount: Int = 0, dueMilliseconds: Int64 = 0,
    sizeBytes: Int = 0
  ) {
    (self.key, self.ref, self.milliseconds, self.sizeBytes) = (key, ref, milliseconds, sizeBytes)
    (self.attemptCount, self.dueMilliseconds) = (attemptCount, dueMilliseconds)
  }
}

/// The outcome of an attempt.
public enum AttemptOutcome: Sendable, Equatable {
  /// The handler ran and reported success.
  case done
  /// The receiver refused the request.
  case refused(String)
  /// The receiver does not know the function: status 404.
  case unknownFunction
  /// The handler did not run, or it is unknown whether it did.
  case notRun(String, retryAfterSeconds: Int64? = nil)
  /// The handler ran and failed.
  case failed(String)
  /// The request was sent, but no complete answer arrived.
  case unknown(String)
  /// The receiver is permanently gone.
  case gone

  /// Creates the outcome for an answer's status.
  ///
  /// - Parameter retryAfter: The answer's `Retry-After`; only a number of seconds is used.
  public init(status: Int, retryAfter: String? = nil) {
    switch status {
    case 200..<300: self = .done
    case 404: self = .unknownFunction
    case 400, 405, 413, 431: self = .refused("status \(status)")
    case 410: self = .gone
    case 429, 502, 503, 504:
      let seconds = retryAfter.flatMap { Int64($0) }.map { min(max($0, 0), Int64(TriggerLimits.retryAfterSecondsMax)) }
      self = .notRun("status \(status)", retryAfterSeconds: seconds)
    case 500...: self = .failed("status \(status)")
    // Redirects are not followed, and other statuses below 500 are no valid answers to this request.
    default: self = .refused("status \(status)")
    }
  }
}

/// The state of an event after an attempt, as it is stored.
public enum EventSettlement: Sendable, Equatable {
  /// The event is removed.
  case delivered
  /// The event waits for another attempt.
  case waits(attemptCount: Int, dueMilliseconds: Int64)
  /// The event is a dead letter for this reason.
  case dead(reason: String)
}
