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
      From then on the server asks the staged rules whatever it asks the rules in force, and counts where they differ. It \
      also looks at the live listeners that promoting would cancel, and at stored data that a new .validate would refuse.

        hearth rules stage new.json     # begins a trial
        hearth rules stage --status     # what it has found
        hearth rules stage --clear      # ends it

      Ends with 0 when it is done, and with 2 when the file is broken, nothing is staged, or no server can be asked.
      """)

  @Argument(help: ArgumentHelp("The rules file.", valueName: "rules"))
  var file: String?

  @Flag(help: "Show what the trial has found.")
  var status = false

  @Flag(help: "With --status: look at listeners and stored data once more, and wait for it.")
  var refresh = false

  @Flag(help: "End the trial.")
  var clear = false

  @Option(help: ArgumentHelp("What is said of the staged rules.", valueName: "text"))
  var comment: String?

  @OptionGroup var plugin: RulesPluginOption
  @OptionGroup var server: RulesServer

  func validate() throws {
    guard [file != nil, status, clear].count(where: { $0 }) == 1 else {
      throw ValidationError("Name a rules file, or --status, or --clear.")
    }
    guard comment == nil || file != nil else { throw ValidationError("--comment goes with a rules file.") }
    guard !refresh || status else { throw ValidationError("--refresh goes with --status.") }
  }

  func run() async throws {
    try await server.run { client in
      guard client.served.isRunning || clear else {
        throw AdminFailure("a trial needs a running server, and none runs on \(try server.admin.folder())")
      }
      if let file {
        try await stage(file, client)
      } else if clear {
        let answer = try await client.send(.DELETE, "/staged.json")
        client.report(answer, "nothing is staged any more")
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
      "on trial; hearth rules stage --status shows what it finds, hearth rules promote ends it")
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
