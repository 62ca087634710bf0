import HearthEngine
import HearthTree

/// Watches an engine from outside: the commands that go in, the records it would make durable, the effects that come
/// out. It keeps everything a second time, in a plain and slow way, and says where the engine breaks its word:
///
/// * no event reaches a listener whose permission, at the commit it tells of, is gone, nor one that does not listen;
/// * what a listener holds is at all times what is in the tree;
/// * a listen is cancelled only when its permission is gone, and at once (where time took it: within the interval);
/// * a credential that ended is announced before its cancellations.
struct SimulationChecker {
  struct Violation: Error, CustomStringConvertible {
    var description: String
  }

  private struct Client {
    var isSignedIn = false
    var user: SimulationUser?
    var deadline: Int64?
    var listens: [String: Listen] = [:]
  }

  private struct Listen {
    var replica: SimulationTree
    var deniedSince: Int64?
  }

  private let limits: EngineLimits
  private(set) var tree = SimulationTree()
  private(set) var rules: SimulationRules
  private(set) var position: Int64
  private var clients: [ConnectionID: Client] = [:]
  private var now = Instant(wallMilliseconds: 0, monotonicMilliseconds: 0)
  /// The listen that the step under way asks for, and what was sent for it.
  private var asked: (connection: ConnectionID, path: String, replica: SimulationTree?)?
  /// The connection whose credential the step under way ends.
  private var revoked: ConnectionID?
  private(set) var eventCount = 0
  private(set) var cancelCount = 0

  init(rules: SimulationRules, position: Int64, limits: EngineLimits) {
    self.rules = rules
    self.position = position
    self.limits = limits
  }

  /// Follows one step: a single command, so that there is one moment to judge by.
  mutating func check(_ step: SimulationStep, _ batch: Batch, at instant: Instant) throws {
    now = instant
    // What time itself does comes before the command.
    let timely = batch.effects.prefix(while: isTimely)
    for effect in timely { try follow(effect) }
    try requireNobodyDue()
    try follow(step.command)
    if let rules = step.rules, !batch.payload.isEmpty { self.rules = rules }
    try apply(batch.payload)
    guard batch.state.position == position else { throw broken("position \(batch.state.position) is not \(position)") }
    for effect in batch.effects.dropFirst(timely.count) { try follow(effect) }
    try settle()
  }

  private func broken(_ text: String) -> Violation { Violation(description: "at position \(position): \(text)") }

  private func isTimely(_ effect: Effect) -> Bool {
    switch effect {
    case .authenticationEnded(let connection): clients[connection].map(isDue) ?? false
    case .cancel(_, _, .expiry), .cancel(_, _, .clock): true
    case .denied(let denial): [.cancellation(.expiry), .cancellation(.clock)].contains(denial.operation)
    default: false
    }
  }

  // MARK: What goes in

  private func isDue(_ client: Client) -> Bool { client.deadline.map { $0 <= now.monotonicMilliseconds } ?? false }

  private func requireNobodyDue() throws {
    for (connection, client) in clients where isDue(client) {
      throw broken("the credential of \(connection) ended, and nobody said so")
    }
  }

  private mutating func end(_ connection: ConnectionID) throws {
    guard let client = clients[connection], isDue(client) || revoked == connection else {
      throw broken("the credential of \(connection) has not ended")
    }
    revoked = nil
    clients[connection]?.isSignedIn = false
    clients[connection]?.user = nil
    clients[connection]?.deadline = nil
  }

  private mutating func follow(_ command: Command) throws {
    asked = nil
    revoked = nil
    let connection = command.connection
    switch command.action {
    case .connect: if clients[connection] == nil { clients[connection] = Client() }
    case .disconnect: clients[connection] = nil
    case .authenticate(let identity):
      clients[connection]?.isSignedIn = true
      clients[connection]?.user = Self.user(identity)
      clients[connection]?.deadline = identity.deadlineMonotonicMilliseconds
    case .unauthenticate:
      clients[connection]?.isSignedIn = false
      clients[connection]?.user = nil
      clients[connection]?.deadline = nil
    case .listen(let path, _): asked = (connection, path.description, nil)
    case .unlisten(let path): clients[connection]?.listens[path.description] = nil
    case .endCredential: if clients[connection]?.isSignedIn == true { revoked = connection }
    case .get, .write, .transact, .deployRules, .tick: break
    }
  }

  private static func user(_ identity: Identity) -> SimulationUser? {
    if identity.isAdministrator { return SimulationUser(uid: "", level: 0, isAdministrator: true) }
    guard let uid = identity.uid, case .int(let level)? = identity.auth?["token"]?["level"] else { return nil }
    return SimulationUser(uid: uid, level: Int(level))
  }

