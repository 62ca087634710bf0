import HearthTree

/// A plugin that the configuration switches on, with its settings there.
public struct PluginChoice: Sendable, Equatable {
  /// The plugin's name, as in ``SignInPlugin/name`` or ``MailerPlugin/name``.
  public var name: String
  /// The plugin's settings: an object, or an array where the plugin takes a list; `{}` when it is only switched on.
  /// They may hold secrets, so a choice never prints them.
  public var values: JSON

  /// Creates a choice of this plugin; without values it is only switched on.
  public init(_ name: String, _ values: JSON = [:]) {
    self.name = name
    self.values = values
  }
}

/// The plugins that a server runs with, made and ready. The command line makes them from the configuration; a program
/// that embeds the server may make its own.
public struct PluginSet: Sendable {
  /// The sign-in providers that are switched on. Without any, only database secrets and the credentials of administrators are
  /// accepted.
  public var providers: [any SignInProvider]
  /// The factory for providers of OpenID Connect issuers that are set up while the server runs; nil when no plugin has
  /// one.
  public var issuers: (any IssuerProviders)?
  /// The mail sender; nil when none is configured, and requests that need a mail are then refused.
  public var mailer: (any Mailer)?
  /// The text message sender; nil when none is configured, and requests that need a text message are then refused.
  public var smsSender: (any SMSSender)?
  /// The hooks that are called, in this order, before accounts are made and sessions begin.
  public var hooks: [any DecidingHook]
  /// The checkers that are called, in this order, about a password that is not stored here, until one knows it.
  public var passwordCheckers: [any PasswordChecker] = []
  /// The sources that are called, in this order, before each ID token is made.
  public var claimsSources: [any ClaimsSource] = []
  /// The receivers of the writes of triggers, which name them.
  public var receivers: [any WriteReceiver]
  /// Makes the verifiers of trusted issuers' tokens; nil when no plugin verifies such tokens.
  public var issuerVerifiers: (@Sendable (TrustedIssuers) -> [any TokenVerifier])?
  /// The verifiers of tokens that the server did not make.
  public var verifiers: [any TokenVerifier] = []
  /// The sinks that get each record of the audit trail.
  public var auditSinks: [any AuditSink] = []

  /// Creates a set of these plugins, switched on as they are.
  public init(
    providers: [any SignInProvider] = [], mailer: (any Mailer)? = nil, smsSender: (any SMSSender)? = nil,
    hooks: [any DecidingHook] = [], receivers: [any WriteReceiver] = []
  ) {
    self.providers = providers
    self.mailer = mailer
    self.smsSender = smsSender
    self.hooks = hooks
    self.receivers = receivers
  }
}
