import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth users erase`.
struct UsersErase: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Delete an account and erase the person from history, logs and the audit trail.",
    discussion: """
      Commits forget who made them; their places, times and rules stay. What is at each --place goes, now and in the past. \
      What was copied elsewhere is not reached: backups, exports, the server's log file. When it is interrupted, the next \
      start goes on. A uid that has no account any more can be erased all the same.
      """)

  @OptionGroup var admin: AdminOptions

  @OptionGroup var tenant: TenantOption

  @Argument(help: UserSelector.help)
  var user: UserSelector

  @Option(
    name: .customLong("place"),
    help: ArgumentHelp("Data of theirs, such as /users/UID; may be given more than once.", valueName: "path"))
  var places: [DataPath] = []

  @OptionGroup var namespace: NamespaceOption

  @Flag(help: "Change nothing, and say how much would be erased.")
  var dryRun = false

  @Flag(help: "Do not ask for confirmation.")
  var yes = false

  /// The data that no erasure reaches; also part of the answer in JSON, so that a script reports it.
  private static let notReached = [
    "backups", "exports", "events that were or wait to be sent", "the server's log file",
  ]

  func validate() throws {
    guard places.allSatisfy({ !$0.location.isPriority && !$0.location.path.isRoot }) else {
      throw ValidationError("--place names something in a database, not all of it.")
    }
  }

  func run() async throws {
    let uid = try await admin.run(in: tenant) { try await user.uid($0) }
    if !yes, !dryRun {
      try Confirmation.ask(
        "Erase \(TextTable.printable(uid)) for good, also from the past?", orFlag: "--yes",
        refusal: "nothing was erased")
    }
    try await admin.withDatabases { served in
      let answer = try await answer(for: uid, served)
      if admin.json {
        let list = JSON.array(Self.notReached.map { .string($0) })
        return Output.json(answer.appending(["notReached": list]))
      }
      func counted(_ name: String, _ thing: String) -> String {
        NumberFormat.counted(Int(answer[name]?.int ?? 0), thing)
      }
      let figures =
        "\(counted("batches", "piece")) of logs, \(counted("snapshots", "snapshot")) and "
        + counted("records", "audit record")
      let account = answer["account"]?.bool == true
      if dryRun {
        Output.line(
          "would delete \(account ? "the account" : "no account: there is none of this uid"), and write \(figures) anew; "
            + "nothing was changed")
      } else {
        Output.line(
          "erased\(account ? "" : " (there was no account of this uid)"), in \(figures); the audit trail has this as "
            + "erasure \(answer["number"]?.string ?? "?")")
      }
      Output.note("not reached: \(Self.notReached.joined(separator: ", "))")
    }
  }

  /// Starts the erasure and waits for its end.
  private func answer(for uid: String, _ served: ServedDatabases) async throws -> JSON {
    let channel = ServerChannel(client: served.http)
    guard let database = namespace.name(on: served) ?? (places.isEmpty ? "default" : nil) else {
      throw AdminFailure("\(served.place) does not say which database is the default one: --ns names it")
    }
    let list = places.map { place in
      ["database": .string(database), "path": .string(place.location.path.description)] as JSON
    }
    let whose: JSON = tenant.tenant.map { ["tenantId": .string($0)] } ?? [:]
    var answer = try await channel.send(
      Self.request(
        whose.appending(["uid": .string(uid), "places": .array(list), "dryRun": .bool(dryRun)])))
    guard let number = answer["number"]?.string else {
      throw AdminFailure("\(served.place) does not erase people; is it an older server?")
    }
    while ["waiting", "running"].contains(answer["state"]?.string) {
      try await Task.sleep(for: .milliseconds(200))
      do {
        answer = try await channel.send(Self.request(["number": .string(number)]))
      } catch let failure as AdminFailure where !dryRun {
        throw AdminFailure("\(failure.description); erasure \(number) was taken, and the next start goes on with it")
      }
    }
    guard answer["state"]?.string == "done" else {
      let why = TextTable.printable(answer["error"]?.string ?? "it failed")
      throw AdminFailure(dryRun ? why : "not erased yet: \(why) - erasure \(number) is tried again at the next start")
    }
    return answer
  }

  private static func request(_ body: JSON) -> AdminRequest {
    AdminRequest(path: "/.settings/erasures.json", body: body)
  }
}
