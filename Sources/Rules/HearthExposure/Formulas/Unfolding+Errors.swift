import HearthRules

/// The conditions for an expression to be an error. They may hold for more requests than the error occurs in, but never
/// for fewer: an operand's error is listed even if an earlier operand may decide the result, except for operators with
/// short-circuit evaluation. Errors of the limits on steps and lengths are omitted.
extension Unfolding {
  func errors(_ expression: TypedExpression, _ scope: ScopeID) throws(TooMany) -> [Alternative] {
    switch expression.form {
    case .constant, .now, .wildcard, .auth, .query, .snapshot: return []
    case .unusable: return [[]]
    case .not(let operand): return try errors(operand, scope)
    case .all(let operands): return try chainErrors(operands, scope, after: .holds)
    case .any(let operands): return try chainErrors(operands, scope, after: .fails)
    case .conditional(let condition, let then, let otherwise):
      let (first, second) = (try errors(then, scope), try errors(otherwise, scope))
      return try bounded(
        errors(condition, scope) + first.map { [.formula(.holds, condition, scope)] + $0 }
          + second.map { [.formula(.fails, condition, scope)] + $0 })
    case .claim(let receiver, _), .queryField(let receiver, _): return try errors(receiver, scope)
    case .claimIndex(let receiver, let index):
      return try bounded(errors(receiver, scope) + unless(.joinable, index, scope))
    case .snapshotTest(let receiver, _), .parent(let receiver): return try snapshotErrors(expression, receiver, scope)
    case .child(let receiver, let path), .hasChild(let receiver, let path):
      return try bounded(errors(receiver, scope) + unless(.text, path, scope))
    case .hasAllChildren(let receiver, let names):
      var result = try errors(receiver, scope)
      for name in names { result += try unless(.text, name, scope) }
      return try bounded(result)
    case .length(let receiver): return try unless(receiver.type == .auth ? [.text, .object] : .text, receiver, scope)
    case .text(let receiver, _, let arguments):
      var result = try unless(.text, receiver, scope)
      for argument in arguments { result += try unless(.text, argument, scope) }
      return try bounded(result)
    case .matches(let receiver, _): return try unless(.text, receiver, scope)
    case .negate(let operand): return try unless(.number, operand, scope)
    case .binary(let binary, let a, let b): return try binaryErrors(binary, a, b, scope)
    }
  }

  /// Returns the conditions under which the first operands have an outcome and the next operand is an error.
  private func chainErrors(
    _ operands: [TypedExpression], _ scope: ScopeID, after sense: Sense
  ) throws(TooMany) -> [Alternative] {
    var result: [Alternative] = []
    for (index, operand) in operands.enumerated() {
      let before: [Goal] = operands[..<index].map { .formula(sense, $0, scope) }
      result += try errors(operand, scope).map { before + $0 }
      if result.count > ExposureLimits.alternativesMax { throw TooMany() }
    }
    return result
  }

  /// Returns the conditions for an error in the operand, and for a value of other types than the given ones.
  private func unless(
    _ types: TypeSet, _ operand: TypedExpression, _ scope: ScopeID
  ) throws(TooMany) -> [Alternative] {
    let own = try errors(operand, scope)
    return try bounded(
      own
        + values(operand, scope).compactMap { found in
          guard !table.types(found.term).isSubset(of: types) else { return nil }
          return found.goals + [.literal(.types(found.term, types.others))]
        })
  }

  private func snapshotErrors(
    _ expression: TypedExpression, _ receiver: TypedExpression, _ scope: ScopeID
  ) throws(TooMany) -> [Alternative] {
    var result = try errors(receiver, scope)
    guard case .parent = expression.form else { return result }
    for found in try snapshots(receiver, scope) {
      // The parent of a place that is not known may be above the root.
      if case .above = table.places[found.place].segments.first { result.append(found.goals) }
      if table.places[found.place].segments.isEmpty { result.append(found.goals) }
    }
    return try bounded(result)
  }

  private func binaryErrors(
    _ binary: BinaryOperator, _ a: TypedExpression, _ b: TypedExpression, _ scope: ScopeID
  ) throws(TooMany) -> [Alternative] {
    var result = try errors(a, scope) + errors(b, scope)
    switch binary {
    case .equal, .notEqual: return try bounded(result)
    case .subtract, .multiply, .divide, .remainder:
      for operand in [a, b] {
        for found in try values(operand, scope) where !table.types(found.term).isSubset(of: .number) {
          result.append(found.goals + [.literal(.types(found.term, TypeSet.number.others))])
        }
      }
    case .add, .less, .lessOrEqual, .greater, .greaterOrEqual:
      for (goals, x, y) in try pairs(a, b, scope) {
        for term in [x, y] where !table.types(term).isSubset(of: .joinable) {
          result.append(goals + [.literal(.types(term, TypeSet.joinable.others))])
        }
        guard binary != .add else { continue }
        for (first, second) in [(TypeSet.number, TypeSet.text), (.text, .number)]
        where !table.types(x).isDisjoint(with: first) && !table.types(y).isDisjoint(with: second) {
          result.append(goals + [.literal(.types(x, first)), .literal(.types(y, second))])
        }
      }
    }
    return try bounded(result)
  }
}
