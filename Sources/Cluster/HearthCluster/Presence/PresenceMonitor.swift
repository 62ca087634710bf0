/// The detection of sessions whose clients are no longer connected to any node, so that the owner ends them.
///
/// When a node's lease has lapsed, the owner declares its incarnation ended in the store before it ends the sessions.
/// If that node is running, its next heartbeat is refused, and it closes its clients' connections. A new owner does not
/// know which sessions ended before its takeover: it waits for every running node to announce its sessions, and ends
/// those that are not announced. A running node that cannot be reached in that time loses its sessions, and learns it
/// when it announces them.
struct PresenceMonitor: Sendable {
  enum Action {
    case ask(ticket: UInt64, StoreCall)
    case end(Incarnation)
    case disconnect([SessionID])
  }

  private let timing: ClusterTiming
  private var graceUntil: MonotonicInstant
  private var announced: Set<Incarnation> = []
  private var asked: [UInt64: Incarnation] = [:]
  private var lastTicket: UInt64
  private var lastCheck: MonotonicInstant

  /// Creates the monitor of a new owner.
  ///
  /// - Parameter firstTicket: A number above the tickets of this node's earlier ownerships, to which answers may still
  ///   arrive.
  init(timing: ClusterTiming, firstTicket: UInt64, at now: MonotonicInstant) {
    self.timing = timing
    lastTicket = firstTicket
    lastCheck = now
    graceUntil = now.advanced(by: timing.announceMilliseconds)
  }

  var ticket: UInt64 { lastTicket }

  /// Returns the actions that are due.
  ///
  /// - Parameters:
  ///   - table: The sessions, except those that are being ended.
  ///   - mayEnd: True when this node may declare other incarnations ended.
  mutating func tick(at now: MonotonicInstant, _ table: SessionTable, me: Incarnation, mayEnd: Bool) -> [Action] {
    var actions: [Action] = []
    let isLooking = mayEnd && now.isAtLeast(timing.watchMilliseconds, after: lastCheck)
    if isLooking { lastCheck = now }
    for edge in table.edges {
      if table.isEnded(edge) || (now >= graceUntil && !announced.contains(edge)) {
        actions.append(.disconnect(Array(table.sessions(of: edge).prefix(ClusterLimits.disconnectsAtOnceMax))))
      }
      if isLooking, edge != me, !table.isEnded(edge), !asked.values.contains(edge) {
        lastTicket += 1
        asked[lastTicket] = edge
        actions.append(.ask(ticket: lastTicket, .end(edge)))
      }
    }
    return actions
  }

  /// Handles the store's answer to the end of an incarnation.
  mutating func answered(_ ticket: UInt64, _ answer: StoreAnswer) -> [Action] {
    guard let edge = asked.removeValue(forKey: ticket), answer == .done else { return [] }
    return [.end(edge)]
  }

  /// Handles a node's announcement of its sessions.
  ///
  /// - Returns: The actions, and the announced sessions that do not exist.
  mutating func announced(
    _ edge: Incarnation, _ sessions: [SessionID], _ table: SessionTable
  ) -> (actions: [Action], unknown: [SessionID]) {
    let held = Set(sessions)
    let gone = table.sessions(of: edge).filter { !held.contains($0) }
    announced.insert(edge)
    return (
      gone.isEmpty ? [] : [.disconnect(gone)], sessions.filter { table[$0]?.edge != edge || table.isEnded(edge) }
    )
  }
}
