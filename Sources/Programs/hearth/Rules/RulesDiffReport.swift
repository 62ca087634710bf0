import HearthExposure
import HearthProgram
import HearthRules
import HearthTree
import HearthWorkbench

/// The accesses that other rules open and close, for readers and scripts.
struct RulesDiffReport {
  let before: RuleSet
  let after: RuleSet
  let entries: [RulesDifference.Entry]

  init(from before: RuleSet, to after: RuleSet, nowMilliseconds: Int64) {
    (self.before, self.after) = (before, after)
    let difference = RulesDifference(from: before, to: after, nowMilliseconds: nowMilliseconds)
    entries = Self.strongest(difference.entries())
  }

  /// Removes entries that an entry for signed-out or for all clients implies.
  private static func strongest(_ entries: [RulesDifference.Entry]) -> [RulesDifference.Entry] {
    var seen: Set<String> = []
    return entries.filter { entry in
      let place = "\(entry.direction) \(entry.question.operation) \(entry.question.location.template)"
      switch entry.question.identity {
      case .signedOut, .signedIn:
        if seen.contains(place) { return false }
        if entry.verdict.isOpen { seen.insert(place) }
        return true
      case .otherUser, .holder, .anyClaims, .anyAuth: return !seen.contains(place)
      }
    }
  }

  var json: JSON {
    func list(_ isIncluded: (RulesDifference.Entry) -> Bool) -> JSON {
      .array(
        entries.filter(isIncluded).map { entry in
          var json: JSON = [
            "path": .string(entry.question.location.template), "operation": .string(entry.question.operation.rawValue),
            "who": .string(entry.question.identity.name),
          ]
          switch entry.verdict {
          case .open(let witness, _): json["witness"] = witness.json
          case .undecided(let reason):
            json["direction"] = .string(entry.direction.rawValue)
            json["reason"] = .string(reason.rawValue)
          case .closed: break
          }
          return json
        })
    }
    return [
      "opened": list { $0.direction == .opened && $0.verdict.isOpen },
      "closed": list { $0.direction == .closed && $0.verdict.isOpen }, "undecided": list { !$0.verdict.isOpen },
    ]
  }

  /// - Parameters:
  ///   - old: The file of the earlier rules.
  ///   - new: The file of the later rules.
  func text(_ old: String, _ new: String, _ style: TerminalStyle) -> String {
    if entries.isEmpty { return style.good("no difference") + ": proved for every path of both files" }
    return entries.map { entry in
      let isOpened = entry.direction == .opened
      let place = place(entry, style)
      switch entry.verdict {
      case .open(let witness, let rule):
        let details = ExposureDetails(file: isOpened ? new : old, rules: isOpened ? after : before, style: style)
        return (isOpened ? style.bad("newly open") : style.good("newly closed")) + "  \(place)\n"
          + details.request(witness, rule)
      case .undecided(let reason): return style.warning("undecided") + "  \(place): \(reason.rawValue)"
      case .closed: return ""
      }
    }.joined(separator: "\n\n")
  }

  /// Returns a line for each path, without the requests that prove it.
  ///
  /// - Parameter linesMax: The maximum number of lines; further paths are only counted.
  func brief(_ style: TerminalStyle, linesMax: Int = 12) -> String {
    if entries.isEmpty { return "no path opens or closes" }
    var lines = entries.prefix(linesMax).map { entry in
      let what =
        switch (entry.verdict.isOpen, entry.direction) {
        case (false, _): style.warning("undecided")
        case (true, .opened): style.bad("opens")
        case (true, .closed): style.good("closes")
        }
      return "\(what)  \(place(entry, style))"
    }
    if entries.count > linesMax { lines.append("and \(entries.count - linesMax) more: hearth rules diff OLD NEW") }
    return lines.joined(separator: "\n")
  }

  private func place(_ entry: RulesDifference.Entry, _ style: TerminalStyle) -> String {
    "\(entry.question.operation.rawValue) \(style.strong(TextTable.printable(entry.question.location.template)))  "
      + style.faint("by \(ExposureDetails.who(entry.question.identity))")
  }
}
