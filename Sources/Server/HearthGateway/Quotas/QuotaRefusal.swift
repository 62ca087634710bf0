import HearthTree

/// A refusal because a quota is used up.
package struct QuotaRefusal: Error, Equatable, Sendable {
  let kind: QuotaKind
  /// The value of the quota.
  let max: Int
  /// The time until a retry can succeed; 0 when that does not depend on time.
  var waitNanoseconds: Int64 = 0
  /// The number of sockets, long polls and streams under the same quota.
  var connectionCount = 0

  init(_ kind: QuotaKind, _ max: Int, waitNanoseconds: Int64 = 0) {
    (self.kind, self.max, self.waitNanoseconds) = (kind, max, waitNanoseconds)
  }

  /// A sentence with the quota's value and name.
  var text: String { kind.text(max) }

  /// The time for which the refused client is not read: until there is room, within bounds.
  var pauseMilliseconds: Int64 {
    let shared = Int64(clamping: connectionCount) * (1_000 / QuotaLimits.refusalsPerSecondMax)
    let least = Swift.max(QuotaLimits.pauseMillisecondsMin, shared)
    return Swift.min(Swift.max(1 + waitNanoseconds / 1_000_000, least), QuotaLimits.pauseMillisecondsMax)
  }
}

extension RESTFailure {
  /// Returns the response to a request that has waited too long because of its client's work.
  static func overWork(_ wait: DatabaseAllowance.Wait) -> RESTFailure {
    var failure = RESTFailure(429, "The client's requests exceed their allowance of work. Try again later.")
    failure.retryAfterSeconds = Int(clamping: 1 + wait.nanoseconds / 1_000_000_000)
    failure.readPauseMilliseconds = wait.milliseconds
    return failure
  }

  /// Creates the response to a refusal. Client libraries retry by themselves after 503 and not after the others: a client over a
  /// rate must not send more because of it. The refused request was not carried out.
  init(_ refusal: QuotaRefusal) {
    switch refusal.kind {
    case .connections, .clientConnections:
      self.init(503, refusal.text)
      retryAfterSeconds = 5
    case .requestsPerSecond, .clientRequestsPerSecond, .bytesPerSecond, .clientBytesPerSecond, .workPerSecond,
      .connectionWorkPerSecond:
      self.init(429, refusal.text)
      retryAfterSeconds = Int(clamping: 1 + refusal.waitNanoseconds / 1_000_000_000)
      readPauseMilliseconds = refusal.pauseMilliseconds
    case .storedBytes: self.init(507, refusal.text)
    // Firebase's own limit, with its text.
    case .answerBytes: self = .tooBig
    }
  }
}
