import HearthRules
import HearthTree
import RandomTestKit

@testable import HearthExposure

/// A search for an allowed request with z3: for some paths and uids the solver determines all other values.
struct SMTOracle {
  let rules: RuleSet
  private var generator: SeededRandom

  init(_ rules: RuleSet, seed: UInt64) {
    self.rules = rules
    generator = SeededRandom(seed: seed)
  }

  /// An encoded question about one path and uid, with the members from which the answer's request is read.
  struct Case {
    var unknowns: SMTUnknowns
    var encoder: SMTEncoder
    var operation: ExposureOperation
    var path: Path
    var script: String
    var names: [String]
  }

  /// Returns some cases of a question, or none when the rules cannot be encoded.
  mutating func cases(
    _ rulesLocation: RulesLocation, _ operation: ExposureOperation, _ identity: ExposureIdentity, count: Int
  ) -> [Case] {
    var result: [Case] = []
    for _ in 0..<count {
      let path = rulesLocation.steps.map { step in
        switch step {
        case .key(let key): key
        case .wildcard(_, let names): generator.pick(["u", "v", "m", "n", "x", "y"].filter { !names.contains($0) })
        }
      }
      let uid = identity == .signedOut ? nil : Optional(generator.pick(path + ["u", "v", "x", "z", "a/b", "/"]))
      if identity == .otherUser {
        let owned = rulesLocation.owners.map { path[$0] }
        if owned.isEmpty || owned.contains(uid ?? "") { continue }
      }
      var held: [(name: String, value: Scalar)] = []
      if case .holder(let names, let value) = identity, names.count == 1 { held = [(names[0], value)] }
      for isDelete in operation == .read ? [false] : [false, true] {
        if let made = try? make(rulesLocation, operation, path, uid, held, isDelete) { result.append(made) }
      }
    }
    return result
  }

  private func make(
    _ rulesLocation: RulesLocation, _ operation: ExposureOperation, _ path: [String], _ uid: String?,
    _ held: [(name: String, value: Scalar)], _ isDelete: Bool
  ) throws(SMTEncoder.Unsupported) -> Case {
    let isRead = operation == .read
    let unknowns = SMTUnknowns(written: isRead ? nil : path)
    let encoder = SMTEncoder(unknowns, keys: path, uid: uid, held: held, isRead: isRead)
    var grants: [String] = []
    for (depth, node) in rulesLocation.chain.enumerated() {
      guard let rule = isRead ? node.read : node.write, let expression = rule.expression else { continue }
      let formula = try encoder.truth(expression, depth)
      grants.append(SMT.all([formula.value, formula.isDefined]))
    }
    unknowns.require(SMT.any(grants))
    if !isRead {
      let value = unknowns.value(.new, path)
      unknowns.require(isDelete ? value.isKind(.null) : SMT.not(value.isKind(.null)))
      unknowns.require(try chain(rulesLocation, path, encoder, from: 0))
      if !isDelete { try carry(rulesLocation.node, path, uid, held, unknowns, encoder) }
    }
    unknowns.finish()
    var names = ["now"] + (isRead ? ["order", "limit", "isLast", "orderChild"] : [])
    for value in ["c0", "c1", "c2", "c3"] + (isRead ? ["bound"] : []) + unknowns.places.values.map({ "p\($0)" })
      + unknowns.priorities.values.map({ "q\($0)" })
    {
      names += ["k", "b", "n", "s"].map { value + $0 }
    }
    names += unknowns.beside.map(\.name)
    let lines = unknowns.declarations + unknowns.constraints.map { "(assert \($0))" }
    return Case(
      unknowns: unknowns, encoder: encoder, operation: operation, path: Path(path.map { Key($0) }),
      script: lines.joined(separator: "\n"), names: names)
  }

  /// Returns the validate rules on the path to the location, from the root down to the first node that is null
  /// afterwards.
  private func chain(
    _ rulesLocation: RulesLocation, _ path: [String], _ encoder: SMTEncoder, from depth: Int
  ) throws(SMTEncoder.Unsupported) -> String {
    guard depth < rulesLocation.chain.count else { return "true" }
    let value = encoder.unknowns.value(.new, Array(path.prefix(depth)))
    var parts = [try chain(rulesLocation, path, encoder, from: depth + 1)]
    if let expression = rulesLocation.chain[depth].validate?.expression {
      let formula = try encoder.truth(expression, depth)
      parts += [formula.value, formula.isDefined]
    }
    return SMT.any([value.isKind(.null), SMT.all(parts)])
  }

