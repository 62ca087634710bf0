import HearthRules

extension ExposureWitness {
  /// What in the rule that grants a reader may not have expected, and what the request needs of the data.
  package func surprises(_ rule: RuleReference?) -> [String] { [] }
}
