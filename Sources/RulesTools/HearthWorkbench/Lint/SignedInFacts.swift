import HearthRules

extension TypedExpression {
  /// The operands joined by `&&`; the expression itself when there are none.
  var conjuncts: [TypedExpression] {
    guard case .all(let operands) = form else { return [self] }
    return operands.flatMap(\.conjuncts)
  }

  /// The operands joined by `||`; the expression itself when there are none.
  var disjuncts: [TypedExpression] {
    guard case .any(let operands) = form else { return [self] }
    return operands.flatMap(\.disjuncts)
  }

  /// Returns true when the expression, or a part of it, fulfils a condition.
  func contains(where isWanted: (TypedExpression) -> Bool) -> Bool {
    isWanted(self) || operands.contains { $0.contains(where: isWanted) }
  }

  /// True for `auth` or a value below it, which is null for signed-out clients.
  var isClaim: Bool {
    switch form {
    case .auth: true
    case .claim(let receiver, _), .claimIndex(let receiver, _): receiver.isClaim
    default: false
    }
  }

  /// True when it is false for every signed-out client.
  var needsSignedIn: Bool {
    if failsSignedOut { return true }
    switch form {
    case .constant(.bool(false)): return true
    case .all(let operands): return operands.contains { $0.needsSignedIn }
    case .any(let operands): return operands.allSatisfy { $0.needsSignedIn }
    case .conditional(let condition, let then, let otherwise):
      return (then.needsSignedIn || condition.needsSignedOut)
        && (otherwise.needsSignedIn || condition.holdsSignedOut)
    case .not(let operand): return operand.holdsSignedOut
    case .binary(.notEqual, let left, let right): return left.isClaim && right.isNull || right.isClaim && left.isNull
    case .binary(.equal, let left, let right):
      return left.isClaim && !right.canBeNull || right.isClaim && !left.canBeNull
    default: return false
    }
  }

  /// True when it is false for every signed-in client.
  private var needsSignedOut: Bool {
    guard case .binary(.equal, let left, let right) = form else { return false }
    if case .auth = left.form { return right.isNull }
    if case .auth = right.form { return left.isNull }
    return false
  }

  /// True for conditions such as `auth == null`, which are true for every signed-out client.
  var holdsSignedOut: Bool {
    guard case .binary(.equal, let left, let right) = form else { return false }
    return left.isClaim && right.isNull || right.isClaim && left.isNull
  }

  private var isNull: Bool { if case .constant(.null) = form { true } else { false } }

  private var canBeNull: Bool { ValueKinds(of: self).contains(.null) }

  /// True when its evaluation is an error for signed-out clients: such as that of `child(auth.uid)`.
  private var failsSignedOut: Bool {
    switch form {
    case .child(let snapshot, let name), .hasChild(let snapshot, let name):
      snapshot.failsSignedOut || name.isClaim || name.failsSignedOut
    case .text(let receiver, _, let arguments):
      ([receiver] + arguments).contains { $0.isClaim || $0.failsSignedOut }
    case .matches(let receiver, _), .length(let receiver): receiver.isClaim || receiver.failsSignedOut
    case .parent(let operand), .snapshotTest(let operand, _), .not(let operand): operand.failsSignedOut
    case .negate(let operand): operand.isClaim || operand.failsSignedOut
    case .hasAllChildren(let snapshot, let names): ([snapshot] + names).contains { $0.failsSignedOut }
    case .binary(.equal, let left, let right), .binary(.notEqual, let left, let right):
      left.failsSignedOut || right.failsSignedOut
    case .binary(_, let left, let right):
      left.isClaim || right.isClaim || left.failsSignedOut || right.failsSignedOut
    case .all(let operands), .any(let operands): operands.first?.failsSignedOut ?? false
    case .conditional(let condition, _, _): condition.failsSignedOut
    default: false
    }
  }
}
