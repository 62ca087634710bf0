import ArgumentParser
import HearthAccounts
import HearthPlugin
import HearthServer

/// The flags of accounts, of a server or of a command on a stopped folder.
protocol AccountsFlags: ParsableArguments {
  var authConfig: String? { get }
  var signIn: String? { get }
  var project: String? { get }
  var publicUrl: String? { get }
}

extension AccountsFlags {
  func validateAccounts() throws {
    if let signIn, let problem = BuiltInPlugins.problem(ofNames: signIn) { throw ValidationError(problem) }
    if let publicUrl, ServerAddress(argument: publicUrl) == nil {
      throw ValidationError("--public-url must be an origin such as https://auth.example.com.")
    }
  }
}

/// The help texts of ``AccountsFlags``.
enum AccountsHelp {
  static let authConfig = ArgumentHelp(
    """
    The accounts configuration, a JSON file: sign-in methods, mail, limits, password policy. Commands on a stopped \
    folder use the file of its last start.
    """, valueName: "file")
  static let signIn = ArgumentHelp(
    "The sign-in methods, separated by commas, instead of \"signIn\" in the file; none disables all. Available: "
      + BuiltInPlugins.signInText + ".",
    valueName: "names")
  static let publicUrl = ArgumentHelp(
    "The origin of links in mails and service-account files, such as https://auth.example.com.", valueName: "url")
}

/// The flags of a server's accounts.
struct ServerAccountsFlags: AccountsFlags {
  @Option(help: AccountsHelp.authConfig) var authConfig: String?
  @Option(help: AccountsHelp.signIn) var signIn: String?
  @Option(help: ProjectOption.help) var project: String?
  @Option(help: AccountsHelp.publicUrl) var publicUrl: String?

  @Option(
    help: ArgumentHelp(
      "Accept the ID tokens of this Firebase project for databases; may be given several times.", valueName: "id"))
  var trustFirebaseProject: [String] = []
  @Option(
    help: ArgumentHelp(
      "Accept the ID tokens of this OpenID Connect issuer for databases: its iss, byte for byte.", valueName: "url"))
  var trustIssuer: String?
  @Option(
    help: ArgumentHelp(
      "The aud that tokens of --trust-issuer must have; may be given several times.", valueName: "aud"))
  var trustAudience: [String] = []
  @Option(
    help: ArgumentHelp(
      "The text in front of sub in the uids of --trust-issuer. If not given, its host and a colon; '' for none.",
      valueName: "text"))
  var trustUidPrefix: String?

  @Flag(help: "Refuse legacy secrets as credentials. Tokens that a legacy secret signed stay valid.")
  var noRawSecrets = false

  /// Skips `--project`, which the command validates, because it may take an alias.
  func validate() throws {
    try validateAccounts()
    for project in trustFirebaseProject where !TrustedIssuers.isProjectID(project) {
      throw ValidationError("--trust-firebase-project must be the id of a Firebase project, not \"\(project)\".")
    }
    guard let trustIssuer else {
      guard trustAudience.isEmpty, trustUidPrefix == nil else {
        throw ValidationError("--trust-audience and --trust-uid-prefix need --trust-issuer.")
      }
      return
    }
    guard TrustedIssuer.isURL(trustIssuer) else {
      throw ValidationError(
        "--trust-issuer must be a URL such as https://id.example.com, exactly as in the tokens' iss.")
    }
    guard !trustAudience.isEmpty else {
      throw ValidationError("--trust-issuer needs --trust-audience: tokens for other apps must not be accepted.")
    }
    guard trustUidPrefix.map(TrustedIssuer.isUIDPrefix) ?? true else {
      throw ValidationError("--trust-uid-prefix has up to \(TrustedIssuer.uidPrefixBytesMax) visible characters.")
    }
  }

  /// The issuers that the flags name, in addition to those of the configuration file.
  var trustedIssuers: TrustedIssuers {
    var trusted = TrustedIssuers()
    trusted.firebaseProjects = trustFirebaseProject.map { .firebase(projectID: $0) }
    if let trustIssuer {
      trusted.issuers = [
        TrustedIssuer(
          issuer: trustIssuer, audiences: trustAudience,
          uidPrefix: trustUidPrefix ?? TrustedIssuer.uidPrefix(of: trustIssuer))
      ]
    }
    return trusted
  }
}
