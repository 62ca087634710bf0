/// The requests of one node's clients to the owner of a database, until the clients know what became of them.
///
/// A request is kept until it is answered, and sent again, after all that wait before it, when there is another owner or a
/// new connection to it. The owner recognises what it, or one before it, has applied. A client is told of its requests in
/// their order, and not before this node's replica has applied what they did: who has written reads it.
package struct EdgeRequests: Sendable {
  /// What is to be done, in this order.
  package enum Action: Sendable, Equatable {
    /// To the owner, in the order of these actions.
    case send(ForwardedRequest)
    /// A client is told, by the number that the request was submitted with.
    case acknowledge(SessionID, ticket: UInt64, Outcome)
    /// The session is no more: the client's socket is closed.
    case closeClient(SessionID)
  }

  private struct Entry {
    var request: UInt64
    /// The caller's own number; nil for an opening, of which nobody is told.
    var ticket: UInt64?
    var kind: ForwardedRequest.Kind
    /// Its place among the requests of all sessions.
    var sequence: UInt64
    var outcome: Outcome?

    /// Of an opening: which of the node's sessions begins.
    var ordinal: UInt64? { if case .open(let ordinal, _) = kind { ordinal } else { nil } }
  }

  private struct Session {
    var entries: [Entry] = []
    var lastRequest: UInt64 = 0
    var isClosing = false

    /// All requests up to this one were answered.
    var answered: UInt64 { (entries.first { $0.outcome == nil }?.request ?? lastRequest &+ 1) - 1 }

    /// Takes a request.
    mutating func add(ticket: UInt64?, _ kind: ForwardedRequest.Kind, sequence: UInt64) -> UInt64 {
      lastRequest += 1
      entries.append(Entry(request: lastRequest, ticket: ticket, kind: kind, sequence: sequence))
      return lastRequest
    }

    /// Returns the place where a request stands that has no answer yet.
    func place(of request: UInt64) -> Int? { entries.firstIndex { $0.request == request && $0.outcome == nil } }

    /// Takes out those of which its client may be told, in order.
    ///
    /// - Returns: also whether an answer is left behind of which it would be the turn.
    mutating func release(applied: Int64) -> (told: [Entry], waits: Bool) {
      var (told, kept) = ([Entry](), [Entry]())
      for entry in entries {
        if let outcome = entry.outcome, outcome.position <= applied {
          told.append(entry)
        } else if entry.ordinal != nil {
          // An opening tells nobody anything: what was refused behind it, or read, does not wait for it to be durable.
          kept.append(entry)
        } else {
          break
        }
      }
      if !told.isEmpty { entries.replaceSubrange(..<(told.count + kept.count), with: kept) }
      return (told, entries.prefix(kept.count + 1).contains { $0.outcome != nil })
    }
  }

  private var sessions: [SessionID: Session] = [:]
  /// Sessions with an answer that their clients are not told of yet.
  private var answered: Set<SessionID> = []
  /// What the requests take that are not answered, or not told.
  private var waitingBytes = 0
  private var lastSequence: UInt64 = 0
  private var lastOrdinal: UInt64 = 0
  /// The beginnings of all sessions up to this one were answered, and of some behind it.
  private var settledThrough: UInt64 = 0
  private var settledBeyond: Set<UInt64> = []

  /// No clients.
  ///
  /// - Parameter openedCount: How many sessions this run of the node has opened before, when the database was closed since.
  package init(openedCount: UInt64 = 0) { (lastOrdinal, settledThrough) = (openedCount, openedCount) }

  /// The number of sessions that were opened in this run of the node.
  package var openedCount: UInt64 { lastOrdinal }

  /// The sessions whose clients are connected, in order.
  package var open: [SessionID] { sessions.filter { !$0.value.isClosing }.keys.sorted() }
  /// The number of requests that are not answered, or not told.
  package var count: Int { sessions.values.reduce(0) { $0 + $1.entries.count } }

  /// Returns true when a session may ask more: otherwise its socket is not read for a while. There is always room to
  /// close.
  package func canSubmit(_ session: SessionID) -> Bool {
    guard waitingBytes < ClusterLimits.waitingRequestBytesMax else { return false }
    return sessions[session].map { !$0.isClosing && $0.entries.count < ClusterLimits.sessionRequestsMax - 1 } ?? true
  }

  /// A client is there.
  package mutating func open(_ id: SessionID, isOwnerKnown: Bool, _ actions: inout [Action]) {
    guard sessions[id] == nil else { return }
    lastOrdinal += 1
    sessions[id] = Session()
    add(.open(ordinal: lastOrdinal, answered: 0), ticket: nil, to: id, isOwnerKnown: isOwnerKnown, &actions)
  }

  /// A client asks something. It is told at once when that is not taken, being too large or one too many.
  ///
  /// - Parameters:
  ///   - ticket: By which it is told what became of it.
  ///   - isOwnerKnown: Whether there is somebody to send it to.
  package mutating func submit(
    _ id: SessionID, ticket: UInt64, _ kind: ForwardedRequest.Kind, isOwnerKnown: Bool, _ actions: inout [Action]
  ) {
    if case .close = kind {
      guard sessions[id]?.isClosing == false else { return }
      sessions[id]?.isClosing = true
    } else {
      guard sessions[id] != nil, canSubmit(id), kind.sizeBytes <= ClusterLimits.requestBytesMax else {
        return actions.append(.acknowledge(id, ticket: ticket, .overloaded))
      }
    }
    add(kind, ticket: ticket, to: id, isOwnerKnown: isOwnerKnown, &actions)
  }

  private mutating func add(
    _ kind: ForwardedRequest.Kind, ticket: UInt64?, to id: SessionID, isOwnerKnown: Bool, _ actions: inout [Action]
  ) {
    lastSequence += 1
    guard let number = sessions[id]?.add(ticket: ticket, kind, sequence: lastSequence) else { return }
    waitingBytes += kind.sizeBytes
    if isOwnerKnown { actions.append(.send(forwarded(id, number, kind))) }
  }

  /// There is another owner, or a new connection to it.
  package func resend() -> [Action] {
    let waiting = sessions.flatMap { id, session in
      session.entries.lazy.filter { $0.outcome == nil }.map { (id, $0) }
    }
    return waiting.sorted { $0.1.sequence < $1.1.sequence }.map { .send(forwarded($0, $1.request, $1.kind)) }
  }

  /// The owner answered.
  ///
  /// - Parameter applied: Where this node's replica stands.
  /// - Returns: What is to be done, and whether the request is to be sent again.
  package mutating func answered(
    _ id: SessionID, _ request: UInt64, _ outcome: Outcome, applied: Int64
  ) -> (actions: [Action], isRefused: Bool) {
    guard let place = sessions[id]?.place(of: request) else { return ([], false) }
    switch outcome {
    case .notOwner: return ([], true)
    case .noSession: return (forget(id), false)
    default: break
    }
    sessions[id]?.entries[place].outcome = outcome
    if let ordinal = sessions[id]?.entries[place].ordinal { settle(ordinal) }
    var actions: [Action] = []
    if release(id, applied: applied, &actions) { answered.insert(id) } else { answered.remove(id) }
    return (actions, false)
  }

  /// The owner knows nothing of these sessions. One whose beginning is not answered yet is none of them.
  package mutating func unknown(_ ids: [SessionID]) -> [Action] {
    ids.flatMap { id -> [Action] in
      guard let session = sessions[id], !session.entries.contains(where: { $0.ordinal != nil && $0.outcome == nil })
      else { return [] }
      return forget(id)
    }
  }

  /// The log says that a session has ended. If its client did not ask for it, somebody took this node for dead.
  package mutating func disconnected(_ id: SessionID) -> [Action] {
    sessions[id]?.isClosing == false ? forget(id) : []
  }

  /// The replica has applied everything up to a position.
  package mutating func applied(_ position: Int64) -> [Action] {
    guard !answered.isEmpty else { return [] }
    var actions: [Action] = []
    for id in answered.sorted() where !release(id, applied: position, &actions) { answered.remove(id) }
    return actions
  }

  /// This node's run is over: its sessions are no more.
  package mutating func drop() -> [Action] {
    defer {
      // The next run counts anew.
      (lastOrdinal, settledThrough, settledBeyond) = (0, 0, [])
    }
    return sessions.keys.sorted().flatMap { forget($0) }
  }

  private func forwarded(_ id: SessionID, _ request: UInt64, _ kind: ForwardedRequest.Kind) -> ForwardedRequest {
    var kind = kind
    if case .open(let ordinal, _) = kind {
      kind = .open(ordinal: ordinal, answered: settledThrough)
    }
    return ForwardedRequest(Origin(session: id, request: request, answered: sessions[id]?.answered ?? 0), kind)
  }

  private mutating func settle(_ ordinal: UInt64) {
    guard ordinal > settledThrough else { return }
    settledBeyond.insert(ordinal)
    while settledBeyond.remove(settledThrough + 1) != nil { settledThrough += 1 }
  }

  /// Tells a client what it may be told.
  ///
  /// - Returns: Whether an answer waits to be told.
  private mutating func release(_ id: SessionID, applied: Int64, _ actions: inout [Action]) -> Bool {
    guard let (told, waits) = sessions[id]?.release(applied: applied) else { return false }
    for entry in told {
      waitingBytes -= entry.kind.sizeBytes
      if case .close = entry.kind {
        sessions[id] = nil
      } else if let ticket = entry.ticket, let outcome = entry.outcome {
        actions.append(.acknowledge(id, ticket: ticket, outcome))
      }
    }
    return waits && sessions[id] != nil
  }

  private mutating func forget(_ id: SessionID) -> [Action] {
    answered.remove(id)
    guard let session = sessions.removeValue(forKey: id) else { return [] }
    for entry in session.entries {
      waitingBytes -= entry.kind.sizeBytes
      if let ordinal = entry.ordinal { settle(ordinal) }
    }
    return session.isClosing ? [] : [.closeClient(id)]
  }
}
