import HearthTree

/// What a check came to: what is there, and what to do about it.
package struct Finding: Sendable, Equatable {
  /// How much it matters.
  package enum Severity: String, Sendable, CaseIterable, Comparable {
    /// As it should be.
    case ok
    /// Worth knowing; nothing needs to be done.
    case notice
    /// Something will fail, or protects less than it could.
    case warning
    /// Something fails, or is open to those whom it should be closed to.
    case error

    package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// What scripts know it by: never renamed, and used for nothing else later.
  package var code: String
  /// How much it matters.
  package var severity: Severity
  /// What is there: a sentence without its full stop.
  package var text: String
  /// What to do; nil where nothing is to be done.
  package var advice: String?

  /// A finding that asks for something.
  package init(_ code: String, _ severity: Severity, _ text: String, advice: String) {
    (self.code, self.severity, self.text, self.advice) = (code, severity, text, advice)
  }

  /// Something that is as it should be.
  package init(ok code: String, _ text: String) {
    (self.code, severity, self.text) = (code, .ok, text)
  }

  /// What could not be looked at, with the reason. The code is that of what would have been found.
  package init(unchecked code: String, _ reason: String) {
    (self.code, severity, text) = (code, .notice, "not checked: \(reason)")
  }

  /// As scripts read it.
  package var json: JSON {
    var json: JSON = ["code": .string(code), "severity": .string(severity.rawValue), "text": .string(text)]
    if let advice { json["advice"] = .string(advice) }
    return json
  }
}
