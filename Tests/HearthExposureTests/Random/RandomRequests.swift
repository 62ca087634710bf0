import HearthRules
import HearthTree
import RandomTestKit

@testable import HearthExposure

/// Random requests at instances of a location, by a member of an identity class. They often contain values from the
/// rules.
struct RandomRequests {
  var generator: SeededRandom
  private let texts: [String]
  private let numbers: [Scalar]
  private let keys: [String]
  private let leafTexts: [String]

  init(_ rules: RuleSet, generator: SeededRandom) {
    self.generator = generator
    var texts: Set = ["", "u", "v", "uv", "U", "m", "/", "u/v"]
    var numbers: Set<Double> = [0, 1, 2, 3, 10, 11, -1, 0.5]
    for rulesLocation in RulesLocation.all(in: rules) {
      for rule in [rulesLocation.node.read, rulesLocation.node.write, rulesLocation.node.validate] {
        for part in rule?.expression?.parts ?? [] {
          guard case .constant(let value) = part.form else { continue }
          if case .string(let text) = value { texts.insert(text) }
          if case .number(let number) = value { numbers.formUnion([number - 1, number, number + 1]) }
        }
      }
    }
    self.texts = texts.sorted()
    self.numbers = numbers.sorted().map { Int64(exactly: $0).map(Scalar.int) ?? .double($0) }
    leafTexts = self.texts + RandomRuleSet.keys
    keys = (RandomRuleSet.keys + ["uv"] + texts.filter { Key($0).problem == nil && $0.count < 4 }).sorted()
  }

  // MARK: Requests

  /// Returns a read of an instance of the location, or a write there: a value, a deletion, a priority, or a child that
  /// no rule names. An update also writes other locations.
  mutating func attempt(
    at rulesLocation: RulesLocation, _ operation: ExposureOperation, by identity: ExposureIdentity,
    isUpdate: Bool = false
  ) -> Attempt? {
    let path = instance(of: rulesLocation)
    guard let auth = auth(identity, at: path, rulesLocation.owners) else { return nil }
    var attempt = Attempt(auth: auth.value, data: data(), path: path)
    attempt.nowMilliseconds = RandomRuleSet.nowMilliseconds + [0, 0, 1, 2, 3, 100][generator.below(6)]
    if operation == .read {
      attempt.query = generator.isOne(in: 2) ? query() : nil
      return attempt
    }
    attempt.writes = [write(at: path, rulesLocation, over: attempt)]
    guard isUpdate else { return attempt }
    for _ in 0..<generator.below(3) {
      let other = Path((0...generator.below(2)).map { _ in Key(generator.pick(keys)) })
      if attempt.writes.contains(where: { $0.path.contains(other) || other.contains($0.path) }) { continue }
      attempt.writes.append(.init(path: other, value: generator.isOne(in: 3) ? .empty : value(1)))
    }
    return attempt
  }

  private mutating func write(at path: Path, _ rulesLocation: RulesLocation, over attempt: Attempt) -> Attempt.Write {
    let there = attempt.data[path]
    switch generator.below(12) {
    case 0, 1, 2: return .init(path: path, value: .empty)
    case 3:
      let priority = generator.isOne(in: 3) ? nil : Optional(generator.pick([Scalar.int(1), .int(2), .string("u")]))
      guard !there.isEmpty else { break }
      return .init(path: path, value: there.with(priority: priority), isPriority: true)
    case 4 where rulesLocation.node.wildcard == nil:
      let below = Key(generator.pick(keys))
      guard rulesLocation.node.children[below] == nil else { break }
      return .init(path: path.appending(below), value: generator.isOne(in: 3) ? .empty : value(1))
    case 5 where there.isInterior:
      // The present value with one child changed.
      let child = Path([Key(generator.pick(keys))])
      return .init(path: path, value: there.replacing(child, with: generator.isOne(in: 2) ? .empty : value(0)))
    default: break
    }
    return .init(path: path, value: value(1))
  }

  mutating func instance(of rulesLocation: RulesLocation) -> Path {
    Path(
      rulesLocation.steps.map { step in
        switch step {
        case .key(let text): return Key(text)
        case .wildcard(_, let names): return Key(generator.pick((keys + ["x"]).filter { !names.contains($0) }))
        }
      })
  }

  // MARK: Identity

