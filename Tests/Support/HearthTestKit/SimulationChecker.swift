import HearthEngine
import HearthTree

/// Checks an engine from outside, by its commands, its durable records and its effects. It keeps a simple, slow model
/// of all state and reports violations of these requirements:
///
/// * no event reaches a listener without permission at the event's commit, or a connection without a listen;
/// * the data of a listener equals the tree at its path, or the result of its query there, at all times;
/// * a listener with a query receives a commit in one message;
/// * a listen is cancelled only when its permission is gone, and at once (after an expiry: within the interval);
/// * the end of a credential is announced before its cancellations;
/// * on-disconnect writes are executed once, also when the server ends first.
struct SimulationChecker {
  struct Violation: Error, CustomStringConvertible {
    var description: String
  }

  struct Client {
    var isSignedIn = false
    var user: SimulationUser?
    var deadline: Int64?
    var listens: [Name: Listen] = [:]
    var onDisconnectWrites = OnDisconnectModel()
  }

  /// A client's name for one of its listens.
  enum Name: Hashable {
    case path(String)
    case tag(Int32)
  }

  struct Listen {
    var path: String
    var query: Query?
    var replica: SimulationTree
    var deniedSince: Int64?
    /// The last commit that it has received.
    var notifiedPosition: Int64
  }

  /// The request of the current step, with the response data.
  struct Request {
    var connection: ConnectionID
    var path: String
    var query: Query?
    /// The name of the listen; nil for a one-off read.
    var name: Name?
    var replica: SimulationTree?
  }

  let limits: EngineLimits
  var tree = SimulationTree()
  private(set) var rules: SimulationRules
  private(set) var position: Int64
  var clients: [ConnectionID: Client] = [:]
  var now = Instant(wallMilliseconds: 0, monotonicMilliseconds: 0)
  var currentRequest: Request?
  /// The connection whose credential the current step ends.
  var revoked: ConnectionID?
  var eventCount = 0
  var cancelCount = 0
  var queryEventCount = 0
  /// The listens with a query that received the commit of the current step.
  var notified: Set<TaggedRecipient> = []
  /// The on-disconnect request of the current step.
  var currentOnDisconnect: (connection: ConnectionID, OnDisconnectRequest)?
  /// The expected tree after the current step; nil when it is not known in advance.
  var expected: SimulationTree?
  /// The records of the current step after ``position``.
  private var records: ArraySlice<CommitRecord> = []
  /// True when the current step has changed data already.
  private var hasChangedData = false
  /// True when listens may be waiting for their evaluation after a step; they then receive the same events later.
  let isSliced: Bool
  private var isPending = false
  private(set) var pendingCount = 0
  var lateCount = 0
  /// The tree at every position so far, kept while events may be late.
  private var history: [Int64: SimulationTree] = [:]
  /// True when listens with a query receive exactly the data they asked for, and no more.
  let isExact: Bool

  init(rules: SimulationRules, limits: EngineLimits, hasRoomForOrders: Bool, isSliced: Bool) {
    self.rules = rules
    position = 0
    self.limits = limits
    isExact = hasRoomForOrders
    self.isSliced = isSliced
    if isSliced { history[0] = tree }
  }

  /// Follows one step, which is a single command, so that there is one time to check against.
  ///
  /// - Parameter isPending: True when listens are still to be evaluated again after the step.
  mutating func check(_ step: SimulationStep, _ batch: Batch, at instant: Instant, isPending: Bool) throws {
    now = instant
    self.isPending = isPending
    if isPending { pendingCount += 1 }
    notified = []
    hasChangedData = false
    expected = nil
    // Effects of time precede those of the command.
    let timely = batch.effects.prefix(while: isTimely)
    for effect in timely { try follow(effect) }
    try requireNoCredentialDue()
    try follow(step.command)
    if let rules = step.rules, !batch.payload.isEmpty { self.rules = rules }
    records = try CommitRecord.decode(batch.payload)[...]
    guard batch.state.position == position + Int64(records.count) else {
      throw violation("position \(batch.state.position) does not come after \(records.count) commits")
    }
    try follow(batch.effects.dropFirst(timely.count), upTo: batch.state.position)
    try requireExpected()
    guard SimulationTree(batch.state.root) == tree else {
      throw violation("the records come to something else than \(batch.state.root)")
    }
    if isPending { try requireNoCredentialDue() } else { try settle() }
  }

  /// Follows effects, each at its own commit or at that of the next effect with one.
  private mutating func follow(_ effects: ArraySlice<Effect>, upTo last: Int64) throws {
    var positions: [Int64] = []
    for effect in effects.reversed() {
      let own = effect.position.flatMap { isSliced && $0 <= position ? nil : $0 }
      positions.append(own ?? positions.last ?? last)
    }
    for (effect, place) in zip(effects, positions.reversed()) {
      try advance(to: place)
      try follow(effect)
    }
    try advance(to: last)
  }

