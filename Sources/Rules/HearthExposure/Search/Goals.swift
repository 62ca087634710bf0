import HearthRules
import HearthTree

/// The conditions under which a request has a class of users and a form, and is allowed or refused.
struct Goals {
  private let target: SearchTarget
  private let table: TermTable

  init(_ target: SearchTarget, _ table: TermTable) {
    self.target = target
    self.table = table
  }

  // MARK: The user, and the written value

  func identity(owners: Set<Int>) -> [Goal] {
    let uid = table.intern(.claim(["uid"]))
    switch target.identity {
    case .signedOut, .signedIn, .anyClaims: return []
    case .otherUser: return owners.sorted().map { .literal(.equal(uid, target.keys[$0], false)) }
    // A user with a uid is searched first, because the result is easier to understand.
    case .anyAuth: return [.either([[.literal(.types(uid, .text))], [.literal(.types(uid, .null))]])]
    case .holder(let names, let value):
      let claim = table.intern(.claim([Key("token")] + names.map { Key($0) }))
      return table.constant(value.value).map { [.literal(.equal(claim, $0, true))] } ?? []
    }
  }

  var form: [Goal] {
    let written = table.intern(.value(.new, target.change.place))
    switch target.form {
    case .read: return []
    case .set, .priority: return [.literal(.types(written, .present))]
    case .delete: return [.literal(.types(written, .null))]
    }
  }

  // MARK: Allowed

  func allowed(_ chain: [RuleNode?]) -> [Goal] {
    let grants: [[Goal]] = rules(chain, target.operation == .read ? \.read : \.write).map { depth, expression in
      [.formula(.holds, expression, scope(depth))]
    }
    return [.either(grants)] + (target.operation == .read ? [] : [validated(chain)])
  }

  /// Returns the condition of the validate rules from the root to the place. Those at and below the first place that is
  /// null after the write are not evaluated.
  private func validated(_ chain: [RuleNode?]) -> Goal {
    if target.form == .delete, table.faults.contains(.deleteSkipsAncestors) { return .either([[]]) }
    let rules = rules(chain, \.validate)
    var goals: [Goal] = []
    var cases: [[Goal]] = []
    for (depth, expression) in rules {
      let value = table.intern(.value(.new, place(depth)))
      // When a value is written, no place above it is null.
      if target.form == .delete { cases.append(goals + [.literal(.types(value, .null))]) }
      goals += [.literal(.types(value, .present)), .formula(.holds, expression, scope(depth))]
    }
    if target.form != .delete || rules.last.map({ $0.depth < target.keys.count }) ?? true { cases.append(goals) }
    return .either(cases)
  }

  // MARK: Refused

  /// Returns the conditions of a refusal: every read or write rule from the root to the place denies, or an applicable
  /// validate rule denies.
  func denied(_ chain: [RuleNode?]) -> [Goal] {
    let refusals: [Goal] = rules(chain, target.operation == .read ? \.read : \.write).map { depth, expression in
      .formula(.denies, expression, scope(depth))
    }
    guard target.operation == .write else { return refusals }
    var cases: [[Goal]] = [refusals]
    for (depth, expression) in rules(chain, \.validate) {
      let value = table.intern(.value(.new, place(depth)))
      cases.append([.literal(.types(value, .present)), .formula(.denies, expression, scope(depth))])
    }
    if target.carriesValue, let node = chain.last ?? nil {
      carried(node, target.keys, &cases)
      // With too many cases, no condition for the refusal is added: a refutation of the other conditions is still
      // valid.
      if cases.count > ExposureLimits.alternativesMax { return [] }
    }
    return [.either(cases)]
  }

  private func carried(_ node: RuleNode, _ keys: [TermID], _ cases: inout [[Goal]]) {
    guard cases.count <= ExposureLimits.alternativesMax else { return }
    func visit(_ next: RuleNode, _ key: TermID) {
      guard next.hasValidation else { return }
      let below = keys + [key]
      if let expression = next.validate?.expression {
        let value = table.intern(.value(.new, table.place(below)))
        cases.append([.literal(.types(value, .present)), .formula(.denies, expression, table.addScope(below))])
      }
      carried(next, below, &cases)
    }
    for (key, next) in node.children.list { visit(next, table.intern(.text(key))) }
    if let wildcard = node.wildcard {
      visit(wildcard, table.addWildcard("$key", excluding: node.children.list.map(\.key.text)))
    }
  }

  // MARK: Places of the location

  private func rules(
    _ chain: [RuleNode?], _ kind: (RuleNode) -> Rule?
  ) -> [(depth: Int, expression: TypedExpression)] {
    chain.enumerated().compactMap { depth, node in
      node.flatMap(kind)?.expression.map { (depth, $0) }
    }
  }

  private func place(_ depth: Int) -> PlaceID { table.place(Array(target.keys.prefix(depth))) }

  private func scope(_ depth: Int) -> ScopeID { table.addScope(Array(target.keys.prefix(depth))) }
}

extension Scalar {
  fileprivate var value: Value {
    switch self {
    case .bool(let value): .bool(value)
    case .int(let value): .number(Double(value))
    case .double(let value): .number(value)
    case .string(let text): .string(text)
    }
  }
}
