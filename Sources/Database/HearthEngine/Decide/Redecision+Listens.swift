import HearthRules

extension Redecision.Cancelled {
  /// Creates the cancellation of a listen.
  ///
  /// - Parameter decision: The new decision of the rules.
  init(_ listen: Listen, because cause: Cancellation, _ decision: Decision) {
    let denial = Denial(
      connection: listen.connection.id, request: nil, operation: .cancellation(cause), path: listen.path,
      principal: listen.connection.principal, decision: decision)
    self.init(denial: denial, tag: listen.tag, uid: listen.principal.uid, lastPosition: listen.lastPosition)
  }
}

extension Redecision.Kept {
  init(_ listen: Listen, by rule: RuleReference?) {
    self.init(
      connection: listen.connection.id, path: listen.path, query: listen.sentQuery, uid: listen.principal.uid,
      rule: rule)
  }
}
