/// An event among all those of one trigger.
public struct EventKey: Sendable, Hashable, Comparable {
  /// The database, by a number that the caller gave it.
  public var source: Int
  /// The number of the commit.
  public var position: Int64
  /// Counts the events of one commit.
  public var ordinal: Int32

  /// The event of that commit of that database.
  public init(source: Int, position: Int64, ordinal: Int32) {
    (self.source, self.position, self.ordinal) = (source, position, ordinal)
  }

  public static func < (a: EventKey, b: EventKey) -> Bool {
    (a.source, a.position, a.ordinal) < (b.source, b.position, b.ordinal)
  }
}

/// An event that waits to be delivered: what is known of it in memory.
public struct WaitingEvent: Sendable, Equatable {
  /// Which.
  public var key: EventKey
  /// The place. Events of one place are delivered in order, one at a time.
  public var ref: String
  /// The time of its write, in milliseconds since 1970.
  public var milliseconds: Int64
  /// How often it was tried.
  public var attemptCount: Int
  /// Before this it is not tried again, in milliseconds since 1970.
  public var dueMilliseconds: Int64
  /// Bytes of what it carries, as it is kept.
  public var sizeBytes: Int

  /// An event that waits.
  public init(
    key: EventKey, ref: String, milliseconds: Int64, attemptCount: Int = 0, dueMilliseconds: Int64 = 0,
    sizeBytes: Int = 0
  ) {
    (self.key, self.ref, self.milliseconds, self.sizeBytes) = (key, ref, milliseconds, sizeBytes)
    (self.attemptCount, self.dueMilliseconds) = (attemptCount, dueMilliseconds)
  }
}

/// How an attempt ended.
public enum AttemptOutcome: Sendable, Equatable {
  /// The handler ran to its end.
  case done
  /// The receiver does not take such a request.
  case refused(String)
  /// Whoever is there does not know the function: status 404.
  case unknownFunction
  /// The handler did not run, or nobody knows.
  case notRun(String, retryAfterSeconds: Int64? = nil)
  /// The handler ran and failed.
  case failed(String)
  /// The request was sent, and no whole answer came.
  case unknown(String)
  /// The receiver is gone for good.
  case gone

  /// What an answer of that status means.
  ///
  /// - Parameter retryAfter: the answer's `Retry-After`, of which seconds count.
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
    // Redirects are not followed, and what else is below 500 is an answer to another request than this.
    default: self = .refused("status \(status)")
    }
  }
}

/// What is to be kept of an event after an attempt.
public enum EventSettlement: Sendable, Equatable {
  /// It is forgotten.
  case delivered
  /// It waits again.
  case waits(attemptCount: Int, dueMilliseconds: Int64)
  /// It is a dead letter, for that reason.
  case dead(reason: String)
}
