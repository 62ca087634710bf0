/// The requests that an owner has decided and not answered: an answer leaves when what it speaks of is durable.
struct UnansweredRequests: Sendable {
  struct Answer {
    var node: NodeID
    var origin: Origin
    var outcome: Outcome
    /// True when it must be the newest state that it tells of: what was read, or why something was refused.
    var isRead: Bool
  }

  private var waiting: [(position: Int64, answer: Answer)] = []
  private var heldReads: [Answer] = []
  /// What the replies take that wait.
  private var replyBytes = 0
  /// The last request of each session that was decided by this owner.
  private var decided: [SessionID: UInt64] = [:]

  /// Whether nothing that comes before a request is missing. Requests of one connection come in order; one that overtakes
  /// another, when a connection ended or began between the two, would make the other look as if it had been refused.
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

  /// Takes an answer to a read that waits for nothing to become durable.
  mutating func hold(_ read: Answer) { heldReads.append(read) }

  /// The answers that may leave.
  ///
  /// - Parameters:
  ///   - durable: Where the log ends.
  ///   - isAuthoritative: Whether nobody else can be the owner.
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

extension Outcome {
  fileprivate var replyBytes: Int {
    switch self {
    case .applied(_, let reply), .refused(_, let reply): reply.sizeBytes
    case .value(let content, _): content.count
    case .noSession, .notOwner, .overloaded: 0
    }
  }

  /// Leaves a reply out that is larger than that. A read without what it found is refused.
  fileprivate mutating func limitReply(to bytes: Int) {
    guard replyBytes > max(bytes, 0) else { return }
    switch self {
    case .applied(let position, _): self = .applied(position: position, reply: [])
    case .refused(let position, _), .value(_, let position): self = .refused(position: position, reply: [])
    case .noSession, .notOwner, .overloaded: break
    }
  }
}
