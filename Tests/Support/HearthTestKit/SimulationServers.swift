import HearthEngine
import HearthRules
import HearthTree
import RandomTestKit

/// Two servers instead of one: a ``Simulation``'s connections are on the first, and the second decides their requests,
/// which it receives as bytes. All results of a request have one position. Apart from positions the results must equal
/// those of one server.
struct SimulationServers {
  private let limits: EngineLimits
  /// The engine of the server with the connections.
  private var edge: Engine
  private var owner: ChangeDecider
  private var random: SeededRandom
  private var requestCount: UInt64 = 0
  /// The number of ownership changes.
  private(set) var ownerCount = 0

  init(seed: UInt64, state: DatabaseState, limits: EngineLimits) {
    self.limits = limits
    edge = Engine(following: state, limits: limits)
    owner = ChangeDecider(state: state, limits: limits)
    random = SeededRandom(seed: seed)
  }

  /// Repeats a step of the other engine.
  mutating func check(_ command: Command, _ batch: Batch, at now: Instant) throws {
    if random.isOne(in: 20) {
      owner = ChangeDecider(state: edge.state, limits: limits)
      ownerCount += 1
    }
    var (effects, reply) = (
      try act(Command(connection: ConnectionID(rawValue: 0), action: .tick), at: now), Reply?.none
    )
    let isKnown = edge.connectionIDs.contains(command.connection)
    switch command.action {
    case .write(let operation):
      reply = try change(.write(operation), command, at: now, &effects)
    case .onDisconnect(let onDisconnect) where isKnown:
      reply = try change(.onDisconnect(onDisconnect), command, at: now, &effects)
    case .cancelOnDisconnect(let location) where isKnown:
      reply = try change(.cancelOnDisconnect(location), command, at: now, &effects)
    case .deployRules(let rules):
      reply = try change(.deployRules(rules.source), command, at: now, &effects)
    case .authenticate(let principal) where isKnown:
      _ = try change(.authenticate, command, as: principal, at: now, &effects)
      effects += try act(command, at: now)
    case .unauthenticate where isKnown:
      _ = try change(.authenticate, command, as: .signedOut, at: now, &effects)
      effects += try act(command, at: now)
    case .disconnect where isKnown:
      effects += try act(command, at: now)
      effects += try end(command.connection.rawValue, at: now)
    default: effects += try act(command, at: now)
    }
    let lines = effects.flatMap { $0.followedLines(showsPositions: false) }
    let expected = batch.effects.flatMap { $0.followedLines(showsPositions: false) }
    guard lines == expected else { throw violation("two servers tell\n\(lines)\ninstead of\n\(expected)") }
    if let reply { try require(reply, for: command, among: batch.effects) }
    try require(batch.state)
  }

  /// Restarts the server with the connections and makes another one the owner. On-disconnect writes are executed.
  mutating func checkStart(_ state: DatabaseState, at now: Instant) throws {
    edge = Engine(following: edge.state, limits: limits)
    owner = ChangeDecider(state: edge.state, limits: limits)
    for key in edge.state.sessions.tree.children.map(\.key) { _ = try end(UInt64(key.text) ?? 0, at: now) }
    try require(state)
  }

  // MARK: Messages between the servers

  /// Executes a command on the server with the connections. Ended credentials are reported to the owner.
  private mutating func act(_ command: Command, at now: Instant) throws -> [Effect] {
    let effects = edge.decide([command], at: now).effects
    for case .authenticationEnded(let connection) in effects {
      var ignored: [Effect] = []
      let signedOut = Command(connection: connection, action: .unauthenticate)
      _ = try change(.authenticate, signedOut, as: .signedOut, at: now, &ignored)
      guard ignored.isEmpty else { throw violation("the end of a credential has the effects \(ignored)") }
    }
    return effects
  }

