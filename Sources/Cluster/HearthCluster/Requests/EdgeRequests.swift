/// The requests of one node's clients to the owner of a database, until their outcomes are reported.
///
/// A request is kept until it is answered, and sent again after all earlier ones when the owner or the connection to it
/// changes. The owner recognises requests that were applied already. Outcomes are reported to a client in the order of
/// its requests, and only after this node's replica has applied their effects, so that a client reads its own writes.
package struct EdgeRequests: Sendable {
  /// An action for the driver to perform, in order.
  package enum Action: Sendable, Equatable {
    /// Sends a request to the owner.
    case send(ForwardedRequest)
    /// Reports an outcome to a client, with the ticket of the request.
    case acknowledge(SessionID, ticket: UInt64, RequestOutcome)
    /// Closes the socket of a client whose session has ended.
    case closeClient(SessionID)
  }

  private struct Entry {
    var request: UInt64
    /// The caller's number for the request; nil for an opening, whose outcome is not reported.
    var ticket: UInt64?
    var kind: ForwardedRequest.Kind
    /// The sequence number among the requests of all sessions.
    var sequence: UInt64
    var outcome: RequestOutcome?

    /// The ordinal of the session that an opening begins; nil for other requests.
    var ordinal: UInt64? { if case .open(let ordinal, _) = kind { ordinal } else { nil } }
  }

  private struct Session {
    var entries: [Entry] = []
    var lastRequest: UInt64 = 0
    var isClosing = false

    /// The number of the last request up to which all are answered.
    var answered: UInt64 { (entries.first { $0.outcome == nil }?.request ?? lastRequest &+ 1) - 1 }

    /// Adds a request and returns its number.
    mutating func add(ticket: UInt64?, _ kind: ForwardedRequest.Kind, sequence: UInt64) -> UInt64 {
      lastRequest += 1
      entries.append(Entry(request: lastRequest, ticket: ticket, kind: kind, sequence: sequence))
      return lastRequest
    }

    /// Returns the index of an unanswered request.
    func place(of request: UInt64) -> Int? { entries.firstIndex { $0.request == request && $0.outcome == nil } }

    /// Removes the entries whose outcomes can be reported to the client, in order.
    ///
    /// - Returns: The entries; `waits` is true when an answered entry has to wait for its position to be applied.
    mutating func release(applied: Int64) -> (released: [Entry], waits: Bool) {
      var (released, kept) = ([Entry](), [Entry]())
      for entry in entries {
        if let outcome = entry.outcome, outcome.position <= applied {
          released.append(entry)
        } else if entry.ordinal != nil {
          // The outcome of an opening is not reported to the client, so later refusals and reads do not wait until it
          // is durable.
          kept.append(entry)
        } else {
          break
        }
      }
      if !released.isEmpty { entries.replaceSubrange(..<(released.count + kept.count), with: kept) }
      return (released, entries.prefix(kept.count + 1).contains { $0.outcome != nil })
    }
  }

  private var sessions: [SessionID: Session] = [:]
  /// The sessions with answers that are not reported yet.
  private var answered: Set<SessionID> = []
  /// The bytes of the requests that are unanswered or not reported.
  private var waitingBytes = 0
  private var lastSequence: UInt64 = 0
  private var lastOrdinal: UInt64 = 0
  /// The ordinal up to which the openings of all sessions are answered; answered ones above it are in `settledBeyond`.
  private var settledThrough: UInt64 = 0
  private var settledBeyond: Set<UInt64> = []

  /// Creates the state of a node without clients.
  ///
  /// - Parameter openedCount: The number of sessions that this incarnation opened before it closed the database the
  ///   last time.
  package init(openedCount: UInt64 = 0) { (lastOrdinal, settledThrough) = (openedCount, openedCount) }

  /// The number of sessions that this incarnation has opened.
  package var openedCount: UInt64 { lastOrdinal }

  /// The sessions whose clients are connected, in order.
  package var open: [SessionID] { sessions.filter { !$0.value.isClosing }.keys.sorted() }
  /// The number of requests that are unanswered or not reported.
  package var count: Int { sessions.values.reduce(0) { $0 + $1.entries.count } }

  /// Returns true when a session may send more requests; otherwise reading from its socket pauses. A `.close` is always
  /// accepted.
  package func canSubmit(_ session: SessionID) -> Bool {
    guard waitingBytes < ClusterLimits.waitingRequestBytesMax else { return false }
    return sessions[session].map { !$0.isClosing && $0.entries.count < ClusterLimits.sessionRequestsMax - 1 } ?? true
  }

  /// Opens a session for a client.
  package mutating func open(_ id: SessionID, isOwnerKnown: Bool, _ actions: inout [Action]) {
    guard sessions[id] == nil else { return }
    lastOrdinal += 1
    sessions[id] = Session()
    add(.open(ordinal: lastOrdinal, answered: 0), ticket: nil, to: id, isOwnerKnown: isOwnerKnown, &actions)
  }

  /// Submits a request of a client. A request that is too large or exceeds the limit is refused at once.
  ///
  /// - Parameters:
  ///   - ticket: The number under which the outcome is reported.
  ///   - isOwnerKnown: True when the request can be sent now.
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

  /// Returns the unanswered requests, to be sent to a new owner or over a new connection.
  package func resend() -> [Action] {
    let waiting = sessions.flatMap { id, session in
      session.entries.lazy.filter { $0.outcome == nil }.map { (id, $0) }
    }
    return waiting.sorted { $0.1.sequence < $1.1.sequence }.map { .send(forwarded($0, $1.request, $1.kind)) }
  }

  /// Handles the owner's answer.
  ///
  /// - Parameter applied: The position that this node's replica has applied.
  /// - Returns: The actions, and true when the request has to be sent again.
  package mutating func answered(
    _ id: SessionID, _ request: UInt64, _ outcome: RequestOutcome, applied: Int64
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

  /// Closes sessions that the owner does not know. Sessions with an unanswered opening are not affected.
  package mutating func unknown(_ ids: [SessionID]) -> [Action] {
    ids.flatMap { id -> [Action] in
      guard let session = sessions[id], !session.entries.contains(where: { $0.ordinal != nil && $0.outcome == nil })
      else { return [] }
      return forget(id)
    }
  }

  /// Handles the end of a session in the log. When its client did not request it, another node has declared this node's
  /// incarnation ended.
  package mutating func disconnected(_ id: SessionID) -> [Action] {
    sessions[id]?.isClosing == false ? forget(id) : []
  }

  /// Reports the outcomes that the replica's position allows.
  package mutating func applied(_ position: Int64) -> [Action] {
    guard !answered.isEmpty else { return [] }
    var actions: [Action] = []
    for id in answered.sorted() where !release(id, applied: position, &actions) { answered.remove(id) }
    return actions
  }

  /// Closes all sessions, because the node's incarnation has ended.
  package mutating func drop() -> [Action] {
    defer {
      // The ordinals of the next incarnation begin anew.
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

  /// Reports the outcomes of a session that are due.
  ///
  /// - Returns: True when an answer waits for its position to be applied.
  private mutating func release(_ id: SessionID, applied: Int64, _ actions: inout [Action]) -> Bool {
    guard let (released, waits) = sessions[id]?.release(applied: applied) else { return false }
    for entry in released {
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
