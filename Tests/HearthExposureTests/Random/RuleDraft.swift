/// A location of a rules file, before the file is written as text.
struct RuleDraft {
  struct Member {
    /// The kind of a rule.
    var kind: String
    var text: String
  }

  struct Child {
    var name: String
    var draft: RuleDraft
  }

  var rules: [Member] = []
  var children: [Child] = []

  /// Returns the file with its members in order or in reverse, and each rule changed by `rewrite`.
  func text(isReversed: Bool = false, rewrite: (String) -> String = { $0 }) -> String {
    "{\"rules\":\(body(isReversed, rewrite))}"
  }

  private func body(_ isReversed: Bool, _ rewrite: (String) -> String) -> String {
    var members = rules.map { "\".\($0.kind)\":\(Self.quoted(rewrite($0.text)))" }
    members += children.map { "\"\($0.name)\":\($0.draft.body(isReversed, rewrite))" }
    return "{\(isReversed ? members.reversed().joined(separator: ",") : members.joined(separator: ","))}"
  }

  private static func quoted(_ rule: String) -> String {
    "\"" + rule.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
