import ArgumentParser
import HearthExposure
import HearthProgram
import HearthRules
import HearthRulesCommands
import HearthTree
import HearthWorkbench

/// The command `hearth rules assert`.
struct RulesAssert: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "assert",
    abstract: "Prove sentences about a rules file, such as 'nobody can write /**'.",
    discussion: """
      'nobody can read|write PATTERN' states that no client is allowed to, signed in or not, with any claims. All \
      other sentences are: WHO can|cannot read|write PATTERN.

      WHO is 'signed-out people', 'signed-in people' (with the claims that any client can get), anyone (the same; with \
      cannot, signed-out clients too), other (like anyone, but not the users that the path names), claim:NAME or \
      claim:NAME=VALUE.

      In a PATTERN, * is any one key, $name any key that the rules leave open, ** any number of keys.

      Exits with 0 when every sentence is proved, 1 when one is refuted (with an example request), 3 when one could \
      not be decided, and 2 when the file or a sentence cannot be read.
      """)

  @Argument(help: ArgumentHelp("The rules file.", valueName: "file"))
  var file: String

  @Argument(help: ArgumentHelp("A sentence to prove, such as 'nobody can write /**'.", valueName: "sentence"))
  var sentences: [String]

  @Flag(help: "Print JSON, for scripts.")
  var json = false

  @OptionGroup var clock: ClockOption
  @OptionGroup var plugin: RulesPluginOption

  func run() async throws {
    let rules = try await RulesFile.read(file, plugin)
    var assertions: [ExposureAssertion] = []
    for sentence in sentences {
      do throws(ExposureAssertion.Problem) {
        assertions.append(try ExposureAssertion(sentence))
      } catch {
        Output.note(Self.rendered(error, sentence))
      }
    }
    guard assertions.count == sentences.count, !sentences.isEmpty else { throw ExitCode(2) }
    let exposure = Exposure(of: rules, nowMilliseconds: clock.milliseconds)
    let results = assertions.map { ($0, $0.check(exposure)) }
    if json {
      Output.json(["assertions": .array(results.map(Self.json))])
    } else {
      let details = ExposureDetails(file: file, rules: rules, style: TerminalStyle(isColored: Output.isColored))
      for (assertion, result) in results { Output.line(details.text(assertion, result, exposure)) }
    }
    let codes = results.map { Self.code($0.1) }
    if let code = codes.contains(1) ? 1 : codes.max(), code != 0 { throw ExitCode(code) }
  }

  private static func code(_ result: ExposureAssertion.Result) -> Int32 {
    switch result {
    case .proved: 0
    case .refuted: 1
    case .undecided: 3
    }
  }

  private static func rendered(_ problem: ExposureAssertion.Problem, _ sentence: String) -> String {
    let padding = String(repeating: " ", count: max(0, problem.column - 1))
    return """
      error: \(TextTable.printable(problem.message))
          \(TextTable.printable(sentence))
          \(padding)^
      help: nobody can read|write PATTERN, or WHO can|cannot read|write PATTERN, such as 'signed-out people cannot read /**'
      """
  }

  private static func json(_ assertion: ExposureAssertion, _ result: ExposureAssertion.Result) -> JSON {
    var json: JSON = ["assertion": .string(assertion.text)]
    func add(_ verdict: String, _ question: ExposureQuestion) {
      json["verdict"] = .string(verdict)
      json["path"] = .string(question.location.template)
      json["operation"] = .string(question.operation.rawValue)
      json["who"] = .string(question.identity.name)
    }
    switch result {
    case .proved(let count):
      json["verdict"] = "proved"
      json["locations"] = .int(Int64(count))
    case .refuted(let question, let verdict):
      add("refuted", question)
      if case .open(let witness, _) = verdict { json["witness"] = witness.json }
    case .undecided(let question, let reason):
      add("undecided", question)
      json["reason"] = .string(reason.rawValue)
    }
    return json
  }
}
