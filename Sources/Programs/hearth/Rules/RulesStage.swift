import ArgumentParser
import HearthProgram
import HearthRulesCommands
import HearthTree
import HearthWorkbench

/// The command `hearth rules stage`.
struct RulesStage: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "stage",
    abstract: "Try a rules file on live traffic without putting it in force.",
    discussion: """
      The server evaluates the staged rules for each live request without effect, and counts different decisions. It \
      also counts the live listeners that a promotion would cancel, and stored data that a new .validate would refuse.

        hearth rules stage new.json     # starts a trial
        hearth rules stage --status     # shows its findings
        hearth rules stage --clear      # ends it

      Exits with 0 on success, and 2 when the file has errors, nothing is staged, or no server answers.
      """)

  @Argument(help: ArgumentHelp("The rules file.", valueName: "rules"))
  var file: String?

  @Flag(help: "Show the findings of the trial.")
  var status = false

  @Flag(help: "With --status: examine listeners and stored data again, and wait for the result.")
  var refresh = false

  @Flag(help: "End the trial.")
  var clear = false

  @Option(help: ArgumentHelp("A comment for the staged rules.", valueName: "text"))
  var comment: String?

  @OptionGroup var plugin: RulesPluginOption
  @OptionGroup var server: RulesServer

  func validate() throws {
    guard [file != nil, status, clear].count(where: { $0 }) == 1 else {
      throw ValidationError("Give one of a rules file, --status and --clear.")
    }
    guard comment == nil || file != nil else { throw ValidationError("--comment goes with a rules file.") }
    guard !refresh || status else { throw ValidationError("--refresh needs --status.") }
  }

  func run() async throws {
    try await server.run { client in
      guard client.served.isRunning || clear else {
        throw AdminFailure("a trial needs a running server, but no server runs on \(try server.admin.folder())")
      }
      if let file {
        try await stage(file, client)
      } else if clear {
        let answer = try await client.send(.DELETE, "/staged.json")
        client.report(answer, "the trial is ended")
      } else {
        try await show(client)
      }
    }
  }

  private func stage(_ file: String, _ client: RulesClient) async throws {
    let checked = try await CheckedRules(file, plugin, server)
    checked.printWarnings()
    var json: JSON = ["findings": checked.json]
    if let before = try await client.inForce() {
      let report = RulesDiffReport(from: before.source, to: checked.text)
      json["before"] = before.metadata
      json["diff"] = report?.json ?? .null
      if !client.printsJSON { Output.line(RulesDeploy.text(report, before.metadata)) }
    }
    var body: JSON = ["source": .string(checked.text), "tool": "hearth rules stage, by \(UserName.own)"]
    if let comment { body["comment"] = .string(comment) }
    let answer = try await client.send(.PUT, "/staged.json", body)
    client.report(
      json.appending(answer),
      "trial started; hearth rules stage --status shows its findings, hearth rules promote puts the rules in force")
  }

  private func show(_ client: RulesClient) async throws {
    if refresh {
      var answer = try await client.send(.POST, "/staged.json")
      while answer["trial"]?["forecast"]?["state"]?.string == "running" {
        try await Task.sleep(for: .milliseconds(200))
        answer = try await client.send(.GET, "/staged.json")
      }
    }
    let answer = try await client.send(.GET, "/staged.json")
    client.report(answer, TrialText(answer: answer, style: TerminalStyle(isColored: Output.isColored)).text)
  }
}
