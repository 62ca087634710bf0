import HearthRules
import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthEngine

/// Tests of an engine that follows commits. ``SimulationTests`` show that its listeners receive the same events as
/// those of the deciding engine.
@Suite struct FollowTests {
  private static let open = #"{"rules": {".read": true, ".write": true}}"#
  private static let one = ConnectionID(rawValue: 1)

  private func state(_ rules: String = open, _ root: Node = .empty) throws -> DatabaseState {
    DatabaseState(root: root, rules: try RuleSet.compile(rules), position: 0)
  }

  private static func at(_ milliseconds: Int64) -> Instant {
    Instant(wallMilliseconds: milliseconds, monotonicMilliseconds: milliseconds)
  }

  private static func changes(_ places: [(String, Int64?)], mergeDepth: Int? = nil) -> CommitRecord {
    CommitRecord(
      wallMilliseconds: 5, mergeDepth: mergeDepth,
      content: .changes(
        places.map { (Location(path: Path($0.0)), $0.1.map { Node(.int($0)) } ?? .empty) }))
  }

  private static func payload(_ records: [CommitRecord]) -> [UInt8] { records.reduce(into: []) { $1.append(to: &$0) } }

  /// Returns a following engine with one listener.
  private func follower(_ rules: String = open, _ root: Node = .empty, at path: String = "") throws -> Engine {
    var engine = Engine(following: try state(rules, root))
    let actions: [Command.Action] = [.connect, .listen(ListenRequest(Path(path)))]
    _ = engine.decide(actions.map { Command(connection: Self.one, request: 1, action: $0) }[...], at: Self.at(0))
    return engine
  }

  private func lines(_ batch: Batch) -> [String] { batch.effects.flatMap { $0.scenarioLines(showsReceipts: false) } }

  @Test func `followed commits are delivered in order, and known ones are skipped`() throws {
    var engine = try follower()
    let payload = Self.payload([Self.changes([("a", 1)]), Self.changes([("b", 2)])])
    var batch = try engine.follow(payload, firstPosition: 1, lastPosition: 2, at: Self.at(9))
    #expect(lines(batch) == ["1 < put /a 1", "1 < put /b 2"])
    #expect(batch.payload.isEmpty && batch.commandCount == 0 && batch.state.position == 2)
    let again = payload + Self.payload([Self.changes([("a", nil)])])
    batch = try engine.follow(again, firstPosition: 1, lastPosition: 3, at: Self.at(9))
    #expect(lines(batch) == ["1 < put /a null"])
    #expect(engine.state.position == 3 && engine.state.root == Node.empty.replacing(Path("b"), with: Node(.int(2))))
    #expect(try engine.follow(again, firstPosition: 1, lastPosition: 3, at: Self.at(9)).effects.isEmpty)
  }

