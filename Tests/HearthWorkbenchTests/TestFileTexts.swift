import HearthRules
import HearthWorkbench

/// Helpers that parse and run test files.
enum TestFileTexts {
  static func read(_ text: String, as file: String = "tests.yaml") throws -> RulesTestFile {
    try RulesTestReader.read(DocumentText(file: file, text: text))
  }

  /// Returns the error message of a refused text, without the line and the caret, or nil when it is accepted.
  static func refusal(_ text: String, as file: String = "tests.yaml") -> String? {
    do {
      _ = try read(text, as: file)
      return nil
    } catch let problem as DocumentProblem {
      return "\(problem.diagnostic.line):\(problem.diagnostic.column): \(problem.diagnostic.message)"
    } catch {
      return "\(error)"
    }
  }

  static let rules = """
    {
      "rules": {
        "rooms": {
          "$room": {
            ".read": "auth != null && data.child('members').child(auth.uid).exists()",
            "messages": {
              "$message": {
                ".write": "auth != null && !data.exists()",
                ".validate": "newData.hasChildren(['text', 'at']) && newData.child('at').val() == now"
              }
            }
          }
        }
      }
    }
    """

  static func run(_ text: String, rules: String = rules, as file: String = "tests.yaml") throws -> [RulesTestResult] {
    RulesTestRun.run(try read(text, as: file), rules: try RuleSet.compile(rules))
  }
}
