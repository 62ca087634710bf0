import ArgumentParser
import HearthProgram
import HearthTree

/// The options for a command's database and identity.
struct DatabaseOptions: ParsableArguments {
  @OptionGroup var admin: AdminOptions

  @OptionGroup var database: NamespaceOption

  @Option(name: .customLong("as"), help: ArgumentHelp("Act as this user, under the rules.", valueName: "uid"))
  var uid: String?

  @Option(help: ArgumentHelp("Claims for --as: a JSON object that rules see as auth.token.", valueName: "json"))
  var claims: String?

  @Flag(help: "Act as a signed-out client, under the rules.")
  var asNobody = false

  func validate() throws {
    guard uid == nil || !asNobody else { throw ValidationError("--as and --as-nobody cannot be combined.") }
    guard uid?.isEmpty != true else { throw ValidationError("--as needs a uid; --as-nobody acts signed out.") }
    guard claims == nil || uid != nil else { throw ValidationError("--claims needs --as.") }
    _ = try simulated()
  }

  /// Connects, does the work, and disconnects also when the work throws.
  func run<Value: Sendable>(_ work: (DatabaseClient) async throws -> Value) async throws -> Value {
    let simulated = try simulated()
    // The folder alone does not contain the path of its server's rules file.
    let refusal =
      simulated == nil
      ? nil
      : "no server runs on \(try admin.folder()); --as and --as-nobody need a running server, whose rules decide"
    return try await admin.withDatabases(orRefuse: refusal) { served in
      try await work(client(served, simulated))
    }
  }

  /// Runs work on a past moment: when no claims were given for --as, rules see the account's present ones, and a note
  /// reports it.
  func runLookingBack<Value: Sendable>(_ work: (DatabaseClient) async throws -> Value) async throws -> Value {
    guard let uid, claims == nil else { return try await run(work) }
    let refusal = "no server runs on \(try admin.folder()); --as needs a running server, whose rules decide"
    return try await admin.withDatabases(orRefuse: refusal) { served in
      let known = try await AccountClaims.of(uid, served)
      if !admin.json { Output.note(known.note) }
      return try await work(client(served, Self.simulated(uid, known.members)))
    }
  }

  private func client(_ served: ServedDatabases, _ simulated: JSON?) -> DatabaseClient {
    DatabaseClient(
      http: served.http, place: served.place, namespace: database.name(on: served), simulated: simulated,
      printsJSON: admin.json)
  }

  /// Returns the simulated `auth` of the rules; nil for an administrator.
  private func simulated() throws -> JSON? {
    if asNobody { return .null }
    guard let uid else { return nil }
    guard let claims else { return Self.simulated(uid, []) }
    guard let members = JSON(parsing: claims.utf8)?.members else {
      throw ValidationError(ClaimsText.problem("--claims", claims))
    }
    return Self.simulated(uid, members)
  }

  private static func simulated(_ uid: String, _ claims: [JSON.Member]) -> JSON {
    let token: JSON = ["sub": .string(uid), "user_id": .string(uid)]
    return ["uid": .string(uid), "provider": "custom", "token": token.appending(.object(claims))]
  }
}
