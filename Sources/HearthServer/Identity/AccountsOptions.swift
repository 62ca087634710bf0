import HearthAccounts
import HearthPlugin

/// What a server is told about accounts: the settings, and the optional parts that the command line put together.
public struct AccountsOptions: Sendable {
  public var configuration: AccountsConfiguration
  /// The ways to sign in that are switched on. None leaves the database's own credentials and the administrator.
  public var providers: [any SignInProvider]
  /// Nil refuses everything that needs a mail.
  public var mailer: (any Mailer)?
  public var hooks: [any DecidingHook]
  /// Addresses and CIDR blocks of proxies whose `X-Forwarded-For` names the client.
  public var trustedProxies: [String]
  /// A database secret by itself opens every database, as the legacy protocol has it. Tokens signed with one count
  /// either way.
  public var acceptsRawSecrets: Bool
  /// Identity requests under way at a time, all clients together; more are asked to come back. Each holds its body; what
  /// all bodies together may take is bounded by the transport.
  public var requestsMax = 1_024

  public init(
    configuration: AccountsConfiguration, providers: [any SignInProvider] = [], mailer: (any Mailer)? = nil,
    hooks: [any DecidingHook] = [], trustedProxies: [String] = [],
    acceptsRawSecrets: Bool = true
  ) {
    self.configuration = configuration
    self.providers = providers
    self.mailer = mailer
    self.hooks = hooks
    self.trustedProxies = trustedProxies
    self.acceptsRawSecrets = acceptsRawSecrets
  }
}
