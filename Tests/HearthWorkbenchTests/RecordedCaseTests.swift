import HearthTree
import Testing

@testable import HearthRules
@testable import HearthWorkbench

/// Tests of recorded requests as test files.
@Suite struct RecordedCaseTests {
  private static let rules = """
    {"rules": {"rooms": {"$room": {
      ".read": "root.child('m').child(auth.uid).val() == 1 && query.limitToFirst <= 9",
      ".write": "root.child('m').child(auth.uid).val() == 1", "n": {".validate": "newData.val() < now"}}}}}
    """

  private static func check(_ request: RulesRequest, allows: Bool) throws {
    let rules = try RuleSet.compile(rules, keepsExpressions: true)
    let decision = rules.decide(request, detail: .trace)
    #expect(decision.isAllowed == allows)
    let record = try #require(RecordedRequest(request, by: rules))
    let text = try #require(
      RecordedCase.text(record, Explanation(operation: "it", path: .root, decision: decision), rules: "rules.json"))
    let file = try RulesTestReader.read(DocumentText(file: "case.json", text: text))
    let results = RulesTestRun.run(file, rules: rules)
    #expect(results.count == 1 && results.allSatisfy { $0.failure == nil }, "\(text)")
  }

  private static let root = Node.empty.replacing(Path("m/kim"), with: Node(.int(1)))
    .replacing(Path("secret"), with: Node(.string("treasure")))

  private static func auth(_ uid: String) -> JSON {
    .object([.init("uid", .string(uid)), .init("token", .object([.init("sub", .string(uid))]))])
  }

  private static let queries: [Query] = [
    Query(order: .key, limit: .first(5)),
    Query(order: .child(Path("a/b")), start: Query.Bound(value: .int(3)), limit: .first(9)),
    Query(order: .value, start: .after(.string("x")), end: .before(.bool(true)), limit: .first(1)),
    Query(order: .priority, start: Query.Bound(value: nil), end: Query.Bound(value: nil), limit: .first(2)),
    Query(limit: .first(10)), Query(limit: .last(1)),
  ]

  @Test("recorded reads with queries are reproduced", arguments: queries)
  func reads(_ query: Query) throws {
    for uid in ["kim", "mira"] {
      let isSmall = if case .first(let count) = query.limit { count < 10 } else { false }
      try Self.check(
        .read(
          ReadRequest(
            path: Path("rooms/r"), root: Self.root, auth: Self.auth(uid), nowMilliseconds: 5, query: query)),
        allows: uid == "kim" && isSmall)
    }
  }

  @Test("recorded writes, updates and deletes are reproduced")
  func writes() throws {
    for (values, allows) in [
      ([("rooms/r", #"{"n":4}"#)], true), ([("rooms/r/n", "5")], false),
      ([("rooms/r/n", "4"), ("rooms/s/n", "6")], false),
      ([("rooms/r", "null")], true),
    ] {
      var new = Self.root
      for (path, text) in values {
        new = new.replacing(Path(path), with: text == "null" ? .empty : try node(text))
      }
      for uid in ["kim", "mira", nil] {
        try Self.check(
          .write(
            WriteRequest(
              oldRoot: Self.root, newRoot: new, locations: values.map { Location(path: Path($0.0)) },
              auth: uid.map(Self.auth), nowMilliseconds: 5)),
          allows: allows && uid == "kim")
      }
    }
  }

  private func node(_ text: String) throws -> Node {
    text.hasPrefix("{")
      ? Node.empty.replacing(Path("n"), with: Node(.int(4))) : Node(.int(try #require(Int64(text))))
  }

  @Test("a bound that test files cannot express makes no file")
  func unsayable() throws {
    let rules = try RuleSet.compile(Self.rules, keepsExpressions: true)
    let query = Query(order: .value, start: Query.Bound(value: .int(1), key: .key(Key("k"))), limit: .first(1))
    let request = RulesRequest.read(
      ReadRequest(path: Path("rooms/r"), root: Self.root, auth: nil, nowMilliseconds: 5, query: query))
    let record = try #require(RecordedRequest(request, by: rules))
    let decision = rules.decide(request, detail: .trace)
    #expect(
      RecordedCase.text(record, Explanation(operation: "it", path: .root, decision: decision), rules: "rules.json")
        == nil)
  }
}
