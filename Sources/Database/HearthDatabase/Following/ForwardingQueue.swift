import HearthEngine

/// The requests that a following database has sent to its owner, and the commands that wait to be sent. A value, used
/// on the deciding queue.
///
/// All commands of a connection stay in their order. Once a connection has ``openMax`` unanswered requests, all of its
/// further commands wait, even those that could be decided here.
struct ForwardingQueue: Sendable {
  /// The most unanswered requests of one session. The owner has the same limit for each session.
  static let openMax = 512
  /// The number of sessions shared by one-off requests, such as those over HTTP.
  static let sharedSessions = 16

  private struct ForwardedSession {
    var session: UInt64
    var open: Set<UInt64> = []
    var waiting: [Command] = []
    /// True when the connection has on-disconnect writes, so that the owner must know its identity.
    var hasOnDisconnectWrites = false
  }

  /// A request under way.
  private struct PendingRequest {
    /// The command; nil once the client was told that the outcome is unknown, while the owner's answer is still
    /// outstanding.
    var command: Command?
    var sessionKey: ConnectionID
    var sentAtMilliseconds: Int64
  }

  /// The time that a one-off request waits for the owner: longer than a failover of the shared storage takes. Clients
  /// with a connection keep waiting, as they do without a network.
  private static let oneOffTimeoutMilliseconds: Int64 = 60_000

  private var sessionsByConnection: [ConnectionID: ForwardedSession] = [:]
  private var connections: [UInt64: ConnectionID] = [:]
  /// Connections whose session at the owner has ended, and which are therefore being closed.
  private var gone: Set<ConnectionID> = []
  private var pendingRequests: [UInt64: PendingRequest] = [:]
  private var lastTicket: UInt64 = 0
  private var lastShared: UInt64 = 0
  /// The number of commands that wait until their connection has fewer unanswered requests, over all connections.
  private(set) var waitingCount = 0

  /// The number of requests under way.
  var openCount: Int { pendingRequests.count }

  /// Returns true when a command must wait because its connection has too many open requests, or already waits; the
  /// command is then kept.
  mutating func delays(_ command: Command) -> Bool {
    guard !command.isOneOff, let forwarded = sessionsByConnection[command.connection],
      !forwarded.waiting.isEmpty || forwarded.open.count >= Self.openMax
    else { return false }
    sessionsByConnection[command.connection]?.waiting.append(command)
    waitingCount += 1
    return true
  }

  /// Returns the session to send a command in, which may be a new one, and the ticket of the request.
  ///
  /// - Parameters:
  ///   - now: The time on the monotonic clock.
  ///   - makeSession: Draws an unused session number.
  /// - Returns: `isNew` when the session must be opened at the owner first; nil when all sessions for it are full.
  mutating func forward(
    _ command: Command, atMilliseconds now: Int64, makeSession: () -> UInt64
  ) -> (session: UInt64, ticket: UInt64, isNew: Bool)? {
    guard let key = sessionKey(for: command) else { return nil }
    let isNew = sessionsByConnection[key] == nil
    var session = sessionsByConnection[key]?.session ?? makeSession()
    // A session number in use on this node cannot be used again: answers would be misrouted.
    while isNew, session == 0 || connections[session] != nil { session = makeSession() }
    if isNew {
      sessionsByConnection[key] = ForwardedSession(session: session)
      connections[session] = key
    }
    lastTicket += 1
    sessionsByConnection[key]?.open.insert(lastTicket)
    if case .onDisconnect = command.action { sessionsByConnection[key]?.hasOnDisconnectWrites = true }
    pendingRequests[lastTicket] = PendingRequest(command: command, sessionKey: key, sentAtMilliseconds: now)
    return (session, lastTicket, isNew)
  }

  /// Returns the key of a command's session: one-off requests share ``sharedSessions`` sessions.
  private mutating func sessionKey(for command: Command) -> ConnectionID? {
    guard command.isOneOff else { return command.connection }
    for _ in 0..<Self.sharedSessions {
      lastShared = (lastShared + 1) % UInt64(Self.sharedSessions)
      // These keys cannot collide with IDs of connections, which count up from 0.
      let key = ConnectionID(rawValue: .max - lastShared)
      if sessionsByConnection[key]?.open.count ?? 0 < Self.openMax { return key }
    }
    return nil
  }

