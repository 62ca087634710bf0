import HearthRules

/// The claims of a token that a rule reads.
struct ReadClaims {
  private var names: Set<String> = []
  /// True when the rule reads the token as a whole, or a claim whose name is computed.
  private var mayBeAny = false

  init(_ rule: Rule) {
    rule.expression?.visit { expression in
      if case .claimIndex = expression.form { mayBeAny = true }
      if let claim = expression.claimNames, claim.count > 1, claim[0] == "token" { names.insert(claim[1]) }
      let isProperty = if case .claim = expression.form { true } else { false }
      if !isProperty, expression.operands.contains(where: { $0.claimNames == ["token"] }) { mayBeAny = true }
    }
  }

  /// Returns true when the outcome may depend on a claim below `auth.token` or on a member of the claim.
  func mayRead(_ claim: String) -> Bool { mayBeAny || names.contains(claim) }
}
