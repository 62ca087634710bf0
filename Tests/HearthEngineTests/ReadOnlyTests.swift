import HearthRules
import HearthTree
import Testing

@testable import HearthEngine

/// Tests of principals without write permission: viewers of all data, and administrators who act as another user.
@Suite struct ReadOnlyTests {
  private static let open = #"{"rules":{".read":true,".write":true}}"#
  private static let closed = #"{"rules":{"mine":{".read":"auth.uid === 'kim'",".write":"auth.uid === 'kim'"}}}"#
  private static let kim = JSON.object([JSON.Member("uid", .string("kim"))])

  private static let viewer = Principal(auth: nil, isReadOnly: true)
  private static let viewerAsKim = Principal(auth: kim, isOverridden: true, isReadOnly: true)

  private static func replies(_ rules: String, _ principal: Principal, _ actions: [Command.Action]) throws -> [String] {
    let root = Node.empty.replacing(Path("mine/a"), with: Node(.int(1)))
    var engine = Engine(state: DatabaseState(root: root, rules: try RuleSet.compile(rules), position: 1))
    let id = ConnectionID(rawValue: 256)
    let commands = [.connect, .authenticate(principal)] + actions
    let batch = engine.decide(
      commands.map { Command(connection: id, request: 1, action: $0) }[...],
      at: Instant(wallMilliseconds: 1, monotonicMilliseconds: 1))
    #expect(!batch.hasCommits && engine.state.root == root)
    return batch.effects.dropFirst(2).compactMap { effect in
      switch effect {
      case .reply(_, _, .failure(let failure)): failure.code.rawValue
      case .reply(_, _, .value(let node)): node.isEmpty ? "nothing" : "value"
      case .reply(_, _, .listening): "listening"
      case .reply: "other"
      default: nil
      }
    }
  }

  private static let changes: [Command.Action] = {
    let (place, one) = (Location(path: Path("mine/a")), WriteValue(Node(.int(2))))
    let merge = WriteOperation.Change.merge(Path("mine"), [Write(location: Location(path: Path("b")), value: one)])
    return [
      .write(WriteOperation(.put(place, one))), .write(WriteOperation(.put(place, WriteValue(.empty)))),
      .write(WriteOperation(merge)), .onDisconnect(.put(place, one)), .onDisconnect(merge),
      .deployRules(.denyAll), .transact(Transaction { _ in false }),
    ]
  }()

  @Test("a viewer reads data that rules deny, and writes none that they allow")
  func viewer() throws {
    #expect(
      try Self.replies(Self.closed, Self.viewer, [.get(Path("mine/a")), .get(Path("x"))]) == ["value", "nothing"])
    #expect(try Self.replies(Self.closed, Self.viewer, [.listen(ListenRequest(.root))]) == ["listening"])
    let refused = try Self.replies(Self.open, Self.viewer, Self.changes)
    #expect(refused == Array(repeating: "permission-denied", count: Self.changes.count))
  }

  @Test("a session that acts as another user reads what that user may read, and changes nothing")
  func override() throws {
    let reads: [Command.Action] = [.get(Path("mine/a")), .get(Path("x"))]
    #expect(try Self.replies(Self.closed, Self.viewerAsKim, reads) == ["value", "permission-denied"])
    let refused = try Self.replies(Self.closed, Self.viewerAsKim, Self.changes)
    #expect(refused == Array(repeating: "permission-denied", count: Self.changes.count))
  }

  @Test("a read-only administrator is refused administration")
  func contradiction() {
    let both = Principal(auth: nil, isAdministrator: true, isReadOnly: true)
    #expect(!both.isAdministrator && both.isReadOnly && both.readsAll)
    #expect(!Self.viewerAsKim.readsAll && Principal.administrator.readsAll && !Principal.signedOut.readsAll)
  }

  @Test("a change that another server decides is refused there, too")
  func forwarded() throws {
    let write = WriteOperation(.put(Location(path: Path("mine/a")), WriteValue(Node(.int(2)))))
    let change = ForwardedChange(.write(write), as: Self.viewer, from: .machine)
    let read = try ForwardedChange(encoded: change.encoded)
    var decider = ChangeDecider(
      state: DatabaseState(root: .empty, rules: try RuleSet.compile(Self.open), position: 1))
    let decided = decider.decide(read, of: 1, at: 2, Instant(wallMilliseconds: 1, monotonicMilliseconds: 1))
    #expect(decided.content == nil)
    guard case .failure(.permissionDenied) = decided.reply else {
      Issue.record("\(decided.reply)")
      return
    }
  }
}
