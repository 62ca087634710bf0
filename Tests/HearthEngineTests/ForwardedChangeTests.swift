import HearthTree
import RandomTestKit
import Testing

@testable import HearthEngine

/// Tests of the encoding of changes and answers between servers.
@Suite struct ForwardedChangeTests {
  /// The example in the description of the format.
  private static let example: [UInt8] = [1, 3, 0, 0, 1, 2, 1, 0, 1, 1, 0x61, 0, 0, 0, 0]

  @Test func `the example of the description is encoded and decoded`() throws {
    let deletion = WriteOperation(.put(Location(path: Path("a")), WriteValue(.empty)))
    let change = ForwardedChange(.write(deletion), as: .signedOut, from: .publicNetwork)
    #expect(change.encoded == Self.example)
    let read = try ForwardedChange(encoded: Self.example)
    guard case .write(let operation) = read.action, case .put(let location, let value) = operation.change else {
      Issue.record("\(read)")
      return
    }
    #expect(location == Location(path: Path("a")) && value.node.isEmpty && value.deferred.isEmpty)
    #expect(operation.firesTriggers && operation.expectedHash == nil && operation.shownPaths.isEmpty)
    #expect(read.principal.auth == nil && read.principal.uid == nil && !read.principal.isAdministrator)
    #expect(read.address == .publicNetwork && !read.showsResult)
    #expect(Reply.written(Node(.int(7))).forwarded == [1, 2, 3, 0x0E])
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `every change comes back as it was`(seed: UInt64) throws {
    var maker = ChangeMaker(random: SeededRandom(seed: seed))
    for _ in 0..<20 {
      let change = maker.change()
      let bytes = change.encoded
      let read = try ForwardedChange(encoded: bytes)
      #expect(read.summary == change.summary)
      // The same as a part of other bytes.
      #expect(try ForwardedChange(encoded: ([7, 7] + bytes + [7])[2..<bytes.count + 2]).encoded == bytes)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `every answer comes back as it was`(seed: UInt64) throws {
    var maker = ChangeMaker(random: SeededRandom(seed: seed))
    let node = maker.node(levels: 3)
    let failures = Failure.Code.allCases.map { Reply.failure(Failure($0, "é \(seed)")) }
    for reply in [.ok, .written(node), .stale(node)] + failures {
      #expect(try Reply(forwarded: reply.forwarded).summary == reply.summary)
    }
    #expect(try Reply(forwarded: Reply.value(node).forwarded).summary == Reply.ok.summary)
  }

  @Test func `bytes of another version, or with unknown members, are refused with their place`() {
    var bytes = Self.example
    func refused(at offset: Int, sourceLocation: SourceLocation = #_sourceLocation) {
      #expect(throws: ForwardingError(message: "", byteOffset: offset), sourceLocation: sourceLocation) {
        try ForwardedChange(encoded: bytes)
      }
    }
    for (index, value, place) in [
      (0, 2, 1), (1, 4, 2), (2, 2, 3), (3, 64, 4), (4, 7, 5), (5, 4, 6), (6, 3, 7), (7, 2, 8), (11, 16, 11),
      (12, 65, 13),
    ] as [(Int, UInt8, Int)] {
      bytes = Self.example
      bytes[index] = value
      refused(at: place)
    }
    bytes = Self.example + [0]
    refused(at: Self.example.count)
    for length in 0..<Self.example.count {
      #expect(throws: ForwardingError.self) { try ForwardedChange(encoded: Self.example[..<length]) }
    }
    for answer: [UInt8] in [[], [1], [2, 1], [1, 5], [1, 1, 0], [1, 2], [1, 4, 1, 0x78, 0]] {
      #expect(throws: ForwardingError.self) { try Reply(forwarded: answer) }
    }
    // An impossible number of elements is refused before memory is allocated for them.
    bytes = Array(Self.example.dropLast()) + [0xFF, 0xFF, 0xFF, 0xFF, 0x0F]
    #expect(throws: ForwardingError.self) { try ForwardedChange(encoded: bytes) }
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `damaged bytes end in an error or a change that can be decided, never in a trap`(seed: UInt64) throws {
    var maker = ChangeMaker(random: SeededRandom(seed: seed))
    var decider = ChangeDecider(state: DatabaseState(root: maker.node(levels: 3), rules: .denyAll, position: 0))
    let instant = Instant(wallMilliseconds: 1, monotonicMilliseconds: 1)
    for _ in 0..<60 {
      let good = maker.change().encoded
      let answer = Reply.written(maker.node(levels: 2)).forwarded
      for _ in 0..<40 {
        if let change = try? ForwardedChange(encoded: maker.damaged(good)) {
          let again = try ForwardedChange(encoded: change.encoded)
          #expect(again.summary == change.summary)
          let position = decider.state.position + 1
          let decided = decider.decide(change, of: UInt64(maker.random.below(3)), at: position, instant)
          if let content = decided.content { _ = try CommitRecord.decode(content) }
        }
        _ = try? Reply(forwarded: maker.damaged(answer))
      }
      for session in 0..<3 as Range<UInt64> { _ = decider.end(session, at: decider.state.position + 1, instant) }
    }
  }
}

/// A generator of changes of every kind.
struct ChangeMaker {
  var random: SeededRandom

  mutating func change() -> ForwardedChange {
    let action: ForwardedChange.Action
    switch random.below(8) {
    case 0: action = .onDisconnect(replacing())
    case 1: action = .cancelOnDisconnect(location())
    case 2: action = .authenticate
    case 3: action = .deployRules(random.pick(["", #"{"rules": {".write": true}}"#, "{ // é"]))
    case 4: action = .barrier
    default:
      var operation = WriteOperation(
        replacing(), expectedHash: random.pick([nil, "", "a+/="]), shownPaths: (0..<random.below(3)).map { _ in path() }
      )
      operation.firesTriggers = random.isOne(in: 2)
      action = .write(operation)
    }
    return ForwardedChange(
      action, as: principal(), from: random.pick(AddressClass.allCases), showsResult: random.isOne(in: 2))
  }

  private mutating func principal() -> Principal {
    let auths: [JSON?] = [
      nil, .object([]), .object([.init("uid", .string("ünï")), .init("token", .object([.init("level", .int(-3))]))]),
      .array([.double(0.1), .null, .bool(true)]), .string("x"),
    ]
    return Principal(
      auth: random.pick(auths), isAdministrator: random.isOne(in: 2), isOverridden: random.isOne(in: 4),
      isReadOnly: random.isOne(in: 5), uid: random.pick([nil, "", "u"]),
      deadlineMonotonicMilliseconds: random.pick([nil, 5]),
      isDebugging: random.isOne(in: 3))
  }

  private mutating func replacing() -> WriteOperation.Change {
    if random.isOne(in: 2) { return .put(location(), value()) }
    return .merge(path(), (0..<random.below(4)).map { _ in Write(location: location(), value: value()) })
  }

  private mutating func path() -> Path {
    Path((0..<random.below(4)).map { _ in Key(random.pick(["a", "b", "é", "10", ".info", "", "x/y"])) })
  }

  private mutating func location() -> Location { Location(path: path(), isPriority: random.isOne(in: 4)) }

  private mutating func value() -> WriteValue {
    let node = node(levels: 2)
    var deferred: [WriteValue.Deferred] = []
    let places = [Path.root, Path("a"), Path("b"), Path("b/a")]
    for place in places {
      let found = node[place]
      let operation: WriteValue.Operation =
        random.isOne(in: 2) ? .timestamp : .increment(random.pick([.int(-1), .double(0.5)]))
      if found.isLeaf, random.isOne(in: 2) {
        deferred.append(.init(location: Location(path: place), operation: operation))
      } else if found.priority != nil {
        deferred.append(.init(location: Location(path: place, isPriority: true), operation: operation))
      }
    }
    return WriteValue(node, deferred: deferred, depth: random.below(5))
  }

  mutating func node(levels: Int) -> Node {
    let priority: Scalar? = random.isOne(in: 3) ? random.pick([.int(1), .string("p"), .double(-1.5)]) : nil
    switch random.below(levels > 0 ? 6 : 4) {
    case 0: return .empty
    case 1: return Node(.bool(random.isOne(in: 2)), priority: priority)
    case 2: return Node(.string(String(repeating: "é", count: random.below(9))), priority: priority)
    case 3: return Node(.int(random.pick([0, .min, .max])), priority: priority)
    default:
      var node = Node.empty
      for key in ["a", "b", "10"] where random.isOne(in: 2) {
        node = node.replacing(Path(key), with: self.node(levels: levels - 1))
      }
      return node.isEmpty ? node : node.with(priority: priority)
    }
  }

  mutating func damaged(_ good: [UInt8]) -> [UInt8] {
    var bytes = good
    for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8.random(in: 0...255, using: &random) }
    if random.isOne(in: 4) { bytes.removeLast(random.below(bytes.count)) }
    return bytes
  }
}

extension ForwardedChange {
  /// All properties of the change as text.
  fileprivate var summary: [String] {
    let text = principal.auth.map { String(decoding: $0.text(), as: UTF8.self) }
    let flags = [principal.isAdministrator, principal.isOverridden, principal.isReadOnly, principal.isDebugging]
    let who = [text, principal.uid, "\(flags)"]
    let what: [String] =
      switch action {
      case .write(let operation):
        operation.change.summary + [
          "\(String(describing: operation.expectedHash)) \(operation.shownPaths) \(operation.firesTriggers)"
        ]
      case .onDisconnect(let change): change.summary
      case .cancelOnDisconnect(let location): ["\(location)"]
      case .authenticate: ["authenticate"]
      case .deployRules(let source): [source]
      case .barrier: ["barrier"]
      }
    return ["\(who) \(address) \(showsResult)"] + what
  }
}

extension WriteOperation.Change {
  fileprivate var summary: [String] {
    switch self {
    case .put(let location, let value): ["put", Self.text(location, value)]
    case .merge(let path, let writes):
      ["merge \(path.keys.map(\.text))"] + writes.map { Self.text($0.location, $0.value) }
    }
  }

  private static func text(_ location: Location, _ value: WriteValue) -> String {
    let deferred = value.deferred.map {
      "\($0.location.path.keys.map(\.text)) \($0.location.isPriority) \($0.operation)"
    }
    let node = String(decoding: value.node.json(.export), as: UTF8.self)
    return "\(location.path.keys.map(\.text)) \(location.isPriority) \(node) \(value.depth) \(deferred)"
  }
}

extension Reply {
  fileprivate var summary: String {
    switch self {
    case .written(let node): "written \(String(decoding: node.json(.export), as: UTF8.self))"
    case .stale(let node): "stale \(String(decoding: node.json(.export), as: UTF8.self))"
    case .failure(let failure): "\(failure.code) \(failure.message)"
    default: "\(self)"
    }
  }
}
