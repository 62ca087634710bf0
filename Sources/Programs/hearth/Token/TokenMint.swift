import ArgumentParser
import HearthCrypto
import HearthProgram
import HearthServer
import HearthTree

/// The command `hearth token mint`.
struct TokenMint: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mint",
    abstract: "Create a token with the keys of a data folder, and print it.",
    discussion: """
      The default is a custom token, which an app exchanges with signInWithCustomToken within an hour. Send the other \
      kinds to the database as they are: with `auth` over a socket, or with `auth=` in a URL.
      """)

  enum Kind: String, EnumerableFlag {
    case custom, idToken, legacy, admin

    static func help(for value: Kind) -> ArgumentHelp? {
      switch value {
      case .custom: "A custom token, with which an app signs in. The default."
      case .idToken: "An ID token: rules see `auth.uid`, `auth.provider` and `auth.token`."
      case .legacy: "A custom token of the 2.x kind: rules see the uid and the claims as `auth`."
      case .admin: "This server's access token for administrators; rules do not apply to it."
      }
    }
  }

  @OptionGroup var data: DataOption

  @OptionGroup var project: ProjectOption

  @Option(help: "The uid of the token's user.")
  var uid: String?

  @Option(help: ArgumentHelp("Additional claims: a JSON object.", valueName: "json"))
  var claims = "{}"

  @Option(
    help: ArgumentHelp(
      "How long the token is valid: a number and s, m, h or d. (default: 1h; 1d for --legacy)",
      valueName: "duration"))
  var expires: TokenLifetime?

  @Flag var kind = Kind.custom

  @Flag(help: "Print JSON, {\"token\": …}, for scripts.")
  var json = false

  func validate() throws {
    if kind == .admin {
      guard uid == nil, claims == "{}", expires == nil else {
        throw ValidationError(
          "--admin prints the server's own token, and cannot be combined with --uid, --claims, --expires.")
      }
    } else if (uid ?? "").isEmpty {
      throw ValidationError("Give the user of the token with --uid, such as --uid alice.")
    }
  }

  func run() throws {
    let keys = try data.openKeys()
    let token =
      switch kind {
      case .admin: keys.adminToken
      case .custom: try customToken(keys)
      case .legacy: try legacyToken(keys)
      case .idToken: try idToken(keys)
      }
    if json { Output.json(["token": .string(token)]) } else { Output.line(token) }
  }

  private var projectID: String { get throws { try data.projectID(project) } }

  private func customToken(_ keys: KeyStore) throws -> String {
    try CustomTokenMinter(account: try keys.mintingAccount(projectID: try projectID)).mint(
      uid: uid ?? "", claims: try claimMembers(), issuedAtSeconds: WallClock.nowSeconds,
      lifetimeSeconds: expires?.seconds ?? 3_600)
  }

  private func legacyToken(_ keys: KeyStore) throws -> String {
    let now = WallClock.nowSeconds
    return try LegacyTokenMinter(secrets: keys.legacySecrets).mint(
      uid: uid, claims: try claimMembers(), issuedAtSeconds: now,
      options: .init(expiresAtSeconds: expires.map { now + $0.seconds }))
  }

  private func idToken(_ keys: KeyStore) throws -> String {
    let now = WallClock.nowSeconds
    var subject = IDTokenSubject(uid: uid ?? "", signInProvider: "custom", authTimeSeconds: now)
    subject.sessionClaims = try claimMembers()
    return try IDTokenMinter(projectID: try projectID, keys: try keys.keys(.idToken)).mint(
      subject, issuedAtSeconds: now,
      lifetimeSeconds: expires?.seconds ?? TokenLimits.idTokenLifetimeSecondsDefault)
  }

  private func claimMembers() throws -> [ClaimValue.Member] {
    do {
      guard let members = try ClaimValue(json: claims).members else {
        throw ValidationError(ClaimsText.problem("--claims", claims))
      }
      return members
    } catch is ClaimSyntaxError {
      throw ValidationError(ClaimsText.problem("--claims", claims))
    }
  }
}

/// A token's lifetime as an argument: `90s`, `15m`, `2h`, `30d`.
struct TokenLifetime: ExpressibleByArgument {
  var seconds: Int64

  init?(argument: String) {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    guard let unit = argument.last.flatMap({ units[$0] }), let count = Int64(argument.dropLast()), count > 0 else {
      return nil
    }
    let (seconds, overflow) = count.multipliedReportingOverflow(by: unit)
    // Ten years: longer is a mistake, and the limit keeps sums with a time of issue from overflowing.
    guard !overflow, seconds <= 3_653 * 86_400 else { return nil }
    self.seconds = seconds
  }
}
