import HearthTree

/// A check of the external store, such as PostgreSQL, that keeps a folder's databases and accounts.
package struct JournalCheck: Sendable {
  /// The name of the product.
  package var product: String
  /// The beginning of the findings' codes.
  package var code: String
  /// The advice on warnings.
  package var setUpAdvice: String
  /// The warnings about the server's configuration, one sentence each.
  package var warnings: [String]
  /// The reason why it cannot be used; nil when it can.
  package var problem: String?

  /// Creates a check with these answers.
  package init(product: String, code: String, setUpAdvice: String, warnings: [String], problem: String?) {
    (self.product, self.code, self.setUpAdvice) = (product, code, setUpAdvice)
    (self.warnings, self.problem) = (warnings, problem)
  }

  /// The findings: one for each warning, or a single good one.
  package var findings: [Finding] {
    if let problem {
      return [
        Finding(
          "\(code)-unusable", .error, "the databases cannot be checked: \(problem.printable)",
          advice: "make sure that \(product) runs and accepts connections from this machine")
      ]
    }
    guard warnings.isEmpty else {
      return warnings.map {
        Finding(
          "\(code)-setup", .warning, "\(product): \($0.printable)", advice: setUpAdvice)
      }
    }
    return [Finding(ok: code, "\(product), which stores the databases, is configured for durable writes")]
  }
}
