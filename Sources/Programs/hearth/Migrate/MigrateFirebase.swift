import ArgumentParser
import Glibc
import HearthMigration
import HearthProgram
import HearthRulesCommands
import HearthTree

/// The command `hearth migrate firebase`.
struct MigrateFirebase: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "firebase",
    abstract: "Import a Firebase project's data, users and rules, and report rejected and changed values.",
    discussion: """
      DATA is the JSON export of the Realtime Database, USERS the output of `firebase auth:export` (JSON or CSV), and \
      RULES the rules file; each may be compressed with gzip or Zstandard. All files are checked first: if something in the data or the rules cannot be imported, \
      nothing is changed. --check only checks, and needs no server. A missing or empty data folder is created. Data, \
      users and rules are then imported in this order: until the rules come, a new database denies everything. \
      --resume continues an interrupted import.

      --passwords names a CSV file with an e-mail address or uid and a known password on each line, and checks that \
      they match the imported users. --requests names a file of requests with their expected decisions, in the form of \
      rules tests (see hearth rules test), and checks them with the rules and data in the database, without writing.

      Exits with 0 when everything was imported and every check passed, 1 when something was refused or a check \
      failed, and 2 when the import was not possible.
      """)

  @Argument(help: ArgumentHelp("The JSON export of the data.", valueName: "data"))
  var data: String

  @Argument(help: ArgumentHelp("The export of the users.", valueName: "users"))
  var users: String?

  @Argument(help: ArgumentHelp("The rules file.", valueName: "rules"))
  var rules: String?

  @OptionGroup var server: RulesServer

  @Option(help: ArgumentHelp("The parameters of the users' password hashes.", valueName: "file"))
  var hashConfig: String?

  @Option(help: ArgumentHelp("Known passwords to check after the import.", valueName: "file"))
  var passwords: String?

  @Option(
    help: ArgumentHelp("Requests with expected decisions to check after the import.", valueName: "file"))
  var requests: String?

  @Option(help: ArgumentHelp("Write the whole report as JSON to this file.", valueName: "file"))
  var report: String?

  @Flag(help: "Check the files, and change nothing.")
  var check = false

  @Flag(
    name: [.customShort("f"), .long], help: "Remove the database's data first, and replace users with the same uid.")
  var force = false

  @Flag(help: "Continue an interrupted import.")
  var resume = false

  func validate() throws {
    guard [check, force, resume].count(where: { $0 }) <= 1 else {
      throw ValidationError("--check, --force and --resume cannot be combined.")
    }
    guard hashConfig == nil || users != nil else { throw ValidationError("--hash-config needs the users' file.") }
    guard data != "-" else { throw ValidationError("The data is read twice, so it must be a file.") }
  }

  func run() async throws {
    var outcome = MigrationReport()
    do {
      let plan = try MigrationPlan(self)
      try plan.validate(&outcome)
      if check { try await plan.tryUsers(server.admin, &outcome) }
      if !check, outcome.refusedCount == 0 {
        outcome.isApplied = true
        try await apply(plan, &outcome)
      }
    } catch {
      let code = ExitCode.reporting(error)
      outcome.stop()
      try? show(outcome)
      throw code
    }
    try show(outcome)
    if !outcome.isGood { throw ExitCode(1) }
  }

  private func apply(_ plan: MigrationPlan, _ outcome: inout MigrationReport) async throws {
    if try !server.admin.isRemote(), try server.admin.data.makeIfEmpty() {
      Output.note("hearth: created the data folder \(try server.admin.folder())")
    }
    // The steps before a failure are reported as well.
    let (reached, failure) = try await server.admin.withDatabases {
      [outcome] served -> (MigrationReport, (any Error)?) in
      var outcome = outcome
      do { try await apply(plan, at: served, &outcome) } catch { return (outcome, error) }
      return (outcome, nil)
    }
    outcome = reached
    if let failure { throw failure }
  }

  private func apply(
    _ plan: MigrationPlan, at served: ServedDatabases, _ outcome: inout MigrationReport
  ) async throws {
    let channel = ServerChannel(client: served.http)
    let projectID = try await channel.projectID()
    let administration = Administration(channel: channel, projectID: projectID, printsJSON: false)
    let namespace = server.database.name(on: served)
    let database = DatabaseClient(
      http: served.http, place: served.place, namespace: namespace, simulated: nil, printsJSON: false)
    let rules = RulesClient(served: served, namespace: namespace, printsJSON: false)
    outcome.begin("data")
    try await plan.migrateData(to: database, &outcome)
    outcome.begin("users")
    try await plan.migrateUsers(to: administration, &outcome)
    outcome.begin("rules")
    try await plan.migrateRules(to: rules, &outcome)
    outcome.begin("passwords")
    try await plan.checkPasswords(at: administration, &outcome)
    outcome.begin("requests")
    try await plan.askRequests(of: rules, &outcome)
    outcome.begin(nil)
  }

  private func show(_ outcome: MigrationReport) throws {
    if let report { try TextFile.replace(report, outcome.json.text(pretty: true) + [UInt8(ascii: "\n")], mode: 0o600) }
    if server.admin.json { Output.json(outcome.json) } else { Output.line(outcome.text) }
  }
}
