import HearthRules
import HearthTestKit
import HearthTree
import Testing

@testable import HearthEngine

/// Tests of decisions for sessions of other servers. ``SimulationTests`` compare the states of a follower and an owner
/// with that of one server alone.
@Suite struct ChangeDeciderTests {
  private static let rules = """
    {"rules": {".read": "auth != null", ".write": "auth != null", "mine": {"$u": {".write": "auth.uid === $u"}},
      "closed": {".write": false, ".read": false, ".validate": false}}}
    """
  private static let ann = Principal(auth: .object([.init("uid", .string("ann"))]))
  private static let bob = Principal(auth: .object([.init("uid", .string("bob"))]))
  private static let now = Instant(wallMilliseconds: 1_000, monotonicMilliseconds: 0)

  private func decider(_ change: (inout EngineLimits) -> Void = { _ in }) throws -> ChangeDecider {
    var limits = EngineLimits()
    limits.recordsAuthors = true
    change(&limits)
    return ChangeDecider(
      state: DatabaseState(root: .empty, rules: try RuleSet.compile(Self.rules), position: 0), limits: limits)
  }

  private static func put(_ path: String, _ value: Int64?) -> WriteOperation.Change {
    .put(Location(path: Path(path)), WriteValue(value.map { Node(.int($0)) } ?? .empty))
  }

  private static func records(_ decided: ChangeDecider.Decided) throws -> [CommitRecord] {
    try CommitRecord.decode(try #require(decided.content))
  }

  private static func code(_ decided: ChangeDecider.Decided) -> Failure.Code? {
    if case .failure(let failure) = decided.reply { failure.code } else { nil }
  }

  @Test func `a write is decided at its given position, and its record names the session`() throws {
    var decider = try decider()
    let write = ForwardedChange(.write(WriteOperation(Self.put("a", 1))), as: Self.ann, from: .publicNetwork)
    let decided = decider.decide(write, of: 1 << 60, at: 7, Self.now)
    guard case .ok = decided.reply else {
      Issue.record("\(decided.reply)")
      return
    }
    let record = try #require(try Self.records(decided).first)
    #expect(record.wallMilliseconds == 1_000 && record.grant?.ruleNames == ["/.write"])
    let author = CommitAuthor(uid: "ann", connection: ConnectionID(rawValue: 1 << 60), address: .publicNetwork)
    #expect(record.author == author)
    #expect(decider.state.position == 7 && decider.state.root[Path("a")] == Node(.int(1)))
    // A request without changes takes its position, and its content is empty.
    let again = decider.decide(write, of: 2, at: 8, Self.now)
    #expect(again.content == [] && decider.state.position == 8)
    let barrier = decider.decide(ForwardedChange(.barrier, as: .signedOut), of: 2, at: 9, Self.now)
    #expect(barrier.content == [] && decider.state.position == 9)
  }

  @Test func `a refused command changes no state and has a reason`() throws {
    var decider = try decider()
    let write = ForwardedChange(.write(WriteOperation(Self.put("a", 1))), as: .signedOut)
    let refused = decider.decide(write, of: 3, at: 5, Self.now)
    #expect(refused.content == nil && Self.code(refused) == .permissionDenied)
    #expect(
      refused.denials.map(\.operation) == [.put] && refused.denials.first?.connection == ConnectionID(rawValue: 3))
    for (action, code) in [
      (.onDisconnect(Self.put("closed", 1)), .permissionDenied), (.deployRules(Self.rules), .permissionDenied),
      (.write(WriteOperation(Self.put(".info/x", 1))), .invalidPath),
      (.cancelOnDisconnect(Location(path: Path("a.b"))), .invalidPath),
    ] as [(ForwardedChange.Action, Failure.Code)] {
      let decided = decider.decide(ForwardedChange(action, as: .signedOut), of: 3, at: 5, Self.now)
      #expect(decided.content == nil && Self.code(decided) == code, "\(action)")
    }
    #expect(decider.state.position == 4 && decider.state.root.isEmpty && decider.state.sessions.count == 0)
  }

  @Test func `of several compared writes to one location, the first is written and the others are stale`() throws {
    var decider = try decider()
    for (session, position) in [(UInt64(1), Int64(1)), (2, 2), (3, 2)] {
      let operation = WriteOperation(Self.put("n", Int64(session)), expectedHash: "")
      let change = ForwardedChange(.write(operation), as: Self.ann, showsResult: true)
      let decided = decider.decide(change, of: session, at: position, Self.now)
      switch decided.reply {
      case .written(let node): #expect(session == 1 && node == Node(.int(1)) && decided.content?.isEmpty == false)
      // The reply omits the current value, which may be large: the server that answers the client has it.
      case .stale(let node): #expect(session > 1 && node.isEmpty && decided.content == nil)
      case let reply: Issue.record("\(reply)")
      }
    }
  }

