import HearthRules

/// The decomposition of an expression into conditions on terms for the expression to be true, false or an error.
///
/// The result is a list of alternatives, each a list of goals. In every request in which the expression has the wanted
/// outcome, all goals of at least one alternative hold; proofs depend on this. For `holds` and `fails`, the reverse is
/// true too. Operands that short-circuit evaluation does not reach have no goals, so their errors do not matter;
/// operands that are reached have goals for the types that they must have.
struct Unfolding {
  let table: TermTable

  /// The error for more alternatives than the limit.
  struct TooMany: Error {}

  typealias Alternative = [Goal]

  func alternatives(
    _ sense: Sense, _ expression: TypedExpression, _ scope: ScopeID
  ) throws(TooMany) -> [Alternative] {
    switch sense {
    case .holds: return try truth(expression, scope, true)
    case .fails: return try truth(expression, scope, false)
    case .errs: return try errors(expression, scope)
    case .denies: return try bounded(truth(expression, scope, false) + errors(expression, scope))
    }
  }

  func bounded(_ list: [Alternative]) throws(TooMany) -> [Alternative] {
    if list.count > ExposureLimits.alternativesMax { throw TooMany() }
    return list
  }

  // MARK: True and false

  /// Returns the alternatives under which an expression has the value `outcome`, without an error.
  private func truth(
    _ expression: TypedExpression, _ scope: ScopeID, _ outcome: Bool
  ) throws(TooMany) -> [Alternative] {
    let sense: Sense = outcome ? .holds : .fails
    switch expression.form {
    case .constant(.bool(let value)): return value == outcome ? [[]] : []
    case .not(let operand): return [[.formula(outcome ? .fails : .holds, operand, scope)]]
    case .all(let operands): return chain(operands, scope, allOf: .holds, ends: .fails, isAll: outcome)
    case .any(let operands): return chain(operands, scope, allOf: .fails, ends: .holds, isAll: !outcome)
    case .conditional(let condition, let then, let otherwise):
      return [
        [.formula(.holds, condition, scope), .formula(sense, then, scope)],
        [.formula(.fails, condition, scope), .formula(sense, otherwise, scope)],
      ]
    case .binary(.equal, let a, let b): return try equality(a, b, scope, outcome)
    case .binary(.notEqual, let a, let b): return try equality(a, b, scope, !outcome)
    case .binary(let binary, let a, let b): return try comparison(binary, a, b, scope, outcome)
    case .snapshotTest(let receiver, let function):
      guard case .types(let wanted) = function.proof else { return try isTrue(expression, scope, outcome) }
      return try snapshots(receiver, scope).map { found in
        let term = table.intern(.value(found.side, found.place))
        return found.goals + [.literal(.types(term, outcome ? wanted : wanted.others))]
      }
    case .hasChild(let receiver, let path):
      return try children(receiver, path, scope).map { found in
        let term = table.intern(.value(found.side, found.place))
        return found.goals + [.literal(.types(term, outcome ? .present : .null))]
      }
    case .hasAllChildren(let receiver, let names): return try allChildren(receiver, names, scope, outcome)
    case .matches(let receiver, let regex):
      let pattern = table.pattern(.regex(regex))
      return try values(receiver, scope).map { found in
        found.goals + [.literal(.types(found.term, .text)), .literal(.fits(found.term, pattern, outcome))]
      }
    case .text(let receiver, let function, let arguments):
      guard case .relation(let relation) = function.proof else { return try isTrue(expression, scope, outcome) }
      return try related(receiver, relation, arguments[0], scope, outcome)
    case .constant, .now, .wildcard, .auth, .claim, .claimIndex, .query, .queryField, .snapshot, .child, .parent,
      .length,
      .negate, .unusable:
      return try isTrue(expression, scope, outcome)
    }
  }

  /// Returns the alternatives under which an expression that is not a logical operator has the value `outcome`.
  private func isTrue(
    _ expression: TypedExpression, _ scope: ScopeID, _ outcome: Bool
  ) throws(TooMany) -> [Alternative] {
    try values(expression, scope).map { found in
      found.goals + [.literal(.equal(found.term, outcome ? TermTable.yes : TermTable.no, true))]
    }
  }

