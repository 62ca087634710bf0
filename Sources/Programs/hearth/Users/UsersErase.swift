import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth users erase`.
struct UsersErase: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Delete an account and erase the user from the history and the audit trail.",
    discussion: """
      Removes the user from commits; their paths, times and rules stay. Deletes the data at each --place, now and in \
      the history. Copies elsewhere are not erased: backups, exports, the server's log file. The next start continues \
      an interrupted erasure. A uid without an account can be erased too.
      """)

  @OptionGroup var admin: AdminOptions

  @OptionGroup var tenant: TenantOption

  @Argument(help: UserSelector.help)
  var user: UserSelector

  @Option(
    name: .customLong("place"),
    help: ArgumentHelp(
      "A path with data of the user, such as /users/UID; may be given several times.", valueName: "path"))
  var places: [DataPath] = []

  @OptionGroup var namespace: NamespaceOption

  @Flag(help: "Show how much would be erased, and change nothing.")
  var dryRun = false

  @Flag(help: "Do not ask for confirmation.")
  var yes = false

  /// The data that no erasure reaches; also part of the answer in JSON, so that a script reports it.
  private static let notReached = [
    "backups", "exports", "sent and waiting events", "the server's log file",
  ]

  func validate() throws {
    guard places.allSatisfy({ !$0.location.isPriority && !$0.location.path.isRoot }) else {
      throw ValidationError("--place must be a path below the root of a database.")
    }
  }

  func run() async throws {
    let uid = try await admin.run(in: tenant) { try await user.uid($0) }
    if !yes, !dryRun {
      try Confirmation.ask(
        "Erase \(TextTable.printable(uid)) permanently, also from the history?", orFlag: "--yes",
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
        "\(counted("batches", "log piece")), \(counted("snapshots", "snapshot")) and "
        + counted("records", "audit record")
      let account = answer["account"]?.bool == true
      if dryRun {
        Output.line(
          "would delete \(account ? "the account" : "no account: none has this uid"), and rewrite \(figures); "
            + "nothing was changed")
      } else {
        Output.line(
          "erased\(account ? "" : " (no account has this uid)"), rewrote \(figures); recorded in the audit trail as "
            + "erasure \(answer["number"]?.string ?? "?")")
      }
      Output.note("not reached: \(Self.notReached.joined(separator: ", "))")
    }
  }

  /// Starts the erasure and waits for its end.
  private func answer(for uid: String, _ served: ServedDatabases) async throws -> JSON {
    let channel = ServerChannel(client: served.http)
    guard let database = namespace.name(on: served) ?? (places.isEmpty ? "default" : nil) else {
      throw AdminFailure("\(served.place) did not return its default database; name the database with --ns")
    }
    let list = places.map { place in
      ["database": .string(database), "path": .string(place.location.path.description)] as JSON
    }
    let whose: JSON = tenant.tenant.map { ["tenantId": .string($0)] } ?? [:]
    var answer = try await channel.send(
      Self.request(
        whose.appending(["uid": .string(uid), "places": .array(list), "dryRun": .bool(dryRun)])))
    guard let number = answer["number"]?.string else {
      throw AdminFailure("\(served.place) cannot erase users; is it an older server?")
    }
    while ["waiting", "running"].contains(answer["state"]?.string) {
      try await Task.sleep(for: .milliseconds(200))
      do {
        answer = try await channel.send(Self.request(["number": .string(number)]))
      } catch let failure as AdminFailure where !dryRun {
        throw AdminFailure("\(failure.description); erasure \(number) is stored, and the next start continues it")
      }
    }
    guard answer["state"]?.string == "done" else {
      let why = TextTable.printable(answer["error"]?.string ?? "it failed")
      throw AdminFailure(dryRun ? why : "not erased yet: \(why) - erasure \(number) is retried at the next start")
    }
    return answer
  }

  private static func request(_ body: JSON) -> AdminRequest {
    AdminRequest(path: "/.settings/erasures.json", body: body)
  }
}
