import HearthTree

/// A plugin that the configuration switches on, and what it is told there.
public struct PluginChoice: Sendable, Equatable {
  /// As ``SignInPlugin/name`` or ``MailerPlugin/name`` says it.
  public var name: String
  /// An object, or an array where the plugin takes a list; `{}` when it is only switched on. It may hold secrets, so the
  /// choice prints nothing of it.
  public var values: JSON

  /// A choice of this plugin; without values it is only switched on.
  public init(_ name: String, _ values: JSON = [:]) {
    self.name = name
    self.values = values
  }
}

/// The plugins that a server runs with, made and ready. The command line makes them from the configuration; a program that
/// embeds the server may make its own.
public struct PluginSet: Sendable {
  /// The ways to sign in that are switched on. Without any, only the database's own credentials and administrators count.
  public var providers: [any SignInProvider]
  /// Makes providers of OpenID Connect issuers that are set up while the server runs; nil when there is none that could.
  public var issuers: (any IssuerProviders)?
  /// Nil refuses everything that needs a mail.
  public var mailer: (any Mailer)?
  /// Nil refuses everything that needs a text message.
  public var smsSender: (any SMSSender)?
  /// Asked in this order before accounts are made and sessions begin.
  public var hooks: [any DecidingHook]
  /// Asked in this order about a password that is not stored here, until one knows it.
  public var passwordCheckers: [any PasswordChecker] = []
  /// Asked in this order before each ID token.
  public var claimsSources: [any ClaimsSource] = []
  /// Told of writes by the triggers that name them.
  public var receivers: [any WriteReceiver]
  /// Asked about tokens that the server did not make.
  public var verifiers: [any TokenVerifier] = []
  /// Told what goes into the audit trail.
  public var auditSinks: [any AuditSink] = []

  /// A set of these plugins, switched on as they are.
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