  /// Returns `auth` of a member of an identity class, or nil when the class is empty for the path.
  private mutating func auth(
    _ identity: ExposureIdentity, at path: Path, _ owners: Set<Int>
  ) -> (value: JSON?, ())? {
    if identity == .signedOut { return (nil, ()) }
    let owned = owners.compactMap { $0 < path.count ? path.keys[$0].text : nil }
    if identity == .otherUser, owned.isEmpty { return nil }
    var uids = keys + ["a/b", "u/v", "/", "x"] + path.keys.map(\.text) + path.keys.map(\.text)
    if identity == .otherUser { uids.removeAll { uid in owned.contains(uid) } }
    let uid = generator.pick(uids)
    if identity == .anyAuth { return (anyAuth(uid), ()) }
    let provider = generator.pick(["anonymous", "u", "v", "password"])
    var token: [JSON.Member] = [
      .init("sub", .string(uid)), .init("user_id", .string(uid)),
      .init("firebase", .object([.init("sign_in_provider", .string(provider))])),
    ]
    if generator.isOne(in: 2) { token.append(.init("email", .string(generator.pick(texts + ["u@v"])))) }
    if generator.isOne(in: 2) { token.append(.init("email_verified", .bool(generator.isOne(in: 2)))) }
    if generator.isOne(in: 2) { token.append(.init("auth_time", .int(Int64(generator.below(12))))) }
    if identity == .anyClaims { token += customClaims() }
    if case .holder(let names, let value) = identity, names.count == 1 { token.append(.init(names[0], JSON(value))) }
    return (
      .object([.init("uid", .string(uid)), .init("provider", .string(provider)), .init("token", .object(token))]), ()
    )
  }

  /// Returns claims that a token issuer may choose: those of other users, and random ones.
  private mutating func anyAuth(_ uid: String) -> JSON {
    var auth = JSON.object([.init("uid", .string(uid))])
    let names: [[String]] = [
      ["admin"], ["provider"], ["token", "admin"], ["token", "role"], ["token", "email"], ["token", "sub"],
      ["token", "email_verified"], ["token", "auth_time"], ["token", "firebase", "sign_in_provider"], ["token", "x"],
      ["token", generator.pick(keys)],
    ]
    for names in names where generator.isOne(in: 2) { auth.set(names, claim()) }
    if generator.isOne(in: 8) { auth.set(["uid"], .null) }
    return auth
  }

  private mutating func customClaims() -> [JSON.Member] {
    let names = Set(["admin", "role", "x", generator.pick(keys)]).subtracting(["email", "name"]).sorted()
    return names.filter { _ in generator.below(4) > 0 }.map { .init($0, claim()) }
  }

  private mutating func claim() -> JSON {
    switch generator.below(5) {
    case 0, 1: .bool(generator.isOne(in: 4) == false)
    case 2: .int(Int64(generator.below(12)))
    case 3: .object([.init(generator.pick(keys), .bool(true))])
    default: .string(generator.pick(texts + ["u@v"]))
    }
  }

  // MARK: Data

  mutating func data() -> Node {
    var tree = Node.empty
    for _ in 0..<generator.below(9) {
      tree = tree.replacing(Path((0...generator.below(4)).map { _ in Key(generator.pick(keys)) }), with: leaf())
    }
    return tree
  }

  mutating func value(_ depth: Int) -> Node {
    guard depth > 0, generator.below(5) < 2 else { return leaf() }
    var tree = Node.empty
    for _ in 0...generator.below(3) {
      tree = tree.replacing(Path((0...generator.below(2)).map { _ in Key(generator.pick(keys)) }), with: leaf())
    }
    return generator.isOne(in: 6) && !tree.isEmpty ? tree.with(priority: .int(1)) : tree
  }

  private mutating func leaf() -> Node {
    let scalar: Scalar
    switch generator.below(4) {
    case 0: scalar = .bool(generator.isOne(in: 2))
    case 1: scalar = generator.pick(numbers)
    default: scalar = .string(generator.pick(leafTexts))
    }
    return Node(scalar, priority: generator.isOne(in: 6) ? generator.pick([.int(1), .int(2), .string("u")]) : nil)
  }

  private mutating func query() -> Query {
    var query = Query()
    query.order = generator.pick([nil, .key, .value, .priority, .child(Path("u")), .child(Path("v"))])
    let bounds: [Scalar] = [.int(1), .int(2), .string("u"), .string("v"), .bool(true)]
    switch generator.below(5) {
    case 0: query.start = .init(value: generator.pick(bounds))
    case 1: query.end = .init(value: generator.pick(bounds))
    case 2:
      let value = generator.pick(bounds)
      (query.start, query.end) = (.init(value: value), .init(value: value))
    default: break
    }
    query.limit = generator.pick([nil, .first(1), .first(2), .first(5), .last(1), .last(3)])
    return query
  }
}

extension JSON {
  init(_ scalar: Scalar) {
    switch scalar {
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .double(let value): self = .double(value)
    case .string(let text): self = .string(text)
    }
  }
}
