import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth rules promote`.
struct RulesPromote: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "promote",
    abstract: "Put the staged rules in force if their trial is within bounds.",
    discussion: """
      Refused with the figures when the trial found more than the bounds allow, or has judged too little. With --watch the \
      server goes back by itself to the version before when too much is denied afterwards.

        hearth rules promote --max-flips 20 --min-judged 1000 --watch 10m --rollback-denials 50

      Ends with 0 when the rules are in force (or, with --dry-run, could be), with 1 when a bound does not hold or another \
      version is in force than --if-version, and with 2 when nothing is staged or no server can be asked.
      """)

  @Option(help: ArgumentHelp("Decisions that may change, or could not be compared.", valueName: "count"))
  var maxFlips: Int64 = 0

  @Option(help: ArgumentHelp("Live listeners that may be cancelled.", valueName: "count"))
  var maxCancelled: Int64 = 0

  @Option(
    help: ArgumentHelp("Places of the stored data that a new .validate may refuse.", valueName: "count"))
  var maxInvalid: Int64 = 0

  @Option(help: ArgumentHelp("Decisions that must have been judged.", valueName: "count"))
  var minJudged: Int64 = 1

  @Flag(help: "Promote whatever the trial found.")
  var force = false

  @Option(help: ArgumentHelp("For how long the server watches what is denied: 90s, 10m, 24h.", valueName: "time"))
  var watch: WatchTime?

  @Option(help: ArgumentHelp("With --watch: go back when more requests are denied.", valueName: "count"))
  var rollbackDenials: Int64?

  @Option(
    help: ArgumentHelp(
      "With --watch: go back when so many times as many are denied as in the same time before, and more than 10.",
      valueName: "ratio"))
  var rollbackRatio: Double?

  @Option(
    help: ArgumentHelp(
      "With --watch: go back when more listeners are cancelled, those of the promotion among them.", valueName: "count")
  )
  var rollbackCancelled: Int64?

  @OptionGroup var change: RulesChangeOptions

  @Flag(help: "Say whether it would be done, and change nothing.")
  var dryRun = false

  @OptionGroup var server: RulesServer

  /// The time that the command repeats its request while the server examines stored data.
  private static let retryDuration = Duration.seconds(900)

  func validate() throws {
    let counts = [
      maxFlips, maxCancelled, maxInvalid, minJudged, rollbackDenials ?? 0, rollbackCancelled ?? 0,
    ]
    guard counts.allSatisfy({ $0 >= 0 }) else { throw ValidationError("Counts must not be negative.") }
    if let rollbackRatio, !(1...1_000_000).contains(rollbackRatio) {
      throw ValidationError("--rollback-ratio must be from 1 to 1000000.")
    }
    let isBounded = rollbackDenials != nil || rollbackRatio != nil || rollbackCancelled != nil
    guard isBounded == (watch != nil) else {
      throw ValidationError(
        "--watch goes with --rollback-denials, --rollback-ratio or --rollback-cancelled, and they with --watch.")
    }
  }

  func run() async throws {
    try await server.run { client in
      guard client.served.isRunning else {
        throw AdminFailure("promote needs a running server, and none runs on \(try server.admin.folder())")
      }
      let answer = try await promote(client)
      let figures = answer["figures"] ?? .null
      let text =
        dryRun
        ? "dry run: within bounds, nothing was changed"
        : "version \(answer["version"]?["id"]?.int ?? 0) is in force"
          + (answer["version"]?["watch"].map { ", and watched until \($0["end"]?.string ?? "")" } ?? "")
      client.report(
        (["dryRun": .bool(dryRun)] as JSON).appending(answer),
        "\(figures["judged"]?.int ?? 0) decisions judged, \(figures["flips"]?.int ?? 0) would change, "
          + "\(figures["cancelled"]?.int ?? 0) listeners cancelled, \(figures["invalid"]?.int ?? 0) stored places refused\n"
          + text)
      if !dryRun { try RulesFileNote.show(server, client) }
    }
  }

  /// Repeats the request while the server has not examined all stored data.
  private func promote(_ client: RulesClient) async throws -> JSON {
    let deadline = ContinuousClock.now + Self.retryDuration
    while true {
      do {
        return try await client.send(.POST, "/promote.json", body)
      } catch let refusal as RulesClient.Refusal {
        guard refusal.answer["figures"]?["forecast"]?.string == "running", ContinuousClock.now < deadline else {
          throw refusal
        }
      }
    }
  }

  private var body: JSON {
    func bound(_ count: Int64) -> JSON { force ? .null : .int(count) }
    var body = change.body("promote").appending([
      "dryRun": .bool(dryRun), "maxFlips": bound(maxFlips), "maxCancelled": bound(maxCancelled),
      "maxInvalid": bound(maxInvalid), "minJudged": .int(force ? 0 : minJudged),
    ])
    if let watch { body["watchSeconds"] = .int(watch.seconds) }
    if let rollbackDenials { body["rollbackDenials"] = .int(rollbackDenials) }
    if let rollbackRatio { body["rollbackRatio"] = .double(rollbackRatio) }
    if let rollbackCancelled { body["rollbackCancelled"] = .int(rollbackCancelled) }
    return body
  }
}

/// A duration as an argument: `90s`, `10m` or `24h`, of a day at most.
struct WatchTime: ExpressibleByArgument {
  let seconds: Int64

  init?(argument: String) {
    guard let unit = argument.last, let secondsPerUnit: Int64 = ["s": 1, "m": 60, "h": 3_600][unit],
      let count = Int64(argument.dropLast()), (1...86_400).contains(count), count * secondsPerUnit <= 86_400
    else { return nil }
    seconds = count * secondsPerUnit
  }
}
