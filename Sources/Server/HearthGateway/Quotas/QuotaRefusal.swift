import HearthTree

/// What is refused because a quota is used up.
package struct QuotaRefusal: Error, Equatable, Sendable {
  let kind: QuotaKind
  /// The quota.
  let max: Int
  /// The time when it may be tried again; 0 where that does not depend on the time.
  var waitNanoseconds: Int64 = 0
  /// Sockets, long polls and streams that are held to the same quota.
  var connectionCount = 0

  init(_ kind: QuotaKind, _ max: Int, waitNanoseconds: Int64 = 0) {
    (self.kind, self.max, self.waitNanoseconds) = (kind, max, waitNanoseconds)
  }

  /// A sentence with the quota's value and name.
  var text: String { kind.text(max) }

  /// For how long nothing more is read from who was refused: until there is room, within bounds.
  var holdMilliseconds: Int64 {
    let shared = Int64(clamping: connectionCount) * (1_000 / QuotaLimits.refusalsPerSecondMax)
    let least = Swift.max(QuotaLimits.holdMillisecondsMin, shared)
    return Swift.min(Swift.max(1 + waitNanoseconds / 1_000_000, least), QuotaLimits.holdMillisecondsMax)
  }
}

extension RESTFailure {
  /// The answer to a request that has waited long for what its client's work takes.
  static func overWork(_ wait: DatabaseAllowance.Wait) -> RESTFailure {
    var failure = RESTFailure(429, "Your requests have caused too much work; try again later.")
    failure.retryAfterSeconds = Int(clamping: 1 + wait.nanoseconds / 1_000_000_000)
    failure.restMilliseconds = wait.milliseconds
    return failure
  }

  /// Client libraries send again by themselves after 503 and not after the others: who is over a rate is not to ask more
  /// because of it. What was refused was not done.
  init(_ refusal: QuotaRefusal) {
    switch refusal.kind {
    case .connections, .clientConnections:
      self.init(503, refusal.text)
      retryAfterSeconds = 5
    case .requestsPerSecond, .clientRequestsPerSecond, .bytesPerSecond, .clientBytesPerSecond, .workPerSecond,
      .connectionWorkPerSecond:
      self.init(429, refusal.text)
      retryAfterSeconds = Int(clamping: 1 + refusal.waitNanoseconds / 1_000_000_000)
      restMilliseconds = refusal.holdMilliseconds
    case .storedBytes: self.init(507, refusal.text)
    // The service's own limit, in its words.
    case .answerBytes: self = .tooBig
    }
  }
}
