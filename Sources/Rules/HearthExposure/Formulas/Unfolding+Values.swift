import HearthRules
import HearthTree

/// The possible values of an expression, each with its conditions. Errors are omitted: when evaluating the expression
/// is an error, no condition of the list holds.
extension Unfolding {
  struct Found {
    var goals: [Goal]
    var term: TermID
  }

  func values(_ expression: TypedExpression, _ scope: ScopeID) throws(TooMany) -> [Found] {
    func plain(_ term: Term) -> [Found] { [Found(goals: [], term: table.intern(term))] }
    switch expression.form {
    case .constant(let value): return table.constant(value).map { [Found(goals: [], term: $0)] } ?? []
    case .now: return plain(.now)
    case .wildcard(let depth):
      let keys = table.scopes[scope].keys
      return keys.indices.contains(depth) ? [Found(goals: [], term: keys[depth])] : []
    case .auth: return plain(.claim([]))
    case .claim, .claimIndex: return try claims(expression, scope)
    case .queryField(let receiver, let field): return queryField(receiver, field, scope)
    case .snapshotTest(let receiver, let function):
      guard case .value(let term) = function.proof else { return truths(expression, scope) }
      return try snapshots(receiver, scope).map { found in
        Found(goals: found.goals, term: table.intern(term(found.side, found.place)))
      }
    case .length(let receiver): return try length(receiver, scope)
    case .text(let receiver, let function, let arguments):
      guard case .value = function.proof else { return truths(expression, scope) }
      return try applied(function, [receiver] + arguments, scope)
    case .negate(let operand):
      return try values(operand, scope).map {
        Found(goals: $0.goals + [.literal(.types($0.term, .number))], term: table.intern(.negative($0.term)))
      }
    case .binary(.add, let a, let b): return try sum(a, b, scope)
    case .binary(let binary, let a, let b) where binary.isArithmetic:
      return try pairs(a, b, scope).map { goals, x, y in
        let types: [Goal] = [.literal(.types(x, .number)), .literal(.types(y, .number))]
        return Found(goals: goals + types, term: table.intern(.arithmetic(binary, x, y)))
      }
    case .conditional(let condition, let then, let otherwise):
      return try either(condition, scope, values(then, scope), values(otherwise, scope))
    case .unusable, .query, .snapshot, .child, .parent: return []
    case .hasChild, .hasAllChildren, .matches, .not, .all, .any, .binary: return truths(expression, scope)
    }
  }

  /// Returns the two values of a Boolean expression.
  private func truths(_ expression: TypedExpression, _ scope: ScopeID) -> [Found] {
    [
      Found(goals: [.formula(.holds, expression, scope)], term: TermTable.yes),
      Found(goals: [.formula(.fails, expression, scope)], term: TermTable.no),
    ]
  }

  private func either(
    _ condition: TypedExpression, _ scope: ScopeID, _ then: [Found], _ otherwise: [Found]
  ) throws(TooMany) -> [Found] {
    if then.count + otherwise.count > ExposureLimits.alternativesMax { throw TooMany() }
    return then.map { Found(goals: [.formula(.holds, condition, scope)] + $0.goals, term: $0.term) }
      + otherwise.map { Found(goals: [.formula(.fails, condition, scope)] + $0.goals, term: $0.term) }
  }

  /// Returns the values of `+`: numbers are added; with a text on either side, texts and numbers are joined; anything
  /// else is an error.
  private func sum(_ a: TypedExpression, _ b: TypedExpression, _ scope: ScopeID) throws(TooMany) -> [Found] {
    var result: [Found] = []
    for (goals, x, y) in try pairs(a, b, scope) {
      let (first, second) = (table.types(x), table.types(y))
      func add(_ firstType: TypeSet, _ secondType: TypeSet, _ term: Term) {
        guard !first.isDisjoint(with: firstType), !second.isDisjoint(with: secondType) else { return }
        let types: [Goal] = [.literal(.types(x, firstType)), .literal(.types(y, secondType))]
        result.append(Found(goals: goals + types, term: table.intern(term)))
      }
      add(.number, .number, .arithmetic(.add, x, y))
      add(.text, .joinable, .joined([x, y]))
      add(.number, .text, .joined([x, y]))
    }
    return result
  }

  /// Returns the values of a function: its result for each combination of the operands' values, which must all be
  /// texts.
  private func applied(
    _ function: TextFunction, _ operands: [TypedExpression], _ scope: ScopeID
  ) throws(TooMany) -> [Found] {
    var rows: [(goals: [Goal], terms: [TermID])] = [([], [])]
    for operand in operands {
      let options = try values(operand, scope)
      if rows.count * options.count > ExposureLimits.alternativesMax { throw TooMany() }
      rows = rows.flatMap { row in options.map { (row.goals + $0.goals, row.terms + [$0.term]) } }
    }
    return rows.map { row in
      let types: [Goal] = row.terms.map { .literal(.types($0, .text)) }
      return Found(goals: row.goals + types, term: table.intern(.applied(function, row.terms)))
    }
  }

  /// Returns the values of `length`: for a text, the number of UTF-16 units. For a claim that is a list, it would be
  /// the number of elements, and for an object its member `length`; neither is analysed.
  private func length(_ receiver: TypedExpression, _ scope: ScopeID) throws(TooMany) -> [Found] {
    var result: [Found] = []
    for found in try values(receiver, scope) {
      let types = table.types(found.term)
      if types.contains(.text) {
        result.append(
          Found(goals: found.goals + [.literal(.types(found.term, .text))], term: table.intern(.length(found.term))))
      }
      if receiver.type == .auth, types.contains(.object) {
        result.append(
          Found(
            goals: found.goals + [.literal(.types(found.term, .object))], term: table.intern(.claimLength(found.term))))
      }
    }
    return result
  }

  // MARK: Claims and queries

  private func claims(_ expression: TypedExpression, _ scope: ScopeID) throws(TooMany) -> [Found] {
    switch expression.form {
    case .claim(let receiver, let name):
      return try values(receiver, scope).map { Found(goals: $0.goals, term: claim(of: $0.term, table.text(name))) }
    case .claimIndex(let receiver, let index):
      return try pairs(receiver, index, scope).map { goals, owner, name in
        // A number as a name means the member with the number's text as its name.
        let goals = goals + [.literal(.types(name, .joinable))]
        if case .number(let value) = table[name] {
          return Found(goals: goals, term: claim(of: owner, table.text(NumberText.of(value))))
        }
        return Found(goals: goals, term: claim(of: owner, name))
      }
    default: return []
    }
  }

  private func claim(of owner: TermID, _ name: TermID) -> TermID {
    switch (table[owner], table[name]) {
    case (.null, _): TermTable.null  // a property of null is null
    case (.claim(let names), .text(let name)): table.intern(.claim(names + [name]))
    default: table.intern(.computedClaim(owner, name))
    }
  }

  private func queryField(_ receiver: TypedExpression, _ field: QueryField, _ scope: ScopeID) -> [Found] {
    guard case .conditional(let condition, let then, let otherwise) = receiver.form else {
      return [Found(goals: [], term: table.intern(.query(field)))]
    }
    return queryField(then, field, scope).map {
      Found(goals: [.formula(.holds, condition, scope)] + $0.goals, term: $0.term)
    }
      + queryField(otherwise, field, scope).map {
        Found(goals: [.formula(.fails, condition, scope)] + $0.goals, term: $0.term)
      }
  }
}

extension BinaryOperator {
  fileprivate var isArithmetic: Bool {
    switch self {
    case .add, .subtract, .multiply, .divide, .remainder: true
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: false
    }
  }
}
