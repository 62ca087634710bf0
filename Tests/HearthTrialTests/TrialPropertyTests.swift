import HearthEngine
import HearthRules
import HearthTree
import RandomTestKit
import Testing

@testable import HearthTrial

/// Tests of properties that hold for random rules and requests.
@Suite struct TrialPropertyTests {
  @Test("rules that are identical or equivalent have no reversals", arguments: [false, true])
  func sameRulesNeverFlip(isRewritten: Bool) throws {
    var generator = SeededRandom(seed: isRewritten ? 7 : 3)
    var (judged, same) = (0, 0)
    for _ in 0..<40 {
      let rules = RandomFile(&generator)
      var fixture = try TrialFixture(
        rules: rules.text(rewritten: false), staged: rules.text(rewritten: isRewritten),
        data: RandomFile.data(&generator))
      for connection in 1...3 { fixture.connect(UInt64(connection), as: generator.pick(RandomFile.users)) }
      for _ in 0..<100 { try fixture.performRandom(&generator) }
      #expect(fixture.report.closedCount + fixture.report.openedCount == 0)
      judged += fixture.report.judgedCount
      same += fixture.report.sameRulesCount
    }
    #expect(judged > 3_000)
    #expect(isRewritten ? same < judged / 2 : same == judged)
  }

  @Test("locations with the same pattern have the same results, for any two files")
  func samePlacesAnswerTheSame() throws {
    var generator = SeededRandom(seed: 11)
    var (same, flips) = (0, 0)
    for _ in 0..<60 {
      let rules = RandomFile(&generator)
      let staged = rules.changed(&generator)
      var fixture = try TrialFixture(
        rules: rules.text(rewritten: false), staged: staged.text(rewritten: false), data: RandomFile.data(&generator))
      let places = UnchangedLocations(fixture.judge.staged, fixture.engine.state.rules)
      for connection in 1...3 { fixture.connect(UInt64(connection), as: generator.pick(RandomFile.users)) }
      for _ in 0..<60 {
        try fixture.performRandom(&generator)
        for decided in fixture.decided.cases {
          let isOther = fixture.judge.staged.decide(decided.request).isAllowed != decided.isAllowed
          if isOther { flips += 1 }
          guard places.areSame(for: decided.request) else { continue }
          same += 1
          #expect(!isOther)
        }
      }
      #expect(
        fixture.report.judgedCount == fixture.report.equalCount + fixture.report.closedCount
          + fixture.report.openedCount)
    }
    #expect(same > 500 && flips > 100)
  }

  @Test("every reported difference is real, and every difference is reported")
  func flipsAreTrue() throws {
    var generator = SeededRandom(seed: 13)
    for _ in 0..<30 {
      let rules = RandomFile(&generator)
      var fixture = try TrialFixture(
        rules: rules.text(rewritten: false), staged: RandomFile(&generator).text(rewritten: false),
        data: RandomFile.data(&generator))
      let staged = try RuleSet.compile(fixture.judge.staged.source)
      var (closed, opened) = (0, 0)
      for _ in 0..<60 {
        try fixture.performRandom(&generator, connections: 0)
        for decided in fixture.decided.cases {
          switch (decided.isAllowed, staged.decide(decided.request).isAllowed) {
          case (true, false): closed += 1
          case (false, true): opened += 1
          default: break
          }
        }
      }
      #expect((fixture.report.closedCount, fixture.report.openedCount) == (closed, opened))
    }
  }
}