  /// Returns the alternatives of a chain of `&&` or `||`: either every operand has one outcome, or all operands before
  /// some operand have it, and that operand has the other outcome.
  private func chain(
    _ operands: [TypedExpression], _ scope: ScopeID, allOf: Sense, ends: Sense, isAll: Bool
  ) -> [Alternative] {
    if isAll { return [operands.map { .formula(allOf, $0, scope) }] }
    return operands.indices.map { index in
      operands[..<index].map { .formula(allOf, $0, scope) } + [.formula(ends, operands[index], scope)]
    }
  }

  private func equality(
    _ a: TypedExpression, _ b: TypedExpression, _ scope: ScopeID, _ outcome: Bool
  ) throws(TooMany) -> [Alternative] {
    try pairs(a, b, scope).map { goals, x, y in
      // Only null is equal to null, so this is the whole condition.
      if x == TermTable.null { return goals + [.literal(.types(y, outcome ? .null : .present))] }
      if y == TermTable.null { return goals + [.literal(.types(x, outcome ? .null : .present))] }
      return goals + [.literal(.equal(x, y, outcome))]
    }
  }

  /// Returns the alternatives for `<`, `<=`, `>` and `>=`: both operands are numbers, or both are texts. Any other
  /// operands are an error, so the comparison is neither true nor false.
  private func comparison(
    _ binary: BinaryOperator, _ a: TypedExpression, _ b: TypedExpression, _ scope: ScopeID, _ outcome: Bool
  ) throws(TooMany) -> [Alternative] {
    let isStrict = binary == .less || binary == .greater
    let isSwapped = binary == .greater || binary == .greaterOrEqual
    var result: [Alternative] = []
    for (goals, first, second) in try pairs(a, b, scope) {
      let (x, y) = isSwapped ? (second, first) : (first, second)
      let both = table.types(x).intersection(table.types(y))
      if both.contains(.number) {
        result.append(
          goals + [.literal(outcome ? .order(x, y, isStrict: isStrict) : .noOrder(x, y, isStrict: isStrict))])
      }
      // Texts are totally ordered: when `x < y` is false, `y <= x` is true.
      if both.contains(.text), !table.faults.contains(.orderIsOfNumbers) {
        result.append(
          goals + [.literal(outcome ? .textOrder(x, y, isStrict: isStrict) : .textOrder(y, x, isStrict: !isStrict))])
      }
    }
    return result
  }

  private func allChildren(
    _ receiver: TypedExpression, _ names: [TypedExpression], _ scope: ScopeID, _ outcome: Bool
  ) throws(TooMany) -> [Alternative] {
    var result: [Alternative] = []
    for found in try snapshots(receiver, scope) {
      // Every name is computed, so every one must be a text, even if an earlier child is missing.
      var rows: [(goals: [Goal], terms: [TermID])] = [(found.goals, [])]
      for name in names {
        let options = try values(name, scope)
        rows = rows.flatMap { row in
          options.map { option in
            let term = table.intern(.value(found.side, table.child(found.place, option.term)))
            return (row.goals + option.goals + [.literal(.types(option.term, .text))], row.terms + [term])
          }
        }
        if rows.count > ExposureLimits.alternativesMax { throw TooMany() }
      }
      for row in rows {
        if outcome {
          result.append(row.goals + row.terms.map { .literal(.types($0, .present)) })
        } else {
          result += row.terms.map { row.goals + [.literal(.types($0, .null))] }
        }
      }
    }
    return try bounded(result)
  }

  /// Returns the alternatives for `contains`, `beginsWith` and `endsWith`.
  private func related(
    _ receiver: TypedExpression, _ relation: TextRelation, _ argument: TypedExpression, _ scope: ScopeID,
    _ outcome: Bool
  ) throws(TooMany) -> [Alternative] {
    try pairs(receiver, argument, scope).map { goals, text, part in
      let types: [Goal] = [.literal(.types(text, .text)), .literal(.types(part, .text))]
      guard case .text(let known) = table[part] else {
        return goals + types + [.literal(.relates(relation, text, part, outcome))]
      }
      let pattern = table.pattern(TextPattern(relation, known.text))
      return goals + types + [.literal(.fits(text, pattern, outcome))]
    }
  }

  /// Returns the combinations of the values of two operands.
  func pairs(
    _ a: TypedExpression, _ b: TypedExpression, _ scope: ScopeID
  ) throws(TooMany) -> [(goals: [Goal], TermID, TermID)] {
    let (first, second) = (try values(a, scope), try values(b, scope))
    if first.count * second.count > ExposureLimits.alternativesMax { throw TooMany() }
    return first.flatMap { x in second.map { y in (x.goals + y.goals, x.term, y.term) } }
  }
}