  /// Applies records up to a position. All listeners must have an earlier change before the next one is applied.
  private mutating func advance(to last: Int64) throws {
    var isDataChanged = false
    while position < last, let record = records.popFirst() {
      if case .changes = record.content {
        if isDataChanged || hasChangedData, !isSliced { try settle() }
        isDataChanged = true
      }
      apply(record)
      notified = []
    }
    hasChangedData = hasChangedData || isDataChanged
  }

  mutating func apply(_ record: CommitRecord) {
    position += 1
    defer { if isSliced { history[position] = tree } }
    guard case .changes(let changes) = record.content else { return }
    for change in changes {
      let keys = change.location.path.keys.map(\.text) + (change.location.isPriority ? [".priority"] : [])
      tree.replace(keys, with: SimulationTree(change.node))
    }
  }

  /// The tree that an event reflects: the present one, unless the event may be late.
  mutating func tree(of event: Event) throws -> SimulationTree {
    if event.position == position { return tree }
    guard isSliced, event.position < position, let past = history[event.position] else {
      throw violation("an event tells of position \(event.position)")
    }
    lateCount += 1
    return past
  }

  func violation(_ text: String) -> Violation { Violation(description: "at position \(position): \(text)") }

  private func isTimely(_ effect: Effect) -> Bool {
    switch effect {
    case .authenticationEnded(let connection): clients[connection].map(isDue) ?? false
    case .redecided(let redecision): [.expiry, .clock].contains(redecision.cause)
    default: false
    }
  }

  // MARK: Commands

  private func isDue(_ client: Client) -> Bool { client.deadline.map { $0 <= now.monotonicMilliseconds } ?? false }

  func requireNoCredentialDue() throws {
    for (connection, client) in clients where isDue(client) {
      throw violation("the credential of \(connection) ended without an event")
    }
  }

  mutating func end(_ connection: ConnectionID) throws {
    guard let client = clients[connection], isDue(client) || revoked == connection else {
      throw violation("the credential of \(connection) has not ended")
    }
    revoked = nil
    clients[connection]?.isSignedIn = false
    clients[connection]?.user = nil
    clients[connection]?.deadline = nil
  }

  private mutating func follow(_ command: Command) throws {
    currentRequest = nil
    revoked = nil
    currentOnDisconnect = nil
    let connection = command.connection
    switch command.action {
    case .connect: if clients[connection] == nil { clients[connection] = Client() }
    case .disconnect: leave(connection)
    case .authenticate(let principal):
      clients[connection]?.isSignedIn = true
      clients[connection]?.user = Self.user(principal)
      clients[connection]?.deadline = principal.deadlineMonotonicMilliseconds
    case .unauthenticate:
      clients[connection]?.isSignedIn = false
      clients[connection]?.user = nil
      clients[connection]?.deadline = nil
    case .listen(let request): ask(connection, request)
    case .get(let path, let query):
      currentRequest = Request(connection: connection, path: path.description, query: query)
    case .unlisten(let path, let query, let tag):
      guard let name = name(of: connection, path, query, tag) else { return }
      clients[connection]?.listens[name] = nil
    case .endCredential: if clients[connection]?.isSignedIn == true { revoked = connection }
    case .onDisconnect(let change): onDisconnect(connection, .change(change))
    case .cancelOnDisconnect(let location): onDisconnect(connection, .cancel(location))
    case .write, .transact, .barrier, .deployRules, .turnsDelivered, .tick: break
    }
  }

  private mutating func ask(_ connection: ConnectionID, _ request: ListenRequest) {
    let path = request.path.description
    let name = request.tag.map { Name.tag($0) } ?? .path(path)
    // The client's listen with this tag has ended, unless it is the same one.
    if let other = clients[connection]?.listens[name], other.path != path || other.query != request.query {
      clients[connection]?.listens[name] = nil
    }
    currentRequest = Request(connection: connection, path: path, query: request.query, name: name)
  }

  /// The name of a listen by path and query, or by an older tag.
  private func name(of connection: ConnectionID, _ path: Path, _ query: Query?, _ tag: Int32?) -> Name? {
    guard let listens = clients[connection]?.listens else { return nil }
    if let tag, listens[.tag(tag)] != nil { return .tag(tag) }
    guard let query else { return .path(path.description) }
    return listens.first { $0.value.path == path.description && $0.value.query == query }?.key
  }

  private static func user(_ principal: Principal) -> SimulationUser? {
    if principal.isAdministrator { return SimulationUser(uid: "", level: 0, isAdministrator: true) }
    guard let uid = principal.uid, case .int(let level)? = principal.auth?["token"]?["level"] else { return nil }
    return SimulationUser(uid: uid, level: Int(level))
  }
}

extension Effect {
  /// The commit that the effect belongs to; nil when it states none.
  fileprivate var position: Int64? {
    switch self {
    case .event(let event, _), .queryEvent(let event, _): event.position
    case .redecided(let redecision): redecision.position
    case .reply, .authenticationEnded, .denied: nil
    }
  }
}