extension TrialFixture {
  /// Performs one request of a connection or a one-off request.
  mutating func performRandom(_ generator: inout SeededRandom, connections: Int = 3) throws {
    let path = Path(RandomFile.path(&generator))
    let value = generator.pick(["null", "1", #""a""#, #"{"a":1,"b":{"c":"x"}}"#, #"{"n":{"o":"ann"}}"#])
    let action: Command.Action
    switch generator.below(connections > 0 ? 9 : 5) {
    case 0, 1: action = .get(path)
    case 2: action = try .set("\(path)", value)
    case 3: action = try .update("\(path)", [("a", value), ("z/y", "1")])
    case 4: action = try .set("\(path)", value, hash: generator.pick(["", "wrong"]))
    case 5: action = .listen(ListenRequest(path))
    case 6:
      action = .listen(ListenRequest(path, query: Query(order: .key, limit: .first(1)), tag: Int32(generator.below(4))))
    case 7: action = .authenticate(Self.user(generator.pick(RandomFile.users)))
    default: action = .onDisconnect(.put(Location(path: path), WriteValue(try Self.node(value))))
    }
    if connections > 0, generator.below(4) > 0 {
      ask(UInt64(1 + generator.below(connections)), action)
    } else {
      perform(action, as: generator.pick(RandomFile.users))
    }
  }
}

/// A small random rules file, as a tree of rules.
struct RandomFile {
  indirect enum Place {
    case rules([(kind: String, rule: String)], children: [(name: String, place: Place)])
  }

  static let users: [String?] = ["ann", "ben", nil]
  private static let keys = ["a", "b", "m"]
  private static let expressions = [
    "true", "false", "auth != null", "auth.uid === 'ann'", "auth.uid === $k", "data.exists()", "newData.exists()",
    "root.child('a').exists()", "newData.isString()", "newData.hasChildren(['a'])",
    "data.child('o').val() === auth.uid",
    "$k.length < 2", "now > 1050", "query.limitToFirst <= 5", "!data.exists() || newData.exists()",
  ]

  private var root: Place

  init(_ generator: inout SeededRandom) { root = Self.place(&generator, depth: 0, hasKey: false) }

  private static func place(_ generator: inout SeededRandom, depth: Int, hasKey: Bool) -> Place {
    var rules: [(String, String)] = []
    for kind in [".read", ".write", ".validate"] where generator.below(depth == 0 ? 6 : 2) == 0 {
      let allowed = expressions.filter { expression in
        (hasKey || !expression.contains("$k")) && (kind != ".read" || !expression.contains("newData"))
          && (kind == ".read" || !expression.contains("query"))
      }
      rules.append((kind, generator.pick(allowed)))
    }
    var children: [(String, Place)] = []
    if depth < 3 {
      for key in keys where generator.below(2) == 0 {
        children.append((key, place(&generator, depth: depth + 1, hasKey: hasKey)))
      }
      if generator.below(2) == 0, !hasKey { children.append(("$k", place(&generator, depth: depth + 1, hasKey: true))) }
    }
    return .rules(rules, children: children)
  }

  /// Returns the same file with at most one rule changed.
  func changed(_ generator: inout SeededRandom) -> RandomFile {
    var file = self
    guard case .rules(let rules, var children) = root, !children.isEmpty else { return RandomFile(&generator) }
    let index = generator.below(children.count)
    if children[index].name != "$k" { children[index].place = Self.place(&generator, depth: 1, hasKey: false) }
    file.root = .rules(rules, children: children)
    return file
  }

  /// Returns the file's text.
  ///
  /// - Parameter isRewritten: True to write every rule in another form with the same meaning.
  func text(rewritten isRewritten: Bool) -> String { "{\"rules\":\(Self.text(root, isRewritten))}" }

  /// The same file with rules that allow every valid write.
  var withWriting: String {
    guard case .rules(let rules, let children) = root else { return "{}" }
    let others = rules.filter { $0.kind != ".write" }
    return RandomFile(root: .rules(others + [(".write", "true")], children: children)).text(rewritten: false)
  }

  private init(root: Place) { self.root = root }

  private static func text(_ place: Place, _ isRewritten: Bool) -> String {
    guard case .rules(let rules, let children) = place else { return "{}" }
    var members = rules.map { #""\#($0.kind)":"\#(isRewritten ? "(\($0.rule)) && !false" : $0.rule)""# }
    members += children.map { #""\#($0.name)":\#(text($0.place, isRewritten))"# }
    return "{\(members.joined(separator: ","))}"
  }

  static func path(_ generator: inout SeededRandom) -> String {
    (0..<generator.below(4)).map { _ in generator.pick(["a", "b", "m", "ann", "x"]) }.joined(separator: "/")
  }

  static func data(_ generator: inout SeededRandom) -> String {
    generator.pick([
      "null", #"{"a":{"b":{"o":"ann"},"x":"s"},"m":{"ann":{"o":"ben"}}}"#, #"{"b":{"a":{"a":1}},"x":{"x":true}}"#,
    ])
  }
}
