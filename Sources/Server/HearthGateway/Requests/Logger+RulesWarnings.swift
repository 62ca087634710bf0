import HearthRules
import Logging

extension Logger {
  /// Logs probable mistakes in rules that are in force now. The response to the upload has Firebase's form, which has no warnings.
  package func warn(of rules: RuleSet, in database: String) {
    for warning in rules.warnings {
      let place = (rules.origin.map { "\($0.file):" } ?? "") + "\(warning.line):\(warning.column)"
      self.warning(
        "rules: \(place): \(warning.message)",
        metadata: ["database": "\(database)", "help": "\(warning.help ?? "")"])
    }
  }
}
