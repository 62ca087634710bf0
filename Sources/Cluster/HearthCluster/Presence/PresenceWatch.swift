/// Which sessions an owner ends, because nobody holds their clients' sockets any more.
///
/// A node that is gone is declared over in the store, once its lease is, before any of its sessions ends: should it wake,
/// its next heartbeat tells it, and it lets its clients go. A new owner does not know what happened while there was none;
/// it gives every living node a while to say which sessions it holds, and ends those that none does. A node that lives but
/// cannot be reached for so long loses its clients' presence, as at a cut cable; it hears of it when it announces them.
struct PresenceWatch: Sendable {
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
  private var lastLook: MonotonicInstant

  /// A new owner.
  ///
  /// - Parameter firstTicket: Above those of earlier tenures, whose answers may still come.
  init(timing: ClusterTiming, firstTicket: UInt64, at now: MonotonicInstant) {
    self.timing = timing
    lastTicket = firstTicket
    lastLook = now
    graceUntil = now.advanced(by: timing.announceMilliseconds)
  }

  var ticket: UInt64 { lastTicket }

  /// Time has passed.
  ///
  /// - Parameters:
  ///   - table: Sessions, those aside that are being ended.
  ///   - mayEnd: Whether this node may declare others over.
  mutating func tick(at now: MonotonicInstant, _ table: SessionTable, me: Incarnation, mayEnd: Bool) -> [Action] {
    var actions: [Action] = []
    let isLooking = mayEnd && now.isAtLeast(timing.watchMilliseconds, after: lastLook)
    if isLooking { lastLook = now }
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

  /// The store answered whether a node's run is over.
  mutating func answered(_ ticket: UInt64, _ answer: StoreAnswer) -> [Action] {
    guard let edge = asked.removeValue(forKey: ticket), answer == .done else { return [] }
    return [.end(edge)]
  }

  /// A node says which sessions it holds.
  ///
  /// - Returns: What is to be done, and the sessions that are none.
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
