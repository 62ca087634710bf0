import HearthTree

/// Everything that was found, the gravest first.
package struct DoctorReport: Sendable {
  /// In order of severity, and within one in the order of the checks.
  package let findings: [Finding]

  /// - Parameter findings: in the order of the checks.
  package init(_ findings: [Finding]) {
    // Stable, which `sort` does not promise.
    self.findings = Finding.Severity.allCases.reversed().flatMap { severity in
      findings.filter { $0.severity == severity }
    }
  }

  /// Somebody has to do something.
  package var asksForSomething: Bool { findings.contains { $0.severity >= .warning } }

  /// As scripts read it: `{"worst":"warning","findings":[{"code":…,"severity":…,"text":…,"advice":…}]}`.
  package var json: JSON {
    ["worst": .string((findings.first?.severity ?? .ok).rawValue), "findings": .array(findings.map(\.json))]
  }

  /// The last line for a person: `1 error, 2 warnings, 9 ok`.
  package var summary: String {
    let counts = Finding.Severity.allCases.reversed().compactMap { severity -> String? in
      let count = findings.count { $0.severity == severity }
      guard count > 0 else { return nil }
      let isPlural = count > 1 && severity != .ok
      return "\(count) \(severity.rawValue)\(isPlural ? "s" : "")"
    }
    return counts.joined(separator: ", ")
  }
}
