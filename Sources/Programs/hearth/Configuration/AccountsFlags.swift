import ArgumentParser
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

  @Flag(help: "Refuse legacy secrets as credentials. Tokens that a legacy secret signed stay valid.")
  var noRawSecrets = false

  /// Skips `--project`, which the command validates, because it may take an alias.
  func validate() throws { try validateAccounts() }
}
