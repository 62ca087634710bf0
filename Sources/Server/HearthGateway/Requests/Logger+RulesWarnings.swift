import HearthRules
import Logging

extension Logger {
  /// Logs probable mistakes in rules that have come into force. The response to an upload has Firebase's format, which
  /// has no warnings.
  package func logWarnings(of rules: RuleSet, in database: String) {
    for warning in rules.warnings {
      let place = (rules.origin.map { "\($0.file):" } ?? "") + "\(warning.line):\(warning.column)"
      self.warning(
        "rules: \(place): \(warning.message)",
        metadata: ["database": "\(database)", "help": "\(warning.help ?? "")"])
    }
  }
}
