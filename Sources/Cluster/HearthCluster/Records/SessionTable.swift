/// What the log says of sessions: which there are, and which requests of theirs were applied. Every node that reads the log
/// has the same table at the same position, so a new owner needs no word from the one before it. What is to be written when
/// they end is the engine's.
package struct SessionTable: Sendable, Equatable {
  /// One session.
  package struct Session: Sendable, Equatable {
    /// The node's run that holds the client's socket.
    package var edge: Incarnation
    /// The place where the session began.
    package var position: Int64
    /// The last request that was applied.
    package fileprivate(set) var lastRequest: UInt64 = 0
    /// Applied requests whose outcome may be asked for again, and where they were applied.
    fileprivate(set) var applied: [(request: UInt64, position: Int64)] = []

    init(edge: Incarnation, position: Int64) { (self.edge, self.position) = (edge, position) }

    /// A session as it was written down.
    init(
      edge: Incarnation, position: Int64, lastRequest: UInt64, applied: [(request: UInt64, position: Int64)]
    ) {
      self.init(edge: edge, position: position)
      (self.lastRequest, self.applied) = (lastRequest, applied)
    }

    /// Takes it that a request was applied.
    fileprivate mutating func note(_ origin: Origin, at position: Int64) {
      lastRequest = max(lastRequest, origin.request)
      applied.removeAll { $0.request <= origin.answered }
      applied.append((origin.request, position))
    }

    /// Returns the place where a request was applied; nil when it was not, or nobody asks any more.
    package func position(of request: UInt64) -> Int64? { applied.first { $0.request == request }?.position }

    package static func == (left: Session, right: Session) -> Bool {
      left.edge == right.edge && left.position == right.position && left.lastRequest == right.lastRequest
        && left.applied.elementsEqual(right.applied, by: ==)
    }
  }

  private(set) var sessions: [SessionID: Session] = [:]
  private var held: [Incarnation: Set<SessionID>] = [:]
  /// The last run of each node that is over.
  private(set) var ended: [NodeID: Int64] = [:]
  /// The number of sessions that have begun on each run of a node that is not over.
  private(set) var opened: [Incarnation: UInt64] = [:]

  /// No sessions.
  package init() {}

  /// A table as it was written down.
  init(sessions: [SessionID: Session], ended: [NodeID: Int64], opened: [Incarnation: UInt64]) {
    (self.sessions, self.ended, self.opened) = (sessions, ended, opened)
    for (id, session) in sessions { held[session.edge, default: []].insert(id) }
  }

  /// A session, when it began and has not ended.
  package subscript(session: SessionID) -> Session? { sessions[session] }

  /// Returns true when a node's run was declared over.
  package func isEnded(_ incarnation: Incarnation) -> Bool {
    ended[incarnation.node].map { $0 >= incarnation.number } ?? false
  }

  /// Returns the number of sessions that have begun on a run of a node, those included that have ended.
  package func openedCount(of edge: Incarnation) -> UInt64 { opened[edge] ?? 0 }

  /// The runs of nodes that hold sessions, in order.
  package var edges: [Incarnation] { held.keys.sorted() }

  /// The number of sessions that there are.
  package var count: Int { sessions.count }

  /// The sessions that a run of a node holds, in order.
  package func sessions(of edge: Incarnation) -> [SessionID] { held[edge]?.sorted() ?? [] }

  /// Takes a record's effect. The same record at the same position has the same effect everywhere.
  package mutating func apply(_ record: LogRecord, at position: Int64) {
    switch record {
    case .plain, .takeover, .handoff, .noop: break
    case .open(let session, let edge, let ordinal):
      if sessions[session] == nil {
        sessions[session] = Session(edge: edge, position: position)
        held[edge, default: []].insert(session)
      }
      opened[edge] = max(openedCount(of: edge), ordinal)
    case .write(let origin, _): note(origin, at: position)
    case .disconnect(let session, _):
      guard let edge = sessions.removeValue(forKey: session)?.edge else { return }
      held[edge]?.remove(session)
      if held[edge]?.isEmpty ?? false { held[edge] = nil }
    case .ended(let incarnation):
      ended[incarnation.node] = max(ended[incarnation.node] ?? .min, incarnation.number)
      opened[incarnation] = nil
    }
  }

  private mutating func note(_ origin: Origin, at position: Int64) {
    sessions[origin.session]?.note(origin, at: position)
  }
}