  @Test func `a compared write of a large value is decided after its comparison, unless the value has changed`() throws
  {
    var decider = try decider { $0.inlineHashBytesMax = 256 }
    func made() -> Node { Node.empty.replacing((0..<50).map { (Path("k\($0)"), Node(.int(Int64($0)))) }) }
    let value = made()
    let first = WriteOperation(.put(Location(path: Path("n")), WriteValue(value)))
    _ = decider.decide(ForwardedChange(.write(first), as: Self.ann), of: 1, at: 1, Self.now)
    let hash = try #require(ValueHashes(value, .standard).texts.first)
    let change = ForwardedChange(.write(WriteOperation(Self.put("n", 1), expectedHash: hash)), as: Self.ann)
    let comparison = try #require(decider.decide(change, of: 1, at: 2, Self.now).comparison)
    #expect(decider.state.root[Path("n")] == value)
    // The value has changed since the comparison, which is repeated; after the last comparison, the write is stale.
    let other = ForwardedChange(.write(WriteOperation(Self.put("n/k1", 7))), as: Self.ann)
    #expect(decider.decide(other, of: 2, at: 2, Self.now).content?.isEmpty == false)
    let result = comparison.compared()
    #expect(decider.settle(result, change, at: 3, Self.now, isLast: false).comparison != nil)
    let stale = decider.settle(result, change, at: 3, Self.now, isLast: true)
    guard case .stale(let shown) = stale.reply else {
      Issue.record("\(stale.reply)")
      return
    }
    #expect(shown.isEmpty && stale.content == nil && stale.comparison == nil)
    // The same value again, whose hash is not cached.
    let back = ForwardedChange(
      .write(WriteOperation(.put(Location(path: Path("n")), WriteValue(made())))), as: Self.ann)
    _ = decider.decide(back, of: 2, at: 3, Self.now)
    let again = try #require(decider.decide(change, of: 1, at: 4, Self.now).comparison).compared()
    let done = decider.settle(again, change, at: 4, Self.now, isLast: false)
    #expect(done.content?.isEmpty == false && decider.state.root[Path("n")] == Node(.int(1)))
    #expect(decider.state.position == 4)
  }

