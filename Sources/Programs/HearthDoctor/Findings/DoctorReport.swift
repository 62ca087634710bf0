import HearthTree

/// The findings of all checks, the most severe first.
package struct DoctorReport: Sendable {
  /// The findings in the order of severity, and within one in the order of the checks.
  package let findings: [Finding]

  /// - Parameter findings: The findings in the order of the checks.
  package init(_ findings: [Finding]) {
    // A stable order, which `sort` does not guarantee.
    self.findings = Finding.Severity.allCases.reversed().flatMap { severity in
      findings.filter { $0.severity == severity }
    }
  }

  /// True when a finding needs an action.
  package var needsAction: Bool { findings.contains { $0.severity >= .warning } }

  /// The report for scripts: `{"worst":"warning","findings":[{"code":…,"severity":…,"text":…,"advice":…}]}`.
  package var json: JSON {
    ["worst": .string((findings.first?.severity ?? .ok).rawValue), "findings": .array(findings.map(\.json))]
  }

  /// The summary for readers: `1 error, 2 warnings, 9 ok`.
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
