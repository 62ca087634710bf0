/// The requests that an owner has decided and not answered: an answer is sent when its position is durable.
struct UnansweredRequests: Sendable {
  struct Answer {
    var node: NodeID
    var origin: Origin
    var outcome: RequestOutcome
    /// True when the answer must show the newest state: a read result or the reason of a refusal.
    var isRead: Bool
  }

  private var waiting: [(position: Int64, answer: Answer)] = []
  private var heldReads: [Answer] = []
  /// The bytes of the waiting replies.
  private var replyBytes = 0
  /// The last request of each session that this owner has decided.
  private var decided: [SessionID: UInt64] = [:]

  /// Returns true when no earlier request of the session is missing. Requests of one connection arrive in order; but
  /// after a change of the connection a request could overtake an earlier one, which would then look refused.
  func isNext(_ origin: Origin, after applied: UInt64) -> Bool {
    origin.request > 0 && origin.request - 1 <= max(origin.answered, applied, decided[origin.session] ?? 0)
  }

  mutating func note(_ origin: Origin) {
    decided[origin.session] = max(decided[origin.session] ?? 0, origin.request)
  }

  mutating func forget(_ session: SessionID) { decided[session] = nil }

  mutating func wait(for position: Int64, _ answer: Answer) {
    var answer = answer
    answer.outcome.limitReply(to: min(ClusterLimits.replyBytesMax, ClusterLimits.waitingReplyBytesMax - replyBytes))
    replyBytes += answer.outcome.replyBytes
    waiting.append((position, answer))
  }

  /// Adds an answer to a read that depends on no position that is not durable yet.
  mutating func hold(_ read: Answer) { heldReads.append(read) }

  /// Removes and returns the answers that can be sent.
  ///
  /// - Parameters:
  ///   - durable: The durable end of the log.
  ///   - isAuthoritative: True when no other node can be the owner.
  mutating func release(durable: Int64, isAuthoritative: Bool) -> [Answer] {
    let count = waiting.prefix { $0.position <= durable }.count
    var answers: [Answer] = []
    for (_, answer) in waiting.prefix(count) {
      if answer.isRead, !isAuthoritative {
        heldReads.append(answer)
      } else {
        answers.append(answer)
      }
    }
    waiting.removeFirst(count)
    if isAuthoritative, !heldReads.isEmpty {
      answers = heldReads + answers
      heldReads = []
    }
    for answer in answers { replyBytes -= answer.outcome.replyBytes }
    return answers
  }
}

extension RequestOutcome {
  fileprivate var replyBytes: Int {
    switch self {
    case .applied(_, let reply), .refused(_, let reply): reply.sizeBytes
    case .value(let content, _): content.count
    case .noSession, .notOwner, .overloaded: 0
    }
  }

  /// Removes a reply above the limit. A read whose result is removed is answered as refused.
  fileprivate mutating func limitReply(to bytes: Int) {
    guard replyBytes > max(bytes, 0) else { return }
    switch self {
    case .applied(let position, _): self = .applied(position: position, reply: [])
    case .refused(let position, _), .value(_, let position): self = .refused(position: position, reply: [])
    case .noSession, .notOwner, .overloaded: break
    }
  }
}