  @Test func `an answer has the values at the written locations when the request asks for them`() throws {
    var decider = try decider()
    let increment = WriteValue.Deferred(location: Location(path: .root), operation: .increment(.int(2)))
    let change = WriteOperation.Change.merge(
      Path("m"),
      [
        Write(location: Location(path: Path("n")), value: WriteValue(Node(.int(0)), deferred: [increment])),
        Write(location: Location(path: Path("b/c")), value: WriteValue(.empty)),
        Write(location: Location(path: Path("d"), isPriority: true), value: WriteValue(Node(.string("p")))),
      ])
    let before = Self.put("m/d/e", 9)
    _ = decider.decide(ForwardedChange(.write(WriteOperation(before)), as: Self.ann), of: 1, at: 1, Self.now)
    let write = ForwardedChange(.write(WriteOperation(change)), as: Self.ann, showsResult: true)
    guard case .written(let node) = decider.decide(write, of: 1, at: 2, Self.now).reply else {
      Issue.record("not written")
      return
    }
    #expect(
      node
        == Node.empty.replacing([(Path("n"), Node(.int(2))), (Path("d"), Node(.bool(true), priority: .string("p")))]))
    let priority = WriteOperation.Change.put(
      Location(path: Path("m/d"), isPriority: true), WriteValue(Node(.int(4))))
    let second = ForwardedChange(.write(WriteOperation(priority)), as: Self.ann, showsResult: true)
    guard case .written(let bare) = decider.decide(second, of: 1, at: 3, Self.now).reply else {
      Issue.record("not written")
      return
    }
    #expect(bare == Node(.bool(true), priority: .int(4)))
  }

  @Test func `the onDisconnect writes of a session are made by the node that owns the database at that time`() throws {
    var decider = try decider()
    var position: Int64 = 0
    func decide(_ action: ForwardedChange.Action, _ principal: Principal, of session: UInt64 = 8)
      -> ChangeDecider.Decided
    {
      position += 1
      return decider.decide(ForwardedChange(action, as: principal), of: session, at: position, Self.now)
    }
    #expect(decide(.onDisconnect(Self.put("mine/ann", 1)), Self.ann).content?.isEmpty == false)
    #expect(decide(.onDisconnect(Self.put("gone", 2)), Self.ann).content?.isEmpty == false)
    #expect(decide(.onDisconnect(Self.put("back", 3)), Self.ann).content?.isEmpty == false)
    #expect(decide(.cancelOnDisconnect(Location(path: Path("back"))), Self.ann).content?.isEmpty == false)
    decider = ChangeDecider(state: decider.state)
    // Later writes are ordered after those that another decider accepted.
    #expect(decide(.onDisconnect(Self.put("mine", 5)), Self.ann).content?.isEmpty == false)
    #expect(decide(.authenticate, Self.bob, of: 9).content == [])
    let identity = try Self.records(decide(.authenticate, Self.bob))
    #expect(identity.count == 1)
    decider = ChangeDecider(state: decider.state)
    #expect(decider.state.sessions.session(of: ConnectionID(rawValue: 8))?.principal.uid == "bob")
    #expect(decider.end(9, at: position + 1, Self.now).content.isEmpty)
    let end = decider.end(8, at: position + 2, Self.now)
    #expect(decider.state.position == position + 2 && decider.state.sessions.count == 0)
    #expect(decider.state.root == Node.empty.replacing([(Path("mine"), Node(.int(5))), (Path("gone"), Node(.int(2)))]))
    #expect(end.denials.isEmpty)
    #expect(try CommitRecord.decode(end.content).count == 3)
    #expect(decider.end(8, at: position + 3, Self.now).content.isEmpty)
  }

  @Test func `onDisconnect writes use the session's last identity, and refused ones are reported`() throws {
    var decider = try decider()
    _ = decider.decide(ForwardedChange(.onDisconnect(Self.put("a", 1)), as: Self.ann), of: 8, at: 1, Self.now)
    _ = decider.decide(ForwardedChange(.authenticate, as: .signedOut), of: 8, at: 2, Self.now)
    let end = decider.end(8, at: 3, Self.now)
    #expect(end.denials.map(\.operation) == [.onDisconnect] && decider.state.root.isEmpty)
    #expect(try CommitRecord.decode(end.content).count == 1)
    // The same without an explicit change of identity.
    _ = decider.decide(ForwardedChange(.onDisconnect(Self.put("a", 1)), as: Self.ann), of: 9, at: 4, Self.now)
    _ = decider.decide(ForwardedChange(.onDisconnect(Self.put("b", 1)), as: Self.bob), of: 9, at: 5, Self.now)
    #expect(decider.state.sessions.session(of: ConnectionID(rawValue: 9))?.principal.uid == "bob")
  }

  @Test func `the limit of onDisconnect writes of a session holds across owners`() throws {
    func limits(_ limits: inout EngineLimits) {
      limits.onDisconnectsPerConnectionMax = 3
      limits.onDisconnectBytesMax = 2_000
    }
    var decider = try decider(limits)
    var engineLimits = EngineLimits()
    limits(&engineLimits)
    var position: Int64 = 1
    for place in ["a", "b", "c"] {
      let onDisconnectWrite = ForwardedChange(.onDisconnect(Self.put(place, 1)), as: Self.ann)
      #expect(decider.decide(onDisconnectWrite, of: 8, at: position, Self.now).content != nil)
      position += 1
      decider = ChangeDecider(state: decider.state, limits: engineLimits)
    }
    let fourth = ForwardedChange(.onDisconnect(Self.put("d", 1)), as: Self.ann)
    let refused = decider.decide(fourth, of: 8, at: position, Self.now)
    #expect(refused.content == nil && Self.code(refused) == .tooManyOnDisconnects)
    // A replacement does not count as a further write.
    let other = ForwardedChange(.onDisconnect(Self.put("c", 2)), as: Self.ann)
    #expect(decider.decide(other, of: 8, at: position, Self.now).content != nil)
    let text = WriteValue(Node(.string(String(repeating: "x", count: 1_900))))
    let large = ForwardedChange(.onDisconnect(.put(Location(path: Path("e")), text)), as: Self.ann)
    let tooLarge = decider.decide(large, of: 9, at: position + 1, Self.now)
    #expect(Self.code(tooLarge) == .tooManyOnDisconnects)
    _ = decider.end(8, at: position + 1, Self.now)
    #expect(decider.decide(large, of: 9, at: position + 2, Self.now).content != nil)
  }

  @Test func `rules are deployed as text, which must be valid`() throws {
    var decider = try decider()
    func deploy(_ source: String, _ principal: Principal = .administrator) -> ChangeDecider.Decided {
      decider.decide(ForwardedChange(.deployRules(source), as: principal), of: 1, at: 1, Self.now)
    }
    #expect(Self.code(deploy("{")) == .invalidData)
    #expect(deploy("{", Self.ann).denials.map(\.operation) == [.deployRules])
    let closed = #"{"rules": {".write": false}}"#
    let deployed = deploy(closed)
    guard case .rules(closed) = try Self.records(deployed).first?.content else {
      Issue.record("no rules")
      return
    }
    #expect(decider.state.storedRules == closed)
    let write = ForwardedChange(.write(WriteOperation(Self.put("a", 1))), as: Self.ann)
    #expect(Self.code(decider.decide(write, of: 1, at: 2, Self.now)) == .permissionDenied)
  }

  @Test func `a transaction runs on the decided state, durable or not`() throws {
    var decider = try decider()
    _ = decider.decide(ForwardedChange(.write(WriteOperation(Self.put("n", 1))), as: Self.ann), of: 1, at: 1, Self.now)
    let addition = Transaction { draft in
      guard case .int(let number)? = draft.root[Path("n")].scalar else { return false }
      draft.replace(Path("n"), with: Node(.int(number + 1)))
      draft.replace(Path("m"), with: Node(.int(draft.now.wallMilliseconds)))
      return true
    }
    let decided = decider.transact(addition, at: 2, Self.now)
    let record = try #require(try Self.records(decided).first)
    #expect(record.mergeDepth == 0 && record.author?.isAdministrator == true)
    #expect(decider.state.root[Path("n")] == Node(.int(2)) && decider.state.root[Path("m")] == Node(.int(1_000)))
    #expect(decider.transact(Transaction { _ in false }, at: 3, Self.now).content == [])
    #expect(decider.state.position == 3)
  }

  @Test func `a commit observer can refuse a commit, and decided commits are returned with their positions`() throws {
    var decider = try decider()
    decider.observeCommits(CommitObserver { $0.paths == [Path("no")] ? .unavailable : nil })
    let write = ForwardedChange(.write(WriteOperation(Self.put("a", 1))), as: Self.ann)
    let decided = decider.decide(write, of: 1, at: 41, Self.now)
    #expect(decided.changes.map(\.position) == [41] && decided.changes.first?.principal.uid == "ann")
    var silent = WriteOperation(Self.put("a", 2))
    silent.firesTriggers = false
    #expect(decider.decide(ForwardedChange(.write(silent), as: Self.ann), of: 1, at: 42, Self.now).changes.isEmpty)
    let refused = ForwardedChange(.write(WriteOperation(Self.put("no", 1))), as: Self.ann)
    #expect(Self.code(decider.decide(refused, of: 1, at: 43, Self.now)) == .unavailable)
    #expect(decider.state.position == 42)
    for (place, position) in [("a", Int64(43)), ("b", 44)] {
      let onDisconnectWrite = ForwardedChange(.onDisconnect(Self.put(place, 5)), as: Self.ann)
      #expect(decider.decide(onDisconnectWrite, of: 1, at: position, Self.now).changes.isEmpty)
    }
    #expect(decider.end(1, at: 45, Self.now).changes.map(\.position) == [45, 45])
  }

  @Test func `data is returned for the current position, if only writes were decided since the last call`() throws {
    var decider = try decider()
    var position: Int64 = 0
    func decide(_ action: ForwardedChange.Action) {
      position += 1
      _ = decider.decide(ForwardedChange(action, as: .administrator), of: 1, at: position, Self.now)
    }
    // There was no call before.
    decide(.write(WriteOperation(Self.put("a", 1))))
    #expect(decider.data(at: 1) == nil)
    decide(.write(WriteOperation(Self.put("a", 2))))
    #expect(decider.data(at: 1) == nil && decider.data(at: 3) == nil)
    #expect(decider.data(at: 2)?[Path("a")] == Node(.int(2)))
    for action in [.onDisconnect(Self.put("b", 1)), .deployRules(Self.rules)] as [ForwardedChange.Action] {
      decide(action)
      decide(.write(WriteOperation(Self.put("a", 3))))
      #expect(decider.data(at: position) == nil, "\(action)")
      decide(.write(WriteOperation(Self.put("a", 4))))
      #expect(decider.data(at: position)?[Path("a")] == Node(.int(4)))
    }
    _ = decider.end(1, at: position + 1, Self.now)
    #expect(decider.data(at: position + 1) == nil)
    _ = decider.end(1, at: position + 2, Self.now)
    #expect(decider.data(at: position + 2)?[Path("b")] == Node(.int(1)), "the session had no onDisconnect writes left")
  }
}
