import ArgumentParser
import HearthExposure
import HearthProgram
import HearthRules
import HearthRulesCommands
import HearthTree
import HearthWorkbench

/// The command `hearth rules exposure`.
struct RulesExposure: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "exposure",
    abstract: "List the paths that clients can read or write, with proofs and example requests.",
    discussion: """
      Decides for every path of the file whether it can be read or written by a signed-out client (nobody), a \
      signed-in client (anyone), a signed-in user that the path does not name (other), and a user with each claim that \
      the file names. "closed" is a proof about all data; "open" comes with a request that the rules allow. Exits with \
      0, or with 2 when the file cannot be read.
      """)

  /// The output format of the answers.
  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, sarif }

  @Argument(help: ArgumentHelp("The rules file.", valueName: "file"))
  var file: String

  @Option(help: "Output format: text, json, or sarif for code scanning.")
  var format = Format.text

  @Flag(help: "The same as --format json.")
  var json = false

  @Flag(help: "The same as --format sarif.")
  var sarif = false

  @Flag(help: "Also examine writes in an update of several paths.")
  var updates = false

  @OptionGroup var clock: ClockOption
  @OptionGroup var plugin: RulesPluginOption

  func run() async throws {
    let rules = try await RulesFile.read(file, plugin)
    let started = WallClock.monotonicNanoseconds
    let exposure = Exposure(of: rules, nowMilliseconds: clock.milliseconds)
    let entries = exposure.entries(updates: updates)
    switch json ? .json : sarif ? .sarif : format {
    case .json: Output.json(Self.json(entries))
    case .sarif: Output.json(ExposureSARIF.json(file: file, entries))
    case .text:
      let milliseconds = WallClock.seconds(since: started) * 1000
      Output.line(
        ExposureReport(file: file, rules, exposure, entries, style: TerminalStyle(isColored: Output.isColored)).text(
          milliseconds: milliseconds))
    }
  }

  private static func json(_ entries: [Exposure.Entry]) -> JSON {
    [
      "entries": .array(
        entries.map { entry in
          var json: JSON = [
            "path": .string(entry.question.location.template), "operation": .string(entry.question.operation.rawValue),
            "who": .string(entry.question.identity.name), "verdict": .string(entry.verdict.name),
          ]
          if case .open(let witness, _) = entry.verdict { json["witness"] = witness.json }
          return json
        })
    ]
  }
}

/// The option for the earliest time of a request.
struct ClockOption: ParsableArguments {
  @Option(help: ArgumentHelp("The earliest time of a request, in milliseconds since 1970.", valueName: "milliseconds"))
  var now: Int64?

  var milliseconds: Int64 { now ?? WallClock.nowMilliseconds }
}
