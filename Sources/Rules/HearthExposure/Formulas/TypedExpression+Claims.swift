import HearthRules

extension TypedExpression {
  /// True for `auth.uid`, or for a claim with the same value.
  var isUID: Bool {
    guard let names = claimNames else { return false }
    return names == ["uid"] || names == ["token", "sub"] || names == ["token", "user_id"]
  }

  /// The member names from `auth` to a claim when all of them are literals; nil for every other expression.
  var claimNames: [String]? {
    switch form {
    case .auth: []
    case .claim(let receiver, let name): receiver.claimNames.map { $0 + [name] }
    default: nil
    }
  }
}