  private mutating func change(
    _ action: ForwardedChange.Action, _ command: Command, as principal: Principal? = nil, at now: Instant,
    _ effects: inout [Effect]
  ) throws -> Reply {
    guard let principal = principal ?? edge.principal(of: command) else { throw violation("\(command) is nobody's") }
    if random.isOne(in: 4) { try note(at: now) }
    let change = ForwardedChange(action, as: principal, from: .publicNetwork, showsResult: true)
    let (session, position) = (command.connection.rawValue, edge.state.position + 1)
    let decided = owner.decide(try ForwardedChange(encoded: change.encoded), of: session, at: position, now)
    if let content = decided.content {
      requestCount += 1
      let cause = CommitRecord.JointCause.request(session: session, request: requestCount, answered: requestCount - 1)
      effects += try follow(content, of: cause, at: now)
    }
    return try Reply(forwarded: decided.reply.forwarded)
  }

  private mutating func end(_ session: UInt64, at now: Instant) throws -> [Effect] {
    let hasOnDisconnectWrites = !edge.state.sessions.tree.child(Key("\(session)")).isEmpty
    let content = owner.end(session, at: edge.state.position + 1, now).content
    guard hasOnDisconnectWrites == !content.isEmpty else {
      throw violation("the end of \(session) has \(content.count) bytes")
    }
    return try follow(content, of: .end(session: session), at: now)
  }

  private mutating func follow(
    _ content: [UInt8], of cause: CommitRecord.JointCause, at now: Instant
  ) throws -> [Effect] {
    var payload: [UInt8] = []
    CommitRecord(wallMilliseconds: 0, content: .joint(try CommitRecord.decode(content), of: cause)).append(to: &payload)
    let position = edge.state.position + 1
    return try edge.follow(payload, firstPosition: position, lastPosition: position, at: now).effects
  }

  /// Appends a note record (a record without changes), which must have no effects.
  private mutating func note(at now: Instant) throws {
    var payload: [UInt8] = []
    CommitRecord(wallMilliseconds: 0, content: .note([8])).append(to: &payload)
    let position = edge.state.position + 1
    let effects = try edge.follow(payload, firstPosition: position, lastPosition: position, at: now).effects
    guard effects.isEmpty else { throw violation("a note has the effects \(effects)") }
  }

  // MARK: Comparison

  private func require(_ reply: Reply, for command: Command, among effects: [Effect]) throws {
    var expected: Reply?
    for case .reply(_, _, let found) in effects { expected = found }
    guard let expected, reply.isSame(as: expected, to: command) else {
      throw violation("two servers answer \(reply) instead of \(String(describing: expected))")
    }
  }

  private func require(_ state: DatabaseState) throws {
    for own in [edge.state, owner.state] {
      let isSame =
        own.root == state.root && own.root.json(.export) == state.root.json(.export)
        && own.sessions.tree.withoutOrder == state.sessions.tree.withoutOrder && own.storedRules == state.storedRules
      guard isSame else { throw violation("two servers have another state: \(own) instead of \(state)") }
    }
  }

  private func violation(_ text: String) -> SimulationChecker.Violation {
    SimulationChecker.Violation(description: text)
  }
}

extension Reply {
  /// Returns true when both replies to a command are the same in the parts that show its writes.
  fileprivate func isSame(as other: Reply, to command: Command) -> Bool {
    switch (self, other) {
    case (.ok, .ok), (.stale, .stale): return true
    case (.failure(let one), .failure(let two)): return one == two
    case (.written(let one), .written(let two)):
      guard case .write(let operation) = command.action else { return false }
      switch operation.change {
      case .put(let location, _): return location.isSame(in: one, two, from: location.path)
      case .merge(let path, let writes):
        return writes.allSatisfy { $0.location.under(path).isSame(in: one, two, from: path) }
      }
    default: return false
    }
  }
}

extension Location {
  /// Returns true when two trees are the same at a location.
  ///
  /// - Parameter base: The path of their roots.
  fileprivate func isSame(in one: Node, _ two: Node, from base: Path) -> Bool {
    guard let below = base.relative(path) else { return false }
    return isPriority ? one[below].priority == two[below].priority : one[below] == two[below]
  }
}

extension Node {
  /// The sessions without their write sequence numbers, which a new owner counts from the beginning.
  fileprivate var withoutOrder: Node {
    children.reduce(self) { node, child in
      let isWrite = child.key == ".write"
      let bare = isWrite ? child.node.replacing(Path("order"), with: .empty) : child.node.withoutOrder
      return node.replacing(Path([child.key]), with: bare)
    }
  }
}
