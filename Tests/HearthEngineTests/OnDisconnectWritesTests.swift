import HearthRules
import HearthTree
import RandomTestKit
import Testing

@testable import HearthEngine
@testable import HearthTestKit

/// A slow model of clients' pending on-disconnect writes: a value, or children by key.
private final class PendingModel {
  var value: SimulationTree?
  var children: [String: PendingModel] = [:]

  func remember(_ path: ArraySlice<String>, _ tree: SimulationTree) {
    guard let key = path.first else {
      (value, children) = (tree, [:])
      return
    }
    if value != nil {
      value?.replace(Array(path), with: tree)
    } else {
      let child = children[key] ?? PendingModel()
      children[key] = child
      child.remember(path.dropFirst(), tree)
    }
  }

  /// Removes the writes at and below a path.
  ///
  /// - Returns: True when none are left.
  func forget(_ path: ArraySlice<String>) -> Bool {
    guard let key = path.first else { return true }
    if var tree = value {
      if tree.scalar != nil {
        if path == [".priority"] { tree.priority = nil }
        value = tree
        return false
      }
      value = nil
      for (name, child) in tree.children { remember([name], child) }
      if let priority = tree.priority {
        var leaf = SimulationTree()
        leaf.scalar = priority
        remember([".priority"], leaf)
      }
    }
    if let child = children[key], child.forget(path.dropFirst()) { children[key] = nil }
    return children.isEmpty
  }

  var entries: [String: SimulationTree] {
    if let value { return ["": value] }
    var found: [String: SimulationTree] = [:]
    for (key, child) in children {
      for (path, tree) in child.entries { found["/" + key + path] = tree }
    }
    return found
  }
}

@Suite struct OnDisconnectWritesTests {
  private static let now: Int64 = 777

