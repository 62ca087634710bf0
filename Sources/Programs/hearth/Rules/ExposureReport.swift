import HearthExposure
import HearthProgram
import HearthRules
import HearthTree
import HearthWorkbench

/// The answers about a file as a table for readers, followed by each granting rule once.
struct ExposureReport {
  private let file: String
  private let rules: RuleSet
  private let exposure: Exposure
  private let entries: [Exposure.Entry]
  private let style: TerminalStyle
  private let identities: [ExposureIdentity]

  init(file: String, _ rules: RuleSet, _ exposure: Exposure, _ entries: [Exposure.Entry], style: TerminalStyle) {
    self.file = file
    self.rules = rules
    self.exposure = exposure
    self.entries = entries
    self.style = style
    identities = exposure.identities
  }

  /// - Parameter milliseconds: The time that the answers took.
  func text(milliseconds: Double) -> String {
    let (open, closed, undecided) = (count("open"), count("closed"), count("undecided"))
    let took = milliseconds < 10 ? "\((milliseconds * 10).rounded() / 10)" : "\(Int(milliseconds.rounded()))"
    let summary =
      "\(exposure.locations.count) paths, \(entries.count) questions: \(style.good("\(closed) closed")), "
      + "\(style.bad("\(open) open")), \(style.warning("\(undecided) undecided")), in \(took) ms"
    return ([table] + grantingRules + [summary]).joined(separator: "\n\n")
  }

  private func count(_ verdict: String) -> Int { entries.count { $0.verdict.name == verdict } }

  // MARK: Table

  private var table: String {
    let names = exposure.locations.map { TextTable.printable($0.template) }
    let width = max(8, min(60, names.map(\.count).max() ?? 0))
    var lines = [head(width)]
    var verdicts: [String: ExposureVerdict] = [:]
    for entry in entries { verdicts[Self.key(entry.question)] = entry.verdict }
    for (location, name) in zip(exposure.locations, names) {
      var line = name + String(repeating: " ", count: max(0, width - name.count))
      for identity in identities {
        line += " "
        for operation in ExposureOperation.allCases {
          let question = ExposureQuestion(location: location, operation: operation, identity: identity)
          line += "  " + mark(verdicts[Self.key(question)])
        }
        line += padding(identity)
      }
      lines.append(line)
    }
    return lines.joined(separator: "\n")
  }

  private func head(_ width: Int) -> String {
    var (first, second) = (String(repeating: " ", count: width), String(repeating: " ", count: width))
    for identity in identities {
      let name = TextTable.printable(identity.name)
      first += "   " + style.strong(name) + String(repeating: " ", count: max(0, 12 - name.count))
      second += "   " + style.faint("read   write") + padding(identity)
    }
    return first + "\n" + second
  }

  private func padding(_ identity: ExposureIdentity) -> String {
    String(repeating: " ", count: max(0, identity.name.count - 12))
  }

  private func mark(_ verdict: ExposureVerdict?) -> String {
    switch verdict {
    case nil: style.faint("–   ")
    case .closed: style.good("·   ")
    case .open: style.bad("open")
    case .undecided: style.warning("?   ")
    }
  }

  private static func key(_ question: ExposureQuestion) -> String {
    "\(question.operation.rawValue) \(question.identity.name) \(question.location.template)"
  }

  // MARK: Granting rules

  /// Each granting rule once, with the first path that it opens and the identity with the fewest rights that it lets in.
  private var grantingRules: [String] {
    var seen: Set<String> = []
    var result: [String] = []
    let details = ExposureDetails(file: file, rules: rules, style: style)
    let order = identities.filter { $0 != .otherUser } + [.otherUser]
    for identity in order {
      for entry in entries where entry.question.identity == identity {
        guard case .open(let witness, let rule) = entry.verdict else { continue }
        let way = "\(entry.question.operation.rawValue) \(rule?.line ?? 0):\(rule?.column ?? 0)"
        // Access without sign-in implies access with it; a stranger's access says more than an owner's.
        if identity != .otherUser, !seen.insert(way).inserted { continue }
        if identity == .otherUser, seen.contains("other " + way) || seen.contains("nobody " + way) { continue }
        seen.insert(identity.name + " " + way)
        let path = TextTable.printable(entry.question.location.template)
        result.append(
          style.bad("open") + "  \(ExposureDetails.who(identity)) can \(entry.question.operation.rawValue) "
            + style.strong(path) + "\n" + details.request(witness, rule))
      }
    }
    for entry in entries {
      guard case .undecided(let reason) = entry.verdict else { continue }
      result.append(
        style.warning("undecided") + "  \(entry.question.operation.rawValue) "
          + "\(TextTable.printable(entry.question.location.template)) by \(ExposureDetails.who(entry.question.identity)): "
          + reason.rawValue)
    }
    return result
  }
}
