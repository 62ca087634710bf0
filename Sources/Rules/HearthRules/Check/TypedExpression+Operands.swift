extension TypedExpression {
  /// The operands that have their own values, in the order of the text.
  package var operands: [TypedExpression] {
    switch form {
    case .constant, .now, .wildcard, .auth, .query, .snapshot, .unusable: []
    case .claim(let receiver, _), .parent(let receiver), .snapshotTest(let receiver, _), .length(let receiver),
      .matches(let receiver, _), .not(let receiver), .negate(let receiver):
      [receiver]
    case .queryField(let receiver, _): if case .query = receiver.form { [] } else { [receiver] }
    case .claimIndex(let first, let second), .child(let first, let second), .hasChild(let first, let second),
      .binary(_, let first, let second):
      [first, second]
    case .hasAllChildren(let receiver, let names): [receiver] + names
    case .text(let receiver, _, let arguments): [receiver] + arguments
    case .all(let operands), .any(let operands): operands
    case .conditional(let condition, let then, let otherwise): [condition, then, otherwise]
    }
  }
}

extension TypedExpression {
  /// Calls `body` with the expression and every expression in it.
  package func visit(_ body: (TypedExpression) -> Void) {
    body(self)
    for operand in operands { operand.visit(body) }
  }
}
