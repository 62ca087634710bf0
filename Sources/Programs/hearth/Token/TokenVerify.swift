import ArgumentParser
import HearthCrypto
import HearthProgram
import HearthTree

/// The command `hearth token verify`.
struct TokenVerify: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check whether a token is valid now, including its account.",
    discussion: """
      Prints a line that begins with "valid" or "not valid". A token is not valid when its account or service account \
      is disabled, or when the account was signed out everywhere after the token was issued. A running server also \
      verifies tokens of the issuers that it trusts, and of its plugins. Exits with 0 when the \
      token is valid, and 1 when it is not.
      """)

  @OptionGroup var admin: AdminOptions

  @OptionGroup var token: TokenArgument

  func run() async throws {
    let text = try token.read()
    let keys = try DataOption.keys(in: admin.folder())
    let verdict = try await admin.run { admin in
      let ring = KeyRing(store: keys, projectID: admin.projectID)
      let now = WallClock.nowSeconds
      var verdict = TokenVerdict(text, ring: ring, accounts: [], nowSeconds: now)
      if !verdict.isValid, verdict.parts?.kind == .custom {
        verdict = TokenVerdict(text, ring: ring, accounts: try await Self.serviceAccounts(admin), nowSeconds: now)
      }
      if verdict.isValid, let uid = verdict.uid, let refusal = try await Self.refusal(uid, text, admin) {
        verdict.refusal = refusal
      }
      if !verdict.isValid, verdict.parts?.kind != .custom {
        verdict.apply(try await admin.hearth("tokens:standing", ["token": .string(text)]))
      }
      return verdict
    }
    if admin.json {
      Output.json(verdict.json())
    } else if let refusal = verdict.refusal {
      Output.line("not valid: \(refusal)")
    } else {
      let user = verdict.uid.map { " of \(TextTable.printable($0))" } ?? ""
      let verifier = verdict.verifier.map { ", verified by \(TextTable.printable($0))" } ?? ""
      let databases =
        verdict.databases.map { ", for the databases \(TextTable.printable($0.joined(separator: ", ")))" } ?? ""
      Output.line(
        "valid: \(verdict.isAdministrator ? "an administrator's" : verdict.kind + user + verifier + databases)")
    }
    if !verdict.isValid { throw ExitCode.failure }
  }

  private static func serviceAccounts(
    _ admin: Administration
  ) async throws -> [(email: String, publicKeys: [String: String])] {
    let accounts = try await admin.hearth("serviceAccounts:list")["serviceAccounts"]?.array ?? []
    return accounts.compactMap { account in
      guard let email = account["email"]?.string, account["disabled"]?.bool != true else { return nil }
      let keys = (account["publicKeys"]?.members ?? []).compactMap { key in key.value.string.map { (key.name, $0) } }
      return (email, Dictionary(keys) { first, _ in first })
    }
  }

  /// Returns the reason why the account's state invalidates a token that the keys accept; nil when it does not. A
  /// missing account is no reason, because tokens may be minted for users that never signed in.
  private static func refusal(_ uid: String, _ token: String, _ admin: Administration) async throws -> String? {
    let answer = try await admin.accounts(":lookup", ["localId": [.string(uid)]])
    if answer["users"]?.array?.first?["disabled"]?.bool == true { return "the account is disabled" }
    let standing = try await admin.hearth("tokens:standing", ["token": .string(token)])
    if standing["standing"]?.string == "good" { return nil }
    return "the account was signed out everywhere, or deleted, after the token was issued"
  }
}