  /// Returns the validate rules below a written value, for each child that exists and is mentioned.
  private func carry(
    _ node: RuleNode, _ path: [String], _ uid: String?, _ held: [(name: String, value: Scalar)],
    _ unknowns: SMTUnknowns,
    _ encoder: SMTEncoder
  ) throws(SMTEncoder.Unsupported) {
    var asked: Set<[String]> = []
    // Rules of one child may mention another child; three rounds suffice for most, and a missed request is only not
    // found.
    for _ in 0..<3 {
      var open = [(node, path)]
      while let (node, keys) = open.popLast() {
        let names = node.children.list.map(\.key.text) + unknowns.children(.new, of: keys)
        for name in Set(names).sorted() where keys.count < 8 {
          guard let next = node.child(Key(name)), next.hasValidation else { continue }
          let below = keys + [name]
          open.append((next, below))
          guard asked.insert(below).inserted else { continue }
          let value = unknowns.value(.new, below)
          guard let expression = next.validate?.expression else { continue }
          let inner = SMTEncoder(encoder, keys: below)
          let formula = try inner.truth(expression, below.count)
          unknowns.require(SMT.any([value.isKind(.null), SMT.all([formula.value, formula.isDefined])]))
        }
      }
    }
  }

  // MARK: The model as a request

  func attempt(_ made: Case, _ model: [String: String]) -> Attempt? {
    func scalar(_ name: String) -> Scalar? {
      switch model[name + "k"].flatMap(SMTSolver.number) {
      case 1: return .bool(model[name + "b"] == "true")
      case 2:
        return model[name + "n"].flatMap(SMTSolver.number).map { Int64(exactly: $0).map(Scalar.int) ?? .double($0) }
      case 3: return model[name + "s"].flatMap(SMTSolver.text).map(Scalar.string)
      default: return nil
      }
    }
    func isObject(_ name: String) -> Bool { model[name + "k"] == "4" }
    func tree(_ side: SMTUnknowns.Side) -> Node {
      var tree = Node.empty
      let places = made.unknowns.places.filter { $0.key.side == side }.sorted { $0.key.keys.count < $1.key.keys.count }
      func path(_ keys: [String]) -> Path { Path(keys.map { Key($0) }) }
      for (place, number) in places {
        if let scalar = scalar("p\(number)") { tree = tree.replacing(path(place.keys), with: Node(scalar)) }
      }
      if side == .old {
        for (keys, name) in made.unknowns.beside where model[name] == "true" {
          let isThere = tree[path(keys)].children.contains { $0.key != made.path.keys[keys.count] }
          if !isThere { tree = tree.replacing(path(keys + ["other"]), with: Node(.bool(true))) }
        }
      }
      for (place, number) in places where isObject("p\(number)") && !tree[path(place.keys)].isInterior {
        tree = tree.replacing(path(place.keys + ["filler"]), with: Node(.bool(true)))
      }
      for (place, number) in made.unknowns.priorities where place.side == side {
        let node = tree[path(place.keys)]
        guard let priority = scalar("q\(number)"), !node.isEmpty else { continue }
        tree = tree.replacing(path(place.keys), with: node.with(priority: priority))
      }
      return tree
    }
    var attempt = Attempt(auth: auth(made.encoder, scalar), data: tree(.old), path: made.path)
    attempt.nowMilliseconds = model["now"].flatMap { Int64($0) } ?? RandomRuleSet.nowMilliseconds
    if made.operation == .read {
      attempt.query = query(model, scalar("bound"))
    } else {
      attempt.writes = [.init(path: made.path, value: tree(.new)[made.path])]
    }
    return attempt
  }

  private func auth(_ encoder: SMTEncoder, _ scalar: (String) -> Scalar?) -> JSON? {
    guard let uid = encoder.uid else { return nil }
    let provider = scalar("c0").map { JSON($0) } ?? .string("x")
    var token: [JSON.Member] = [
      .init("sub", .string(uid)), .init("user_id", .string(uid)),
      .init("firebase", .object([.init("sign_in_provider", provider)])),
    ]
    for (name, claim) in [("email", "c1"), ("email_verified", "c2"), ("auth_time", "c3")] {
      if let value = scalar(claim) { token.append(.init(name, JSON(value))) }
    }
    token += encoder.held.map { .init($0.name, JSON($0.value)) }
    return .object([.init("uid", .string(uid)), .init("provider", provider), .init("token", .object(token))])
  }

  private func query(_ model: [String: String], _ bound: Scalar?) -> Query? {
    var query = Query()
    let child = model["orderChild"].flatMap(SMTSolver.text) ?? "u"
    query.order = [nil, .key, .value, .priority, .child(Path(child))][Int(model["order"] ?? "0") ?? 0]
    if let bound { (query.start, query.end) = (.init(value: bound), .init(value: bound)) }
    if let limit = model["limit"].flatMap({ Int($0) }), limit > 0 {
      query.limit = model["isLast"] == "true" ? .last(limit) : .first(limit)
    }
    let isPlain = query.order == nil && query.start == nil && query.limit == nil
    return isPlain ? nil : query
  }
}
