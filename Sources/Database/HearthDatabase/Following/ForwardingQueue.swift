import HearthEngine

/// What a following database has asked its owner, and what waits to be asked: a value, used on the deciding queue.
///
/// All commands of a connection stay in their order. One with as many open questions as it may have waits with whatever it
/// wants next, also with what could be decided here.
struct ForwardingQueue: Sendable {
  /// Questions of one session that are not answered. The owner keeps as many for each, and takes no more.
  static let openMax = 512
  /// Sessions of this database for requests that belong to no connection, such as those over HTTP.
  static let sharedSessions = 16

  private struct Seat {
    var session: UInt64
    var open: Set<UInt64> = []
    var waiting: [Command] = []
    /// True when something is to be done at its end, so that the owner must know who it is.
    var wantsEnd = false
  }

  /// A question under way.
  private struct Question {
    /// Nil when whoever asked was told that nobody knows: the owner has not answered yet.
    var command: Command?
    var seat: ConnectionID
    var askedAtMilliseconds: Int64
  }

  /// The time that a request that belongs to no connection waits for the owner: longer than a failover of the store
  /// takes. Clients with a connection go on waiting, as they do without a network.
  private static let patienceMilliseconds: Int64 = 60_000

  private var seats: [ConnectionID: Seat] = [:]
  private var connections: [UInt64: ConnectionID] = [:]
  /// Connections whose session was ended by others: they are being let go.
  private var gone: Set<ConnectionID> = []
  private var questions: [UInt64: Question] = [:]
  private var lastTicket: UInt64 = 0
  private var lastShared: UInt64 = 0
  /// Commands that wait for their connection's turn, of all connections.
  private(set) var waitingCount = 0

  /// Questions under way.
  var openCount: Int { questions.count }

  /// Returns true when a command has to wait because its connection has too many questions open, or already waits; it is
  /// kept then.
  mutating func holdsBack(_ command: Command) -> Bool {
    guard !command.isOneOff, let seat = seats[command.connection],
      !seat.waiting.isEmpty || seat.open.count >= Self.openMax
    else { return false }
    seats[command.connection]?.waiting.append(command)
    waitingCount += 1
    return true
  }

  /// The session that a command is asked in, which may be a new one, and the ticket of the question.
  ///
  /// - Parameters:
  ///   - now: on the monotonic clock.
  ///   - makeSession: draws a number that no session has.
  /// - Returns: `isNew` when the owner must be told first that it begins; nil when all seats for it are taken.
  mutating func ask(
    _ command: Command, atMilliseconds now: Int64, makeSession: () -> UInt64
  ) -> (session: UInt64, ticket: UInt64, isNew: Bool)? {
    guard let seat = seat(for: command) else { return nil }
    let isNew = seats[seat] == nil
    var session = seats[seat]?.session ?? makeSession()
    // Another one of this node's cannot have it, or answers would go astray.
    while isNew, session == 0 || connections[session] != nil { session = makeSession() }
    if isNew {
      seats[seat] = Seat(session: session)
      connections[session] = seat
    }
    lastTicket += 1
    seats[seat]?.open.insert(lastTicket)
    if case .onDisconnect = command.action { seats[seat]?.wantsEnd = true }
    questions[lastTicket] = Question(command: command, seat: seat, askedAtMilliseconds: now)
    return (session, lastTicket, isNew)
  }

  /// Returns the place where a command's session is kept: requests of nobody share a few.
  private mutating func seat(for command: Command) -> ConnectionID? {
    guard command.isOneOff else { return command.connection }
    for _ in 0..<Self.sharedSessions {
      lastShared = (lastShared + 1) % UInt64(Self.sharedSessions)
      // No connection has such a number: those count from the low bits up.
      let seat = ConnectionID(rawValue: .max - lastShared)
      if seats[seat]?.open.count ?? 0 < Self.openMax { return seat }
    }
    return nil
  }

  /// Returns true when a command is of a connection that is being let go. Its session is over, with what was to be done at
  /// its end, and what it asked may be lost; what it has sent since would come behind that, in a session that nobody wanted.
  func ignores(_ command: Command) -> Bool {
    guard gone.contains(command.connection) else { return false }
    return switch command.action {
    case .disconnect, .endCredential, .turnsTold, .tick: false
    default: true
    }
  }

  /// Returns true when something was asked to be done at a connection's end.
  func wantsEnd(_ connection: ConnectionID) -> Bool { seats[connection]?.wantsEnd ?? false }

  /// A question was answered.
  ///
  /// - Returns: what was asked, unless somebody was told already; and what of its connection may go on now.
  mutating func answered(_ ticket: UInt64) -> (command: Command?, next: [Command])? {
    guard let question = questions.removeValue(forKey: ticket) else { return nil }
    seats[question.seat]?.open.remove(ticket)
    guard let seat = seats[question.seat], !seat.waiting.isEmpty, seat.open.count < Self.openMax / 2 else {
      return (question.command, [])
    }
    seats[question.seat]?.waiting = []
    waitingCount -= seat.waiting.count
    return (question.command, seat.waiting)
  }

  /// Requests of no connection that have waited too long, in their order; they are told now. Their questions stay open.
  ///
  /// - Parameter now: on the monotonic clock.
  /// - Returns: also whether others still wait.
  mutating func takeOverdue(atMilliseconds now: Int64) -> (overdue: [Command], othersWait: Bool) {
    let waiting = questions.filter { $0.value.command?.isOneOff ?? false }
    let overdue = waiting.filter { now - $0.value.askedAtMilliseconds >= Self.patienceMilliseconds }
    for ticket in overdue.keys { questions[ticket]?.command = nil }
    return (overdue.sorted { $0.key < $1.key }.compactMap(\.value.command), waiting.count > overdue.count)
  }

  /// A connection has ended: its questions are of no interest any more.
  ///
  /// - Returns: its session, when it has one.
  mutating func end(_ connection: ConnectionID) -> UInt64? {
    gone.remove(connection)
    guard let seat = seats.removeValue(forKey: connection) else { return nil }
    connections[seat.session] = nil
    waitingCount -= seat.waiting.count
    for ticket in seat.open { questions[ticket] = nil }
    return seat.session
  }

  /// A session was ended by others than its connection, which is to be let go and is gone until its end.
  ///
  /// - Returns: the connection that it was of, nil for one of requests of nobody; and the commands that had no answer or
  ///   were not asked yet, in their order.
  mutating func lost(_ session: UInt64) -> (connection: ConnectionID?, unanswered: [Command], unasked: [Command])? {
    guard let connection = connections.removeValue(forKey: session),
      let seat = seats.removeValue(forKey: connection)
    else { return nil }
    waitingCount -= seat.waiting.count
    let unanswered = seat.open.sorted().compactMap { questions.removeValue(forKey: $0)?.command }
    let isShared = connection.rawValue > .max - UInt64(Self.sharedSessions)
    if !isShared { gone.insert(connection) }
    return (isShared ? nil : connection, unanswered, seat.waiting)
  }

  /// Everything is over. Numbers of questions go on: an answer to one of these is none to one that comes later.
  ///
  /// - Returns: all commands that had no answer, and the sessions that nobody holds any more.
  mutating func end() -> (unanswered: [Command], sessions: [UInt64]) {
    let all = questions.sorted { $0.key < $1.key }.compactMap(\.value.command) + seats.values.flatMap(\.waiting)
    let sessions = connections.keys.sorted()
    let lastTicket = lastTicket
    self = ForwardingQueue()
    self.lastTicket = lastTicket
    return (all, sessions)
  }
}
