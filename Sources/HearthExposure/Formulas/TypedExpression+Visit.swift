import HearthRules

extension TypedExpression {
  /// Its operands, left to right.
  var operands: [TypedExpression] {
    switch form {
    case .constant, .now, .wildcard, .auth, .query, .snapshot, .unusable: []
    case .claim(let a, _), .queryField(let a, _), .parent(let a), .snapshotTest(let a, _), .length(let a),
      .matches(let a, _), .not(let a), .negate(let a):
      [a]
    case .claimIndex(let a, let b), .child(let a, let b), .hasChild(let a, let b), .binary(_, let a, let b): [a, b]
    case .conditional(let a, let b, let c): [a, b, c]
    case .hasAllChildren(let a, let list), .text(let a, _, let list): [a] + list
    case .all(let list), .any(let list): list
    }
  }

  /// Calls `body` with it and everything in it.
  func forEach(_ body: (TypedExpression) -> Void) {
    body(self)
    for operand in operands { operand.forEach(body) }
  }

  /// It is `auth.uid`, or another name of it.
  var isUID: Bool {
    guard let names = claimNames else { return false }
    return names == ["uid"] || names == ["token", "sub"] || names == ["token", "user_id"]
  }

  /// The names of a claim from `auth` down, when all of them are literals; nil for everything else.
  var claimNames: [String]? {
    switch form {
    case .auth: []
    case .claim(let receiver, let name): receiver.claimNames.map { $0 + [name] }
    default: nil
    }
  }
}
