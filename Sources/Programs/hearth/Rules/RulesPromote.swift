import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth rules promote`.
struct RulesPromote: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "promote",
    abstract: "Put the staged rules in force if their trial is within bounds.",
    discussion: """
      Refused, with the figures, when the trial found more than the bounds allow or judged too few decisions. With \
      --watch, the server rolls back to the previous version when a rollback limit is exceeded.

        hearth rules promote --max-flips 20 --min-judged 1000 --watch 10m --rollback-denials 50

      Exits with 0 when the rules are in force (or, with --dry-run, could be), 1 when a bound is exceeded or another \
      version than --if-version is in force, and 2 when nothing is staged or no server answers.
      """)

  @Option(help: ArgumentHelp("The maximum number of decisions that change or cannot be compared.", valueName: "count"))
  var maxFlips: Int64 = 0

  @Option(help: ArgumentHelp("The maximum number of listeners that would be cancelled.", valueName: "count"))
  var maxCancelled: Int64 = 0

  @Option(
    help: ArgumentHelp("The maximum number of stored paths that a new .validate would refuse.", valueName: "count"))
  var maxInvalid: Int64 = 0

  @Option(help: ArgumentHelp("The minimum number of judged decisions.", valueName: "count"))
  var minJudged: Int64 = 1

  @Flag(help: "Promote without bounds.")
  var force = false

  @Option(
    help: ArgumentHelp("How long the server watches denials afterwards, such as 90s, 10m or 24h.", valueName: "time"))
  var watch: WatchTime?

  @Option(help: ArgumentHelp("With --watch: roll back when more requests than this are denied.", valueName: "count"))
  var rollbackDenials: Int64?

  @Option(
    help: ArgumentHelp(
      "With --watch: roll back when more than 10 are denied, and this many times as many as before.",
      valueName: "ratio"))
  var rollbackRatio: Double?

  @Option(
    help: ArgumentHelp(
      "With --watch: roll back when more listeners are cancelled, including by the promotion.", valueName: "count")
  )
  var rollbackCancelled: Int64?

  @OptionGroup var change: RulesChangeOptions

  @Flag(help: "Check the bounds, and change nothing.")
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
        "--watch needs --rollback-denials, --rollback-ratio or --rollback-cancelled, and they need --watch.")
    }
  }

  func run() async throws {
    try await server.run { client in
      guard client.served.isRunning else {
        throw AdminFailure("promote needs a running server, but no server runs on \(try server.admin.folder())")
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
          + "\(figures["cancelled"]?.int ?? 0) listeners cancelled, \(figures["invalid"]?.int ?? 0) stored paths refused\n"
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
