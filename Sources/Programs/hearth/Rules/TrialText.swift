import HearthProgram
import HearthTree
import HearthWorkbench

/// The findings of a trial for readers.
struct TrialText {
  /// The answer of `/.settings/rules/staged.json`.
  let answer: JSON
  let style: TerminalStyle

  /// The maximum number of flips, listeners and paths that are printed of each; further ones are counted.
  private static let entriesMax = 10

  var text: String {
    var lines: [String] = []
    if answer["staged"]?.members != nil {
      lines.append(head)
      if let trial = answer["trial"], trial.members != nil { lines += self.trial(trial) }
    } else {
      lines.append("nothing is staged")
    }
    if let watch = answer["watch"], watch.members != nil { lines += ["", Self.watch(watch)] }
    return lines.joined(separator: "\n")
  }

  private var head: String {
    let staged = answer["staged"]
    let comment = staged?["comment"]?.string.map { ": \(TextTable.printable($0))" } ?? ""
    return "staged at \(staged?["time"]?.string ?? "")\(comment)"
  }

  private func trial(_ trial: JSON) -> [String] {
    let (judged, closed, opened) = (count(trial, "judged"), count(trial, "closed"), count(trial, "opened"))
    var lines = ["\(judged) decisions judged, \(count(trial, "equal")) the same"]
    lines.append(
      "  " + (closed > 0 ? style.bad("\(closed) would be denied") : "0 would be denied") + ", "
        + (opened > 0 ? style.warning("\(opened) would be allowed") : "0 would be allowed")
        + (count(trial, "undecided") > 0 ? ", \(count(trial, "undecided")) undecided" : "")
        + (count(trial, "dropped") > 0 ? "; \(count(trial, "dropped")) more were not judged: too many requests" : ""))
    let flips = trial["flips"]?.array ?? []
    for flip in flips.prefix(Self.entriesMax) { lines += self.flip(flip) }
    lines += more(flips.count, trial)
    if let forecast = trial["forecast"], forecast.members != nil { lines += self.forecast(forecast) }
    return lines
  }

  private func flip(_ flip: JSON) -> [String] {
    let isClosed = flip["direction"]?.string == "closed"
    var lines = [
      "",
      (isClosed ? style.bad("would be denied") : style.warning("would be allowed")) + "  "
        + "\(flip["operation"]?.string ?? "") \(style.strong(printable(flip, "pattern")))  ×\(count(flip, "count"))",
      "    " + style.faint("in force  ") + rule(flip["rule"]),
      "    " + style.faint("staged    ") + rule(flip["stagedRule"]),
    ]
    if let example = flip["examples"]?.array?.first {
      let user = example["uid"]?.string.map { "uid \(TextTable.printable($0))" } ?? "signed out"
      lines.append("    " + style.faint("for example ") + "\(printable(example, "path")), \(user)")
      for line in example["trace"]?.array ?? [] { lines.append("      " + TextTable.printable(line.string ?? "")) }
    }
    return lines
  }

  private func forecast(_ forecast: JSON) -> [String] {
    let (listeners, data) = (forecast["listeners"] ?? .null, forecast["data"] ?? .null)
    var lines = [""]
    if let state = forecast["state"]?.string, state != "complete" {
      lines.append("the examination of listeners and stored data is \(TextTable.printable(state)):")
    }
    let cancelled = count(listeners, "cancelled")
    lines.append(
      "of \(count(listeners, "examined")) listeners, "
        + (cancelled > 0 ? style.bad("\(cancelled) would be cancelled") : "none would be cancelled"))
    for entry in (listeners["patterns"]?.array ?? []).prefix(Self.entriesMax) {
      lines.append("    \(printable(entry, "pattern"))  ×\(count(entry, "count"))  \(rule(entry["stagedRule"]))")
    }
    let failed = count(data, "failed") - count(data, "alreadyFailing")
    lines.append(
      "of \(count(data, "checked")) stored paths, "
        + (failed > 0 ? style.bad("\(failed) would be refused by .validate") : "none would be refused by .validate")
        + (count(data, "alreadyFailing") > 0
          ? ", besides \(count(data, "alreadyFailing")) that the rules in force refuse too" : ""))
    for entry in (data["failures"]?.array ?? []).prefix(Self.entriesMax) {
      let paths = (entry["paths"]?.array ?? []).prefix(2).map { TextTable.printable($0.string ?? "") }
      lines.append(
        "    \(printable(entry, "pattern"))  ×\(count(entry, "count"))  \(rule(entry["rule"]))  "
          + style.faint(paths.joined(separator: ", ")))
    }
    let depending = count(data, "dependsOnAuth") + count(data, "dependsOnTime")
    if depending > 0 { lines.append("    and \(depending) depend on the user or the time") }
    return lines
  }

  static func watch(_ watch: JSON) -> String {
    func bound(_ name: String, _ most: String) -> String {
      let limit = watch[most]?.int.map { " of at most \($0)" } ?? ""
      return "\(watch[name]?.int ?? 0) \(name == "denials" ? "denials" : "cancelled listeners")\(limit)"
    }
    return "version \(watch["version"]?.int ?? 0) is watched until \(watch["end"]?.string ?? ""): "
      + bound("denials", "denialsMax") + ", " + bound("cancelled", "cancelledMax")
      + "; beyond that the server rolls back to version \(watch["former"]?.int ?? 0)"
  }

  private func more(_ shown: Int, _ trial: JSON) -> [String] {
    let hidden = max(0, shown - Self.entriesMax)
    let unlisted = count(trial, "unlisted")
    guard hidden > 0 || unlisted > 0 else { return [] }
    return ["", "and \(hidden) more groups" + (unlisted > 0 ? ", and \(unlisted) flips in no group" : "")]
  }

  private func rule(_ rule: JSON?) -> String {
    guard let rule, rule.members != nil else { return "no rule" }
    return ".\(printable(rule, "kind")) at \(printable(rule, "path")) "
      + style.faint("\(count(rule, "line")):\(count(rule, "column"))")
  }

  private func count(_ json: JSON, _ name: String) -> Int64 { json[name]?.int ?? 0 }

  private func printable(_ json: JSON, _ name: String) -> String { TextTable.printable(json[name]?.string ?? "") }
}
