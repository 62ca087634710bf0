import ArgumentParser
import HearthExposure
import HearthProgram
import HearthRules
import HearthTree
import HearthWorkbench

/// `hearth rules diff`
struct RulesDiff: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show what new rules open and close, each with a request that shows it.",
    discussion: """
      Every place of either file is asked about. "No difference" is a proof. Ends with 1 when something is newly open, with \
      3 when that could not be decided, with 2 when a file cannot be read, and otherwise with 0.
      """)

  @Argument(help: ArgumentHelp("The rules in force.", valueName: "old"))
  var old: String

  @Argument(help: ArgumentHelp("The rules to come.", valueName: "new"))
  var new: String

  @Flag(help: "Answer in JSON, for scripts.")
  var json = false

  @OptionGroup var clock: ClockOption

  func run() throws {
    let (before, after) = (try RulesFile.read(old), try RulesFile.read(new))
    let difference = RulesDifference(from: before, to: after, nowMilliseconds: clock.milliseconds)
    let entries = Self.strongest(difference.entries())
    if json {
      Output.json(Self.json(entries))
    } else {
      Output.line(text(entries, before, after))
    }
    let opened = entries.filter { $0.direction == .opened }
    if opened.contains(where: { $0.verdict.isOpen }) { throw ExitCode(1) }
    if !opened.isEmpty { throw ExitCode(3) }
  }

  /// What holds for somebody signed out or for anyone need not be said of others too.
  private static func strongest(_ entries: [RulesDifference.Entry]) -> [RulesDifference.Entry] {
    var seen: Set<String> = []
    return entries.filter { entry in
      let place = "\(entry.direction) \(entry.question.operation) \(entry.question.location.template)"
      switch entry.question.identity {
      case .nobody, .anyone:
        if seen.contains(place) { return false }
        if entry.verdict.isOpen { seen.insert(place) }
        return true
      case .other, .holder, .anyClaims, .anyAuth: return !seen.contains(place)
      }
    }
  }

  private static func json(_ entries: [RulesDifference.Entry]) -> JSON {
    func list(_ isIncluded: (RulesDifference.Entry) -> Bool) -> JSON {
      .array(
        entries.filter(isIncluded).map { entry in
          var members: [JSON.Member] = [
            .init("path", .string(entry.question.location.template)),
            .init("operation", .string(entry.question.operation.rawValue)),
            .init("who", .string(entry.question.identity.name)),
          ]
          switch entry.verdict {
          case .open(let witness, _): members.append(.init("witness", witness.json))
          case .undecided(let reason):
            members.append(.init("direction", .string(entry.direction.rawValue)))
            members.append(.init("reason", .string(reason.rawValue)))
          case .closed: break
          }
          return .object(members)
        })
    }
    return .object([
      .init("opened", list { $0.direction == .opened && $0.verdict.isOpen }),
      .init("closed", list { $0.direction == .closed && $0.verdict.isOpen }),
      .init("undecided", list { !$0.verdict.isOpen }),
    ])
  }

  private func text(_ entries: [RulesDifference.Entry], _ before: RuleSet, _ after: RuleSet) -> String {
    let paint = Paint(isColored: Output.isColored)
    if entries.isEmpty { return paint.good("no difference") + ": proved for every place of both files" }
    return entries.map { entry in
      let isOpened = entry.direction == .opened
      let place =
        "\(entry.question.operation.rawValue) \(paint.strong(TextTable.printable(entry.question.location.template)))  "
        + paint.faint("by \(ExposureDetails.who(entry.question.identity))")
      switch entry.verdict {
      case .open(let witness, let rule):
        let details = ExposureDetails(file: isOpened ? new : old, rules: isOpened ? after : before, paint: paint)
        return (isOpened ? paint.bad("newly open") : paint.good("newly closed")) + "  \(place)\n"
          + details.request(witness, rule)
      case .undecided(let reason): return paint.warning("undecided") + "  \(place): \(reason.rawValue)"
      case .closed: return ""
      }
    }.joined(separator: "\n\n")
  }
}