  @Test(arguments: 0..<8)
  func `operations agree with the client's model, also after encoding`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var (tree, model, order) = (Node.empty, PendingModel(), Int64(0))
    var replayed = OnDisconnectSessions()
    let path = OnDisconnectSessions.path(of: ConnectionID(rawValue: 5)).appending(OnDisconnectSessions.writesKey)
    for _ in 0..<250 {
      var writes = OnDisconnectWrites(tree)
      let location = place(&random)
      let keys = location.eventKeys.map(\.text)
      if random.isOne(in: 4) {
        try writes.cancel(location, countMax: 1_000)
        if model.forget(keys[...]) { model = PendingModel() }
      } else {
        let value = location.isPriority ? self.priority(&random) : self.value(&random, depth: 3)
        writes.put(location, value, order: order)
        order += 1
        model.remember(keys[...], SimulationTree(value.resolved(existing: .empty, nowMilliseconds: Self.now)))
      }
      tree = writes.tree
      // Replaying the journal's record gives the same state.
      var bytes: [UInt8] = []
      CommitRecord(wallMilliseconds: 1, content: .sessions(writes.changes.map { ($0.location.under(path), $0.node) }))
        .append(to: &bytes)
      guard case .sessions(let changes) = try #require(try CommitRecord.decode(bytes).first).content else { return }
      replayed.apply(changes)
      try #require(replayed.writes(of: ConnectionID(rawValue: 5)).tree == tree)
      try #require(entries(writes) == model.entries)
      try #require(count(writes) == count(OnDisconnectWrites(replayed.tree[path])))
    }
    #expect(order > 120)
  }

  private func entries(_ writes: OnDisconnectWrites) -> [String: SimulationTree] {
    var found: [String: SimulationTree] = [:]
    for entry in writes.entries {
      let name = entry.location.eventKeys.map { "/" + $0.text }.joined()
      let node = entry.value.resolved(existing: .empty, nowMilliseconds: Self.now)
      #expect(found.updateValue(SimulationTree(node), forKey: name) == nil)
    }
    return found
  }

  private func count(_ writes: OnDisconnectWrites) -> Int {
    writes.entries.reduce(0) { $0 + 1 + $1.value.deferred.count }
  }

  @Test(arguments: 0..<4)
  func `the number of writes and server values is kept up`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var (tree, total) = (Node.empty, 0)
    for order in 0..<400 {
      var writes = OnDisconnectWrites(tree)
      let location = place(&random)
      if random.isOne(in: 3) {
        try writes.cancel(location, countMax: 1_000)
      } else {
        writes.put(
          location, location.isPriority ? priority(&random) : value(&random, depth: 2), order: Int64(order))
      }
      total += writes.addedCount
      tree = writes.tree
      try #require(total == count(writes))
    }
  }

  private func place(_ random: inout SeededRandom) -> Location {
    let keys = (0..<random.below(4)).map { _ in Key(random.pick(["a", "b", "7", "e\u{301}"])) }
    return Location(path: Path(keys), isPriority: random.isOne(in: 6))
  }

  private func priority(_ random: inout SeededRandom) -> WriteValue {
    switch random.below(4) {
    case 0: WriteValue(.empty)
    case 1: deferred(.timestamp)
    default: WriteValue(Node(.int(Int64(random.below(3)))))
    }
  }

  private func deferred(_ operation: WriteValue.Operation) -> WriteValue {
    let place = Location(path: .root)
    return WriteValue(Node(.int(0)), deferred: [WriteValue.Deferred(location: place, operation: operation)])
  }

  private func value(_ random: inout SeededRandom, depth: Int) -> WriteValue {
    switch random.below(depth == 0 ? 5 : 8) {
    case 0: return WriteValue(.empty)
    case 1: return deferred(.timestamp)
    case 2: return deferred(.increment(.double(Double(random.below(9)) + 0.5)))
    case 3: return WriteValue(Node(.string("x"), priority: .int(3)))
    case 4: return WriteValue(Node(.bool(false)))
    default:
      var (node, deferred): (Node, [WriteValue.Deferred]) = (.empty, [])
      for key in ["a", "b", "7"] where random.isOne(in: 2) {
        let part = value(&random, depth: depth - 1)
        node = node.replacing(Path(key), with: part.node)
        deferred += part.deferred.map {
          WriteValue.Deferred(location: $0.location.under(Path(key)), operation: $0.operation)
        }
      }
      let priority = priority(&random)
      if !node.isEmpty {
        node = node.with(priority: priority.node.scalar)
        let place = Location(path: .root, isPriority: true)
        deferred += priority.deferred.map { WriteValue.Deferred(location: place, operation: $0.operation) }
      }
      return WriteValue(node, deferred: deferred, depth: node.isEmpty ? 0 : depth)
    }
  }

  @Test func `a value that would be split into too many writes is left unchanged`() throws {
    var writes = OnDisconnectWrites(.empty)
    var node = Node.empty
    for number in 0..<10 { node = node.replacing(Key("k\(number)"), with: Node(.int(1))) }
    writes.put(Location(path: Path("a")), WriteValue(node, depth: 1), order: 0)
    let before = writes.tree
    #expect(throws: Failure.tooManyOnDisconnects) {
      try writes.cancel(Location(path: Path("a/k1")), countMax: 5)
    }
    #expect(writes.tree == before)
    try writes.cancel(Location(path: Path("a/k1")), countMax: 11)
    #expect(writes.entries.count == 9)
  }

  @Test func `a small change of a large onDisconnect write is a small record`() throws {
    var engine = Engine(
      state: DatabaseState(root: .empty, rules: try RuleSet.compile(#"{"rules": {".write": true}}"#), position: 0))
    var large = Node.empty
    for number in 0..<3_000 { large = large.replacing(Key("k\(number)"), with: Node(.int(1))) }
    func onDisconnectWrite(_ path: String, _ value: WriteValue) -> Batch {
      let action = Command.Action.onDisconnect(.put(Location(path: Path(path)), value))
      let command = Command(connection: ConnectionID(rawValue: 1), action: action)
      return engine.decide([command], at: Instant(wallMilliseconds: 1, monotonicMilliseconds: 1))
    }
    _ = engine.decide(
      [Command(connection: ConnectionID(rawValue: 1), action: .connect)],
      at: Instant(wallMilliseconds: 1, monotonicMilliseconds: 1))
    #expect(onDisconnectWrite("a", WriteValue(large, depth: 1)).payload.count > 10_000)
    #expect(onDisconnectWrite("a/k5", WriteValue(.empty)).payload.count < 100)
    #expect(onDisconnectWrite("a/k6", deferred(.timestamp)).payload.count < 100)
    let entries = engine.state.sessions.writes(of: ConnectionID(rawValue: 1)).entries
    #expect(entries.map(\.value.node.childCount) == [2_999])
    #expect(entries.first?.value.deferred.map(\.location.description) == ["/k6"])
  }

  @Test(arguments: ["a.b", ".write", ".info", "", ".priority"])
  func `invalid keys are refused, also from unchecked callers`(key: String) throws {
    var engine = Engine(
      state: DatabaseState(root: .empty, rules: try RuleSet.compile(#"{"rules": {".write": true}}"#), position: 0))
    let place = Location(path: Path([Key("a"), Key(key)]))
    let value = WriteValue(Node(.int(1)))
    let actions: [Command.Action] = [
      .connect, .onDisconnect(.put(place, value)), .cancelOnDisconnect(place),
      .onDisconnect(.merge(Path("b"), [Write(location: place, value: value)])),
    ]
    let commands = actions.map { Command(connection: ConnectionID(rawValue: 1), request: 1, action: $0) }
    let batch = engine.decide(commands[...], at: Instant(wallMilliseconds: 1, monotonicMilliseconds: 1))
    #expect(batch.effects.flatMap { $0.scenarioLines() } == ["1 ok"] + Array(repeating: "1 invalid-path", count: 3))
    #expect(!batch.hasCommits)
  }

  @Test func `a session stores the connection's identity, also of an administrator who acts as another user`() throws {
    // A connection without on-disconnect writes has no session.
    var writes = OnDisconnectWrites(.empty)
    writes.put(Location(path: Path("a")), WriteValue(Node(.int(1))), order: 1)
    for principal in [
      Principal.signedOut, .administrator, Principal(auth: .object([JSON.Member("uid", .string("u"))])),
      Principal(auth: .object([JSON.Member("uid", .string("u"))]), isOverridden: true),
      Principal(auth: .object([JSON.Member("uid", .string("u"))]), isOverridden: true, isReadOnly: true),
    ] {
      let session = OnDisconnectSessions.opened(by: principal, writes)
      let read = try #require(OnDisconnectSessions(Node.empty.replacing(Key("5"), with: session)).all.first?.principal)
      #expect(read.auth == principal.auth)
      #expect(read.uid == principal.uid)
      #expect(read.isAdministrator == principal.isAdministrator)
      #expect(read.isOverridden == principal.isOverridden)
      #expect(read.isReadOnly == principal.isReadOnly)
    }
  }

  @Test(arguments: 0..<4)
  func `reading a session ends for any stored bytes`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var writes = OnDisconnectWrites(.empty)
    for order in 0..<6 { writes.put(place(&random), value(&random, depth: 3), order: Int64(order)) }
    let principal = Principal(auth: .object([JSON.Member("uid", .string("u"))]), isAdministrator: true)
    var good: [UInt8] = []
    let node = Node.empty.replacing(Key("5"), with: OnDisconnectSessions.opened(by: principal, writes))
    CommitRecord(wallMilliseconds: 0, content: .sessions([(Location(path: .root), node)])).append(to: &good)
    var readCount = 0
    for _ in 0..<700 {
      var bytes = good
      for _ in 0...random.below(4) {
        bytes[4 + random.below(bytes.count - 4)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let records = try? CommitRecord.decode(bytes) else { continue }
      for record in records {
        guard case .sessions(let changes) = record.content else { continue }
        var sessions = OnDisconnectSessions()
        sessions.apply(changes)
        readCount += 1
        // Decides all on-disconnect writes, as a start does.
        var state = DatabaseState(root: .empty, rules: .denyAll, position: 0)
        state.sessions = sessions
        var engine = Engine(state: state)
        let batch = engine.decide([], at: Instant(wallMilliseconds: 1, monotonicMilliseconds: 1))
        #expect(batch.state.sessions.count == 0)
      }
    }
    #expect(readCount > 50)
  }
}
