import HearthRules
import Logging

extension Logger {
  /// Tells the operator of what is allowed in rules that are in force now, but most likely not meant. The answer to the
  /// upload is the service's, which has no warnings.
  package func warn(of rules: RuleSet, in database: String) {
    for warning in rules.warnings {
      let place = (rules.origin.map { "\($0.file):" } ?? "") + "\(warning.line):\(warning.column)"
      self.warning(
        "rules: \(place): \(warning.message)",
        metadata: ["database": "\(database)", "help": "\(warning.help ?? "")"])
    }
  }
}
