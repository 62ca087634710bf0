import HearthTree
import RandomTestKit
import Testing

@testable import HearthRules

@Suite("Records of denied requests")
struct RecordTests {
  @Test("A record has exactly the data that the rules read")
  func small() throws {
    let rules = try RuleSet.compile(
      RulesFixtures.file(.read, "root.child('m/' + auth.uid).val() == 1 && root.child('list').hasChildren()"))
    let root = try RulesFixtures.node(#"{"m":{"alice":2,"bob":3},"list":{"a":{"b":"secret"}},"p":"secret"}"#)
    let decision = rules.decideRead(
      ReadRequest(path: Path("p"), root: root, auth: RulesFixtures.alice, nowMilliseconds: RulesFixtures.now))
    let record = try #require(decision.denied?.recorded())
    let again = record.explained()
    #expect(again.outcome == .noGrant && again.rule?.expression == decision.rule?.expression)
    #expect(again.visited.first?.decisive?.text == "root.child('m/' + auth.uid).val() == 1")
    #expect(!"\(record)".contains("secret") && !"\(record)".contains("bob"))
  }

  @Test("The identity is recorded when the rules read auth, and claims only when the rules read them")
  func identity() throws {
    for (rule, hasClaims) in [("auth.uid == 'bob'", true), ("data.exists()", false)] {
      let rules = try RuleSet.compile(RulesFixtures.file(.read, rule))
      let decision = rules.decideRead(
        ReadRequest(path: Path("p"), root: .empty, auth: RulesFixtures.alice, nowMilliseconds: RulesFixtures.now))
      let record = try #require(decision.denied?.recorded())
      #expect("\(record)".contains("anonymous") == hasClaims, "\(rule)")
      #expect(!record.explained().isAllowed)
    }
  }

  @Test("Oversized records are not kept, and records of allowed requests never are")
  func bounds() throws {
    let rules = try RuleSet.compile(#"{"rules":{".write":true,".validate":"newData.child('a').val() == 'x'"}}"#)
    func decide(_ size: Int, _ value: String) -> Decision {
      let root = Node.empty.replacing(Path("b"), with: Node(.string(String(repeating: "t", count: size))))
        .replacing(Path("a"), with: Node(.string(value)))
      return rules.decideWrite(
        WriteRequest(
          oldRoot: .empty, newRoot: root, locations: [Location(path: .root)], auth: nil,
          nowMilliseconds: RulesFixtures.now))
    }
    #expect(decide(100, "y").denied?.recorded()?.explained().outcome == .invalid)
    #expect(decide(RulesLimits.recordSizeBytesMax + 1, "y").denied?.recorded() == nil)
    #expect(decide(100, "x").denied == nil)
  }

  @Test(
    "Other rules are evaluated on recorded data, and reads beyond it are reported",
    arguments: [
      ("root.child('m/alice').val() == 2", true, true), ("root.child('m/alice/deeper').val() == null", true, true),
      ("root.child('m/bob').exists()", false, false), ("root.child('m').hasChildren()", true, false),
      ("auth.uid == 'alice'", true, true), ("auth.token.firebase != null || true", true, true), ("false", false, true),
    ])
  func others(_ rule: String, isAllowed: Bool, isComplete: Bool) throws {
    let rules = try RuleSet.compile(RulesFixtures.file(.read, "root.child('m/' + auth.uid).val() == 1"))
    let root = try RulesFixtures.node(#"{"m":{"alice":2,"bob":3}}"#)
    let decision = rules.decideRead(
      ReadRequest(path: Path("p"), root: root, auth: RulesFixtures.alice, nowMilliseconds: RulesFixtures.now))
    let record = try #require(decision.denied?.recorded())
    let other = try #require(record.decided(by: try RuleSet.compile(RulesFixtures.file(.read, rule))))
    #expect(other.decision.isAllowed == isAllowed && other.isComplete == isComplete)
    #expect(other.decision.trace != nil)
  }

  @Test("A rule that reads a claim that was not recorded is not decided")
  func forgottenClaims() throws {
    let rules = try RuleSet.compile(RulesFixtures.file(.read, "false"))
    let decision = rules.decideRead(
      ReadRequest(path: Path("p"), root: .empty, auth: RulesFixtures.alice, nowMilliseconds: RulesFixtures.now))
    let record = try #require(decision.denied?.recorded())
    let other = try #require(
      record.decided(by: try RuleSet.compile(RulesFixtures.file(.read, "auth.token.admin == true"))))
    #expect(!other.isComplete)
  }

  @Test("The whole value of a write is recorded")
  func written() throws {
    let rules = try RuleSet.compile(#"{"rules":{".write":false}}"#)
    let root = Node.empty.replacing(Path("a/b"), with: Node(.int(1)))
    let decision = rules.decideWrite(
      WriteRequest(
        oldRoot: .empty, newRoot: root, locations: [Location(path: Path("a"))], auth: nil,
        nowMilliseconds: RulesFixtures.now))
    let record = try #require(decision.denied?.recorded())
    for (rule, isComplete) in [
      ("newData.child('b').val() == 1", true), ("newData.child('c').val() == null", true),
      ("newData.parent().child('z').val() == null", false), ("data.child('b').val() == null", false),
    ] {
      let other = try #require(record.decided(by: try RuleSet.compile(RulesFixtures.file(.write, rule, at: "a"))))
      #expect(other.decision.isAllowed)
      #expect(other.isComplete == isComplete, "\(rule)")
    }
  }

  @Test("Recorded inputs replay to the same verdict: a sample")
  func sample() throws {
    #expect(try RandomRecords.check(seeds: 0..<150) > 300)
  }

  /// 100,000 requests; run by hand, see the Makefile.
  @Test("Recorded inputs replay to the same verdict: 100,000 requests", .enabled(if: Torture.isOn))
  func torture() throws {
    #expect(try RandomRecords.check(seeds: 10_000..<26_667) > 30_000)
  }
}

/// Random rules files, each with a few levels of read, write and validate rules, and random requests for them.
enum RandomRecords {
  /// Decides random requests directly, from their record and with a trace of the live request, and compares the three:
  /// six requests for each seed.
  ///
  /// - Returns: The number of denied and recorded requests.
  static func check(seeds: Range<UInt64>) throws -> Int {
    var recorded = 0
    for seed in seeds {
      var random = RandomRules(generator: SeededRandom(seed: seed))
      let rules = try file(&random)
      for turn in 0..<6 {
        let request = self.request(&random, isRead: turn % 3 == 0)
        let decision = rules.decide(request)
        if decision.isAllowed {
          #expect(decision.denied == nil)
          continue
        }
        guard let record = decision.denied?.recorded() else { continue }
        recorded += 1
        let live = try #require(decision.denied?.explained())
        for again in [record.explained(), live] {
          let isSame =
            again.outcome == decision.outcome && again.path == decision.path && again.error == decision.error
            && again.rule?.description == decision.rule?.description
          #expect(isSame, "seed \(seed), turn \(turn): \(rules.source)")
        }
        #expect(record.explained().visited.map(\.result) == live.visited.map(\.result), "seed \(seed), turn \(turn)")
      }
    }
    return recorded
  }

  private static func file(_ random: inout RandomRules) throws -> RuleSet {
    random.hasNewData = false
    let reads = (random.expression(), random.expression())
    random.hasNewData = true
    let writes = (random.expression(), random.expression(), random.expression(), random.expression())
    func text(_ expression: String) -> String { RulesFixtures.text(.string(expression)) }
    return try RuleSet.compile(
      """
      {"rules":{".read":\(text("false && " + reads.0.replacing("$k", with: "'a'"))),
        "a":{"$k":{".read":\(text(reads.1)),".write":\(text(writes.0 + " || true")),".validate":\(text(writes.1)),
          "$l":{".validate":\(text(writes.2))},"c":{".validate":\(text(writes.3))}}},
        "$k":{".write":\(text(writes.0)),".validate":\(text(writes.2))}}}
      """.replacing(
        "\"$l\":{\".validate\":\(text(writes.2))},",
        with: random.generator.below(2) == 0 ? "" : "\"b\":{\".validate\":\(text(writes.2))},"))
  }

  private static func request(_ random: inout RandomRules, isRead: Bool) -> RulesRequest {
    let (old, auth) = (random.tree(), random.auth())
    let path = Path(random.generator.pick(["a/b", "a/b/c", "a", "b", "c/a", "a/é"]))
    if isRead { return .read(ReadRequest(path: path, root: old, auth: auth, nowMilliseconds: RulesFixtures.now)) }
    let others = random.generator.below(3) == 0 ? [Path("b/1")].filter { $0 != path } : []
    var (new, locations) = (old, [Location]())
    for place in [path] + others {
      let isPriority = random.generator.below(8) == 0 && !new[place].isEmpty
      locations.append(Location(path: place, isPriority: isPriority))
      new = new.replacing(place, with: isPriority ? new[place].with(priority: .int(3)) : random.tree(2))
    }
    return .write(
      WriteRequest(oldRoot: old, newRoot: new, locations: locations, auth: auth, nowMilliseconds: RulesFixtures.now))
  }
}
