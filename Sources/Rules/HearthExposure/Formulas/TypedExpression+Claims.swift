import HearthRules

extension TypedExpression {
  /// True for `auth.uid`, or another name of it.
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