  /// Returns true when a command's connection is being closed. Its session has ended, its on-disconnect writes were
  /// executed, and its requests may be lost; its later commands must not be executed in another session.
  func ignores(_ command: Command) -> Bool {
    guard gone.contains(command.connection) else { return false }
    return switch command.action {
    case .disconnect, .endCredential, .turnsDelivered, .tick: false
    default: true
    }
  }

  /// Returns true when a connection has on-disconnect writes.
  func hasOnDisconnectWrites(_ connection: ConnectionID) -> Bool {
    sessionsByConnection[connection]?.hasOnDisconnectWrites ?? false
  }

  /// Records the answer to a request.
  ///
  /// - Returns: The command, unless it was answered before; and the commands of its connection that no longer have to
  ///   wait.
  mutating func answered(_ ticket: UInt64) -> (command: Command?, next: [Command])? {
    guard let request = pendingRequests.removeValue(forKey: ticket) else { return nil }
    sessionsByConnection[request.sessionKey]?.open.remove(ticket)
    guard let forwarded = sessionsByConnection[request.sessionKey], !forwarded.waiting.isEmpty,
      forwarded.open.count < Self.openMax / 2
    else {
      return (request.command, [])
    }
    sessionsByConnection[request.sessionKey]?.waiting = []
    waitingCount -= forwarded.waiting.count
    return (request.command, forwarded.waiting)
  }

  /// Removes and returns the overdue one-off requests, in their order, to be answered now. The owner may still answer
  /// them.
  ///
  /// - Parameter now: The time on the monotonic clock.
  /// - Returns: The overdue commands, and whether others still wait.
  mutating func takeOverdue(atMilliseconds now: Int64) -> (overdue: [Command], othersWait: Bool) {
    let waiting = pendingRequests.filter { $0.value.command?.isOneOff ?? false }
    let overdue = waiting.filter { now - $0.value.sentAtMilliseconds >= Self.oneOffTimeoutMilliseconds }
    for ticket in overdue.keys { pendingRequests[ticket]?.command = nil }
    return (overdue.sorted { $0.key < $1.key }.compactMap(\.value.command), waiting.count > overdue.count)
  }

  /// Removes an ended connection, with its requests.
  ///
  /// - Returns: Its session; nil when it has none.
  mutating func end(_ connection: ConnectionID) -> UInt64? {
    gone.remove(connection)
    guard let forwarded = sessionsByConnection.removeValue(forKey: connection) else { return nil }
    connections[forwarded.session] = nil
    waitingCount -= forwarded.waiting.count
    for ticket in forwarded.open { pendingRequests[ticket] = nil }
    return forwarded.session
  }

  /// Removes a session that ended while its connection was open; the caller closes the connection.
  ///
  /// - Returns: The session's connection, nil for one shared by one-off requests; and the commands that were unanswered
  ///   or not sent yet, in their order.
  mutating func lost(_ session: UInt64) -> (connection: ConnectionID?, unanswered: [Command], unsent: [Command])? {
    guard let connection = connections.removeValue(forKey: session),
      let forwarded = sessionsByConnection.removeValue(forKey: connection)
    else { return nil }
    waitingCount -= forwarded.waiting.count
    let unanswered = forwarded.open.sorted().compactMap { pendingRequests.removeValue(forKey: $0)?.command }
    let isShared = connection.rawValue > .max - UInt64(Self.sharedSessions)
    if !isShared { gone.insert(connection) }
    return (isShared ? nil : connection, unanswered, forwarded.waiting)
  }

  /// Ends all sessions. Request numbers continue: a late answer must not match a later request.
  ///
  /// - Returns: All unanswered commands, and the sessions that no longer have a connection.
  mutating func end() -> (unanswered: [Command], sessions: [UInt64]) {
    let all =
      pendingRequests.sorted { $0.key < $1.key }.compactMap(\.value.command)
      + sessionsByConnection.values.flatMap(\.waiting)
    let sessions = connections.keys.sorted()
    let lastTicket = lastTicket
    self = ForwardingQueue()
    self.lastTicket = lastTicket
    return (all, sessions)
  }
}
