import HearthRules

extension RuleSet {
  /// Compiles the rules of an upload.
  ///
  /// - Throws: a refusal in Firebase's words, which begin with line and column.
  static func uploaded(_ text: String) throws(RESTFailure) -> RuleSet {
    do { return try RuleSet.compile(text) } catch { throw RESTFailure(400, error.uploadErrorText) }
  }
}
