import HearthRules
import HearthTree

/// The quality of a rules file's tests: the result of each mutant.
package struct MutationReport: Sendable {
  /// The result of a mutant.
  package enum MutantResult: Sendable {
    /// A case of the tests detected it.
    case killed
    /// No case detected it. The test is a complete test file with one case that would detect it.
    case survived(test: JSON)
    /// A proof that the mutant allows and denies the same requests as the rules.
    case equivalent
    /// No case detected it, and neither a request nor a proof was found.
    case undecided
  }

  /// A mutant and its result.
  package struct Entry: Sendable {
    /// The mutant.
    package var mutant: RulesMutant
    /// The result.
    package var result: MutantResult
  }

  /// The mutants that compile, in the order of the file.
  package var entries: [Entry]
  /// The number of mutants that were omitted because the total size exceeded ``WorkbenchLimits/mutantBytesMax``.
  package var skipped = 0
  /// The duration of the run.
  package var elapsedMilliseconds: Double = 0

  /// The number of mutants that a case detected.
  package var killed: Int { entries.count { if case .killed = $0.result { true } else { false } } }
  /// The number of mutants that no case detected, though one could.
  package var survived: Int { entries.count { if case .survived = $0.result { true } else { false } } }
  /// The number of mutants that no case can detect.
  package var equivalent: Int { entries.count { if case .equivalent = $0.result { true } else { false } } }
  /// The number of undecided mutants.
  package var undecided: Int { entries.count { if case .undecided = $0.result { true } else { false } } }

  /// The fraction of detected mutants among the detectable ones, from 0 to 1; 1 when there are none. Undecided and
  /// omitted mutants count as undetected.
  package var score: Double {
    let counted = entries.count + skipped - equivalent
    return counted == 0 ? 1 : Double(killed) / Double(counted)
  }
}

extension MutationReport {
  /// The report as JSON.
  package var json: JSON {
    [
      "mutants": .int(Int64(entries.count)), "killed": .int(Int64(killed)), "survived": .int(Int64(survived)),
      "equivalent": .int(Int64(equivalent)), "undecided": .int(Int64(undecided)), "skipped": .int(Int64(skipped)),
      "score": .double((score * 10_000).rounded() / 10_000),
      "survivors": .array(
        entries.compactMap { entry in
          guard case .survived(let test) = entry.result else { return nil }
          return entry.mutant.json.appending(["test": test])
        }),
      "open": .array(
        entries.compactMap { entry in
          if case .undecided = entry.result { entry.mutant.json } else { nil }
        }),
    ]
  }

  /// Returns the tests that would detect every mutant that survived, as one test file.
  ///
  /// - Parameter rulesFile: The name of the rules file in the test file.
  package func missingTests(rulesFile: String) -> JSON {
    var users: [JSON.Member] = []
    var cases: [JSON] = []
    for case .survived(let test) in entries.map(\.result) {
      guard let found = test["cases"]?.array?.first, var members = found.members else { continue }
      if let user = test["users"]?.members?.first {
        // Equal users share one name.
        let known = users.first { $0.value == user.value }?.name
        let name = known ?? "user\(users.count + 1)"
        if known == nil { users.append(.init(name, user.value)) }
        members = members.map { $0.name == "as" ? .init("as", .string(name)) : $0 }
      }
      let json = JSON.object(members)
      if !cases.contains(json) { cases.append(json) }
    }
    return ["rules": .string(rulesFile), "users": .object(users), "cases": .array(cases)]
  }

  /// Returns the report as text.
  ///
  /// - Parameter file: The rules file's name in messages.
  package func text(file: String, _ style: TerminalStyle) -> String {
    var lines: [String] = []
    for entry in entries {
      switch entry.result {
      case .killed, .equivalent: continue
      case .survived(let test):
        lines += entry.mutant.lines(file, style.bad("survived"), style)
        lines.append("  a test that would fail:")
        lines.append("    " + String(decoding: (test["cases"]?.array?.first ?? .null).text(), as: UTF8.self).printable)
        if let user = test["users"]?.members?.first {
          lines.append(
            style.faint("    \(user.name): " + String(decoding: user.value.text(), as: UTF8.self).printable))
        }
      case .undecided: lines += entry.mutant.lines(file, style.warning("undecided"), style)
      }
      lines.append("")
    }
    let percent = Int((score * 100).rounded(.down))
    var parts = ["\(entries.count) mutants", "\(killed) killed"]
    if survived > 0 { parts.append(style.bad("\(survived) survived")) }
    if equivalent > 0 { parts.append("\(equivalent) equivalent") }
    if undecided > 0 { parts.append(style.warning("\(undecided) undecided")) }
    if skipped > 0 { parts.append(style.warning("\(skipped) skipped: the rules are too long to try all")) }
    parts.append(percent == 100 ? style.good("score 100 %") : "score \(percent) %")
    parts.append("\(Int(elapsedMilliseconds.rounded(.up))) ms")
    return (lines + [parts.joined(separator: ", ")]).joined(separator: "\n") + "\n"
  }
}

extension RulesMutant {
  fileprivate var json: JSON {
    [
      "operator": .string(operation.rawValue), "kind": .string(rule.kind.rawValue),
      "path": .string(rule.pathTemplate), "line": .int(Int64(rule.position.line)),
      "column": .int(Int64(rule.position.column)), "from": .string(original),
      "to": .string(operation == .moveUp ? "/" + place.joined(separator: "/") : replacement),
      "mutant": .string(expression),
    ]
  }

  fileprivate func lines(_ file: String, _ result: String, _ style: TerminalStyle) -> [String] {
    let place = "\(file):\(rule.position.line):\(rule.position.column)".printable
    let what = ".\(rule.kind.rawValue) at \(rule.pathTemplate)".printable
    let change =
      operation == .moveUp
      ? "at /\(self.place.joined(separator: "/"))" : "\(original.printable)  →  \(replacement.printable)"
    return [
      "\(style.strong(place)): \(result): \(what): \(operation.explanation) (\(operation.rawValue))", "    \(change)",
    ]
  }
}