  private mutating func apply(_ payload: [UInt8]) throws {
    for record in try CommitRecord.decode(payload) {
      position += 1
      guard case .changes(let changes) = record.content else { continue }
      for change in changes {
        let keys = change.location.path.keys.map(\.text) + (change.location.isPriority ? [".priority"] : [])
        tree.replace(keys, with: SimulationTree(change.node))
      }
    }
  }

  // MARK: What comes out

  private mutating func follow(_ effect: Effect) throws {
    switch effect {
    case .event(let event, let recipients):
      guard event.position == position else { throw broken("an event tells of position \(event.position)") }
      guard Set(recipients).count == recipients.count else { throw broken("a recipient is named twice") }
      for connection in recipients { try deliver(event, to: connection) }
    case .cancel(let connection, let path, _):
      guard clients[connection]?.listens.removeValue(forKey: path.description) != nil else {
        throw broken("\(connection) was cancelled at \(path), where it does not listen")
      }
      guard !isAllowed(connection, path.description) else { throw broken("\(connection) may still read \(path)") }
      cancelCount += 1
    case .reply(let connection, _, let reply): try answer(connection, reply)
    case .authenticationEnded(let connection): try end(connection)
    case .denied: break
    }
  }

  private mutating func deliver(_ event: Event, to connection: ConnectionID) throws {
    let path = event.path.keys.map(\.text)
    eventCount += 1
    if let asked, asked.connection == connection, asked.path == event.path.description {
      guard case .put(let node) = event.change else { throw broken("a first value is no put") }
      self.asked?.replica = SimulationTree(node)
      return
    }
    guard let client = clients[connection] else { throw broken("\(connection) is gone and gets \(event.path)") }
    var isCovered = false
    for (name, listen) in client.listens {
      let place = Self.keys(name)
      if path.starts(with: place), isAllowed(connection, name) { isCovered = true }
      var replica = listen.replica
      Self.apply(event, at: path, to: &replica, of: place)
      clients[connection]?.listens[name]?.replica = replica
    }
    guard isCovered else { throw broken("\(connection) gets \(event.path), which it may not read") }
  }

  private static func keys(_ name: String) -> [String] { name.split(separator: "/").map(String.init) }

  private static func apply(
    _ event: Event, at path: [String], to replica: inout SimulationTree, of place: [String]
  ) {
    switch event.change {
    case .put(let node): replace(path, with: node, in: &replica, of: place)
    case .merge(let entries):
      for entry in entries { replace(path + entry.path.keys.map(\.text), with: entry.node, in: &replica, of: place) }
    }
  }

  /// A listener further up on the same connection may be told for one further down, as clients expect.
  private static func replace(
    _ path: [String], with node: Node, in replica: inout SimulationTree, of place: [String]
  ) {
    if path.starts(with: place) {
      replica.replace(Array(path.dropFirst(place.count)), with: SimulationTree(node))
    } else if place.starts(with: path) {
      replica = SimulationTree(node)[Array(place.dropFirst(path.count))]
    }
  }

  private mutating func answer(_ connection: ConnectionID, _ reply: Reply) throws {
    guard let asked, asked.connection == connection, clients[connection] != nil else { return }
    if case .ok = reply {
      guard isAllowed(connection, asked.path) else { throw broken("\(connection) may not listen to \(asked.path)") }
      let replica = asked.replica ?? tree[asked.path]
      clients[connection]?.listens[asked.path] = Listen(replica: replica)
    } else {
      guard asked.replica == nil else { throw broken("\(connection) was refused \(asked.path) and got a value") }
      guard !isAllowed(connection, asked.path) else { throw broken("\(connection) may listen to \(asked.path)") }
      clients[connection]?.listens[asked.path] = nil
    }
  }

  /// After a step: nobody listens who may not, and everybody holds what is there.
  private mutating func settle() throws {
    try requireNobodyDue()
    if let revoked { throw broken("the credential of \(revoked) was revoked, and nobody said so") }
    for (connection, client) in clients {
      for (name, listen) in client.listens {
        guard listen.replica == tree[name] else { throw broken("\(connection) holds something else at \(name)") }
        if isAllowed(connection, name) {
          clients[connection]?.listens[name]?.deniedSince = nil
          continue
        }
        let since = listen.deniedSince ?? now.monotonicMilliseconds
        clients[connection]?.listens[name]?.deniedSince = since
        let isLate = now.monotonicMilliseconds - since >= limits.clockIntervalMilliseconds
        guard rules.looksAtTime(Self.keys(name)), !isLate else {
          throw broken("\(connection) still listens to \(name)")
        }
      }
    }
  }

  private func isAllowed(_ connection: ConnectionID, _ name: String) -> Bool {
    rules.allows(
      Self.keys(name), tree, clients[connection]?.user, wallMilliseconds: now.wallMilliseconds)
  }
}
