/// The sessions of a log and their applied requests. Every node that reads the log has the same table at the same
/// position, so a new owner needs no information from the previous one. On-disconnect writes are kept by the engine.
package struct SessionTable: Sendable, Equatable {
  /// A session of a client.
  package struct Session: Sendable, Equatable {
    /// The incarnation of the node that the client is connected to.
    package var edge: Incarnation
    /// The position at which the session began.
    package var position: Int64
    /// The last request that was applied.
    package fileprivate(set) var lastRequest: UInt64 = 0
    /// The applied requests whose outcome may be requested again, with their positions.
    fileprivate(set) var applied: [(request: UInt64, position: Int64)] = []

    init(edge: Incarnation, position: Int64) { (self.edge, self.position) = (edge, position) }

    /// Creates a session from its decoded parts.
    init(
      edge: Incarnation, position: Int64, lastRequest: UInt64, applied: [(request: UInt64, position: Int64)]
    ) {
      self.init(edge: edge, position: position)
      (self.lastRequest, self.applied) = (lastRequest, applied)
    }

    /// Notes that a request was applied.
    fileprivate mutating func note(_ origin: Origin, at position: Int64) {
      lastRequest = max(lastRequest, origin.request)
      applied.removeAll { $0.request <= origin.answered }
      applied.append((origin.request, position))
    }

    /// Returns the position of an applied request; nil when it was not applied, or its outcome is no longer needed.
    package func position(of request: UInt64) -> Int64? { applied.first { $0.request == request }?.position }

    package static func == (left: Session, right: Session) -> Bool {
      left.edge == right.edge && left.position == right.position && left.lastRequest == right.lastRequest
        && left.applied.elementsEqual(right.applied, by: ==)
    }
  }

  private(set) var sessions: [SessionID: Session] = [:]
  private var held: [Incarnation: Set<SessionID>] = [:]
  /// The last ended incarnation of each node.
  private(set) var ended: [NodeID: Int64] = [:]
  /// The number of sessions that have begun in each incarnation that has not ended.
  private(set) var opened: [Incarnation: UInt64] = [:]

  /// Creates a table without sessions.
  package init() {}

  /// Creates a table from its decoded parts.
  init(sessions: [SessionID: Session], ended: [NodeID: Int64], opened: [Incarnation: UInt64]) {
    (self.sessions, self.ended, self.opened) = (sessions, ended, opened)
    for (id, session) in sessions { held[session.edge, default: []].insert(id) }
  }

  /// The session; nil when it has not begun or has ended.
  package subscript(session: SessionID) -> Session? { sessions[session] }

  /// Returns true when the incarnation was declared ended.
  package func isEnded(_ incarnation: Incarnation) -> Bool {
    ended[incarnation.node].map { $0 >= incarnation.number } ?? false
  }

  /// Returns the number of sessions that have begun in an incarnation, including ended ones.
  package func openedCount(of edge: Incarnation) -> UInt64 { opened[edge] ?? 0 }

  /// The incarnations that hold sessions, in order.
  package var edges: [Incarnation] { held.keys.sorted() }

  /// The number of sessions.
  package var count: Int { sessions.count }

  /// Returns the sessions of an incarnation, in order.
  package func sessions(of edge: Incarnation) -> [SessionID] { held[edge]?.sorted() ?? [] }

  /// Applies a record. The same record at the same position has the same effect on every node.
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
