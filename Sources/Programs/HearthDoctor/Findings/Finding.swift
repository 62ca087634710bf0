import HearthTree

/// The result of a check, with the advice that follows from it.
package struct Finding: Sendable, Equatable {
  /// The severity of a finding.
  package enum Severity: String, Sendable, CaseIterable, Comparable {
    /// A good result.
    case ok
    /// A notice that needs no action.
    case notice
    /// A problem that will cause a failure or weakens protection.
    case warning
    /// A failure, or access that should be denied.
    case error

    package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// The code for scripts: never renamed, and never reused.
  package var code: String
  /// The severity.
  package var severity: Severity
  /// The observation: a sentence without its full stop.
  package var text: String
  /// The advice; nil when no action is needed.
  package var advice: String?

  /// Creates a finding that needs an action.
  package init(_ code: String, _ severity: Severity, _ text: String, advice: String) {
    (self.code, self.severity, self.text, self.advice) = (code, severity, text, advice)
  }

  /// Creates a finding with a good result.
  package init(ok code: String, _ text: String) {
    (self.code, severity, self.text) = (code, .ok, text)
  }

  /// Creates a check that could not be made, with the reason. The code is that of the finding that it would have had.
  package init(unchecked code: String, _ reason: String) {
    (self.code, severity, text) = (code, .notice, "not checked: \(reason)")
  }

  /// The finding for scripts.
  package var json: JSON {
    var json: JSON = ["code": .string(code), "severity": .string(severity.rawValue), "text": .string(text)]
    if let advice { json["advice"] = .string(advice) }
    return json
  }
}