  @Test(arguments: UInt64(1)...40)
  func `without listeners, merged commits have the result of single ones`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    func change() -> (location: Location, node: Node) {
      let path = Path((0..<random.below(4)).map { _ in Key(random.pick(["a", "b", "c"])) })
      if random.isOne(in: 6) {
        return (Location(path: path, isPriority: true), random.isOne(in: 2) ? .empty : Node(.int(3)))
      }
      let value =
        switch random.below(4) {
        case 0: Node.empty
        case 1: Node.empty.replacing(Path("b/c"), with: Node(.int(7), priority: .int(2)))
        default: Node(.int(Int64(random.below(9))))
        }
      return (Location(path: path), value)
    }
    let records = (0..<60).map { _ in
      CommitRecord(wallMilliseconds: 5, content: .changes((0...random.below(3)).map { _ in change() }))
    }
    var (told, alone) = (try follower(), Engine(following: try state()))
    _ = try told.follow(Self.payload(records), firstPosition: 1, lastPosition: 60, at: Self.at(9))
    let batch = try alone.follow(Self.payload(records), firstPosition: 1, lastPosition: 60, at: Self.at(9))
    #expect(alone.state.root == told.state.root)
    #expect(batch.state.position == 60 && batch.state.root == told.state.root && batch.effects.isEmpty)
  }

  @Test func `a gap and unreadable bytes are refused without an effect`() throws {
    var engine = try follower()
    let good = Self.payload([Self.changes([("a", 1)]), Self.changes([("b", 2)])])
    #expect(throws: RecordError("", byteOffset: 0, position: 2)) {
      try engine.follow(good, firstPosition: 2, lastPosition: 3, at: Self.at(9))
    }
    for last: Int64 in [1, 3, .min, .max] {
      #expect(throws: RecordError("", byteOffset: 0, position: 1)) {
        try engine.follow(good, firstPosition: 1, lastPosition: last, at: Self.at(9))
      }
    }
    let start = good.count / 2
    #expect(throws: RecordError("", byteOffset: start, position: 1)) {
      try engine.follow(good.dropLast(), firstPosition: 1, lastPosition: 2, at: Self.at(9))
    }
    #expect(engine.state.position == 0 && engine.state.root.isEmpty)
    let batch = try engine.follow(good, firstPosition: 1, lastPosition: 2, at: Self.at(9))
    #expect(lines(batch) == ["1 < put /a 1", "1 < put /b 2"])
  }

  @Test func `a following engine refuses changes of its own`() throws {
    var engine = try follower(#"{"rules": {".read": true, ".write": true, "x": {".read": "auth != null"}}}"#)
    let put = WriteOperation.Change.put(Location(path: Path("a")), WriteValue(Node(.int(1))))
    let changes: [Command.Action] = [
      .write(WriteOperation(put)), .write(WriteOperation(put, expectedHash: "")), .onDisconnect(put),
      .cancelOnDisconnect(Location(path: Path("a"))), .transact(Transaction { _ in true }), .deployRules(.denyAll),
    ]
    for action in changes {
      let command = Command(connection: Self.one, request: 2, principal: .administrator, action: action)
      let batch = engine.decide([command], at: Self.at(1))
      #expect(lines(batch) == ["1 unavailable"])
      #expect(!batch.hasCommits && batch.state.position == 0 && batch.state.root.isEmpty)
    }
    // Another server's session has the same number as a local connection.
    var owner = ChangeDecider(state: engine.state)
    let onDisconnectWrite = ForwardedChange(.onDisconnect(put), as: .signedOut)
    let content = try #require(owner.decide(onDisconnectWrite, of: 1, at: 1, Self.at(1)).content)
    _ = try engine.follow(content, firstPosition: 1, lastPosition: 1, at: Self.at(1))
    #expect(engine.state.sessions.count == 1)
    for action: Command.Action in [.authenticate(.administrator), .unauthenticate, .endCredential(), .disconnect] {
      let batch = engine.decide([Command(connection: Self.one, request: 2, action: action)], at: Self.at(2))
      #expect(!batch.hasCommits && batch.state.position == 1)
    }
    #expect(engine.state.sessions.count == 1 && engine.connectionCount == 0)
    #expect(!Engine(following: engine.state).hasLeftoverSessions)
  }

  @Test func `other rules are in force from their position on, and unreadable rules are refused`() throws {
    var engine = try follower()
    func deploy(_ source: String, at position: Int64) throws -> Batch {
      let record = CommitRecord(wallMilliseconds: 5, content: .rules(source))
      return try engine.follow(Self.payload([record]), firstPosition: position, lastPosition: position, at: Self.at(9))
    }
    let closed = #"{"rules": {".read": false}}"#
    #expect(lines(try deploy(closed, at: 1)).first == "1 < cancel / rules@1")
    #expect(engine.state.storedRules == closed && engine.listenCount == 0)
    #expect(try deploy(Self.open, at: 2).effects.count == 1)
    #expect(try engine.state.read(.root, as: .signedOut, nowMilliseconds: 0).isEmpty)
    _ = try deploy("{", at: 3)
    #expect(engine.state.storedRules == "{" && engine.state.position == 3)
    #expect(throws: ReadRefusal.self) { try engine.state.read(.root, as: .signedOut, nowMilliseconds: 0) }
  }

  @Test func `listens are decided again for each of the commits with one position`() throws {
    let rules = #"{"rules": {"m": {".read": "root.child('ok').exists()"}}}"#
    let root = Node.empty.replacing([(Path("ok"), Node(.int(1))), (Path("m"), Node(.int(1)))])
    var engine = try follower(rules, root, at: "m")
    let records = [
      Self.changes([("ok", 2)]), Self.changes([("m", 2)]), Self.changes([("ok", nil)]), Self.changes([("m", 3)]),
    ]
    let joint = CommitRecord(wallMilliseconds: 5, content: .joint(records, of: .end(session: 4)))
    let note = CommitRecord(wallMilliseconds: 0, content: .note([8]))
    let batch = try engine.follow(Self.payload([note, joint]), firstPosition: 1, lastPosition: 2, at: Self.at(9))
    #expect(lines(batch).prefix(2) == ["1 < put /m 2", "1 < cancel /m data@2"])
    #expect(batch.effects.count == 2 && batch.state.position == 2)
    #expect(batch.state.root == Node.empty.replacing(Path("m"), with: Node(.int(3))))
  }

  @Test func `a merge is delivered as one where its record says so, and otherwise as equivalent changes`() throws {
    let places: [(String, Int64?)] = [("a/b/c", 1), ("a/b/d/e", 2)]
    for (depth, expected) in [
      (0, "merge / {a/b/c: 1, a/b/d/e: 2}"), (2, "merge /a/b {c: 1, d/e: 2}"), (nil, "merge /a/b {c: 1, d/e: 2}"),
      // Merge depths that no engine writes.
      (3, "merge /a/b {c: 1, d/e: 2}"), (200, "merge /a/b {c: 1, d/e: 2}"),
    ] {
      var engine = try follower()
      let payload = Self.payload([Self.changes(places, mergeDepth: depth)])
      #expect(
        lines(try engine.follow(payload, firstPosition: 1, lastPosition: 1, at: Self.at(9))) == ["1 < " + expected])
    }
    for (places, depth, expected) in [
      ([("a/b", 1)], 1, "merge /a {b: 1}"), ([("a/b", 1)], nil, "put /a/b 1"), ([("a/b", 1)], 2, "put /a/b 1"),
      ([("a", 1), ("a/b", 2)], nil, #"put /a {"b":2}"#), ([("a", 1), ("a/b", 2)], 0, "merge / {a: 1, a/b: 2}"),
      ([("", 1), ("a", 2)], 0, #"put / {"a":2}"#),
    ] as [([(String, Int64?)], Int?, String)] {
      var engine = try follower()
      let payload = Self.payload([Self.changes(places, mergeDepth: depth)])
      #expect(
        lines(try engine.follow(payload, firstPosition: 1, lastPosition: 1, at: Self.at(9))) == ["1 < " + expected])
    }
    // An erasure leaves an empty record.
    var engine = try follower()
    let empty = Self.payload([Self.changes([], mergeDepth: 1)])
    #expect(try engine.follow(empty, firstPosition: 1, lastPosition: 1, at: Self.at(9)).effects.isEmpty)
    #expect(engine.state.position == 1)
  }

  @Test func `a record in pieces is delivered with its last piece`() throws {
    let record = Self.payload([Self.changes([("a", 1)])])
    let pieces = [record.prefix(9), record.dropFirst(9)].map {
      CommitRecord(wallMilliseconds: 5, content: .piece(number: 1, bytes: $0))
    }
    let last = CommitRecord(wallMilliseconds: 6, content: .lastPiece(number: 1, count: 2))
    var engine = try follower()
    var batch = try engine.follow(Self.payload(pieces), firstPosition: 1, lastPosition: 2, at: Self.at(9))
    #expect(batch.effects.isEmpty && batch.state.hasOpenPieces)
    var late = Engine(following: engine.state)
    #expect(throws: RecordError("", byteOffset: 0, position: 3)) {
      try late.follow(Self.payload([last]), firstPosition: 3, lastPosition: 3, at: Self.at(9))
    }
    #expect(late.state.position == 2)
    batch = try engine.follow(Self.payload([last]), firstPosition: 3, lastPosition: 3, at: Self.at(9))
    #expect(lines(batch) == ["1 < put /a 1"] && !batch.state.hasOpenPieces)
  }

  @Test func `expired credentials and time-dependent listens are decided before followed commits`() throws {
    let rules = #"{"rules": {"m": {".read": "auth != null"}, "n": {".read": "now < 20"}}}"#
    var engine = try follower(rules, at: "n")
    let somebody = Principal(auth: .object([.init("uid", .string("u"))]), deadlineMonotonicMilliseconds: 30)
    let actions: [Command.Action] = [.authenticate(somebody), .listen(ListenRequest(Path("m")))]
    _ = engine.decide(actions.map { Command(connection: Self.one, request: 1, action: $0) }[...], at: Self.at(10))
    let payload = Self.payload([Self.changes([("m", 1), ("n", 1)])])
    let batch = try engine.follow(payload, firstPosition: 1, lastPosition: 1, at: Self.at(40))
    let told = lines(batch).filter { !$0.hasPrefix("log") }
    #expect(told.prefix(2) == ["1 < ended", "1 < cancel /n expiry"] || told.contains("1 < cancel /n clock"))
    #expect(told.contains("1 < cancel /m expiry") && !told.contains { $0.contains("put") || $0.contains("merge") })
  }

  @Test func `the owner's resulting data is adopted without applying records only where no listener is affected`()
    throws
  {
    let payload = Self.payload([Self.changes([("a", 1)]), Self.changes([("b", 2)])])
    // The expected events come from the records, so that they show which of the two was used.
    let known = Node.empty.replacing(Path("known"), with: Node(.int(9)))
    func follow(_ engine: inout Engine, from first: Int64 = 1) throws -> Batch {
      try engine.follow(payload, firstPosition: first, lastPosition: first + 1, leadingTo: known, at: Self.at(9))
    }
    var alone = Engine(following: try state())
    let batch = try follow(&alone)
    #expect(batch.state.root == known && batch.state.position == 2 && batch.payload.isEmpty && batch.effects.isEmpty)
    #expect(throws: RecordError.self) { try follow(&alone, from: 4) }
    #expect(try follow(&alone).state.position == 2, "they are there already")
    var heard = try follower()
    #expect(lines(try follow(&heard)) == ["1 < put /a 1", "1 < put /b 2"])
    #expect(heard.state.root[Path("known")].isEmpty)
  }
}
