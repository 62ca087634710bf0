import HearthCrypto
import HearthPlugin

/// The operator's settings for accounts. The defaults are the secure ones.
///
/// It is created once, when the server starts. Administrators can change some of it while the server runs:
/// ``ConfigurationAdministration``.
public struct AccountsConfiguration: Sendable {
  /// The id of the project when none is named.
  public static let projectIDDefault = "hearth"

  /// The project that tokens are minted for and checked against.
  public var projectID: String
  /// The claim of users that may open the console; nil when no account may.
  public var consoleClaim: String?
  /// The API keys that clients name with `key=`: identifiers, not secrets. Nil accepts any that is not empty.
  public var apiKeys: Set<String>?
  /// The origin of links in mails and of all addresses of this server: `https://auth.example.com`. Never taken from a
  /// request.
  public var publicURL: String
  /// The hosts that a continue URL may lead to, beside those of ``publicURL``.
  public var authorizedDomains: [String] = ["localhost", "127.0.0.1"]
  /// Further host names of the sign-in pages and mailed links, `app.example.com`, served by a proxy that forwards them;
  /// in addition to that of ``publicURL``. Always over https.
  public var pageDomains: [String] = []
  /// The native apps that the pages may return to.
  public var nativeApps = NativeApps()
  /// The schemes that a continue URL may have, beside http and https.
  public var continueSchemes: Set<String> = []

  /// True when responses do not reveal whether an address has an account.
  public var protectsFromEnumeration = true
  /// True when clients may create accounts; otherwise only administrators can.
  public var allowsSignUp = true
  /// True when clients may delete their own account.
  public var allowsDeletion = true
  /// True when several accounts may have one address: each identity of another provider then has an account of its own,
  /// which has no address itself. Otherwise an address has one account.
  public var allowsDuplicateEmails = false

  /// True when users can sign in with passwords, provided that a plugin serves them.
  public var allowsPasswords = true
  /// True when users can sign in with mailed links, provided that a plugin serves them.
  public var allowsEmailLinks = true
  /// True when accounts without a credential can be created, provided that a plugin serves anonymous sign-ins.
  public var allowsAnonymous = true
  /// True when users can sign in with phone numbers, provided that ``signIn`` names that method.
  public var allowsPhones = true

  /// The cost of a new password hash; cheaper hashes are renewed at the next sign-in.
  public var passwordCost = PasswordCost.standard
  /// The number of concurrent hashes; nil derives it from cores and memory.
  public var passwordSlots: Int?
  /// The policy for new passwords; clients and plugins can read it.
  public var passwordPolicy = PasswordPolicy()

  /// The sign-in plugins that are switched on, in the file's order. Nil when the file does not name any: the defaults
  /// apply (``DefaultUse``).
  public var signIn: [PluginChoice]?

  /// The other issuers whose ID tokens open databases.
  public var trust = TrustedIssuers()

  /// The lifetime of an ID token; clients refresh it five minutes before its end.
  public var idTokenLifetimeSeconds: Int64 = 3_600
  /// The lifetime of a 2.x client's session.
  public var legacySessionSeconds: Int64 = 86_400
  /// The longest time since the sign-in for sensitive changes.
  public var recentSignInSeconds: Int64 = 300
  /// The policy for refresh tokens.
  public var refresh = RefreshPolicy()
  /// True when legacy clients get `INVALID_USER` for an unknown address, as in the past.
  public var legacyRevealsUnknownUsers = false
  /// True when a password reset also removes the user's identities of other providers.
  public var resetDropsIdentities = false
  /// True when changed claims end the tokens that still have the old ones.
  public var revokesOnClaimChange = false
  /// The functions that are called before accounts are created and sessions begin, until others are set while the
  /// server runs.
  public var blockingFunctions: BlockingFunctionSettings?
  /// The required second factors, and their kinds.
  public var secondFactors = SecondFactorSettings()
  /// The largest number of second factors of one account.
  public var secondFactorsMax = 5
  /// The sender that mails show, and the plugin that sends them.
  public var mail = MailSettings()
  /// The settings for codes by text message.
  public var phone = PhoneSettings()
  /// The addresses, and networks in CIDR notation, of proxies whose `X-Forwarded-For` names the client.
  public var trustedProxies: [String] = []
  /// The rate limits for clients; an emulator lifts them.
  public var limits = ThrottleLimits()
  /// The maximum number of audit records; the oldest are deleted first, and the chain is verified from the oldest that remains.
  public var auditRecordsMax = 200_000
  /// True for an emulator: for programs on this machine it accepts any project and unsigned credentials, serves the
  /// routes for test suites, and has no rate limits.
  public var isEmulator = false

  /// - Parameters:
  ///   - projectID: the project.
  ///   - publicURL: an origin; see ``publicURL``.
  public init(projectID: String = projectIDDefault, publicURL: String) {
    self.projectID = projectID
    self.publicURL = publicURL
  }

  /// Changes the defaults to an emulator's: errors include their reasons, as the official emulator's do, and passwords,
  /// which are a suite's own, cost no time. Settings that are read later override them.
  public mutating func applyEmulatorDefaults() {
    isEmulator = true
    protectsFromEnumeration = false
    passwordCost = .developer
  }

  /// The lifetime and rotation of refresh tokens.
  public struct RefreshPolicy: Sendable, Equatable {
    /// True when each refresh replaces the refresh token and retires the last one.
    public var rotates = false
    /// The time for which a retired token is still accepted, for clients that lost the response.
    public var graceSeconds: Int64 = 60
    /// The longest lifetime of a session; nil for no limit.
    public var lifetimeSecondsMax: Int64?
    /// The longest time without a refresh; nil for no limit.
    public var idleSecondsMax: Int64?

    /// Creates the default policy.
    public init() {}
  }

  /// The sender of mails, and the plugin that sends them.
  public struct MailSettings: Sendable, Equatable {
    /// The sender's name.
    public var fromName = "Hearth"
    /// The sender's address.
    public var fromAddress = "noreply@localhost"
    /// The name of the app in mails.
    public var appName = "your app"
    /// The plugin that sends mails. Nil when the file does not name one: a default applies, if there is one.
    public var mailer: PluginChoice?

    /// Creates the default settings.
    public init() {}
  }
}

/// The rate limits for clients; each server counts for itself.
public struct ThrottleLimits: Sendable, Equatable {
  /// The number of failed passwords of one account after which further attempts have to wait.
  public var accountFailuresFree = 10
  /// The longest wait.
  public var accountDelaySecondsMax: Int64 = 900
  /// The time without a failure after which an account's counter is dropped.
  public var accountForgetSeconds: Int64 = 43_200
  /// Failed passwords from one address in five minutes; above it only one attempt in ten seconds is accepted.
  public var addressFailures = 30
  /// Different accounts for which one address may fail in ten minutes.
  public var addressAccounts = 20
  /// New accounts from one address in an hour.
  public var signUpsPerHour = 100
  /// New anonymous accounts from one address in an hour.
  public var anonymousPerHour = 60
  /// Mails to one address in a minute, for all purposes. Password resets are counted separately, by the minute and by the hour, so
  /// that no other mail delays one.
  public var mailsPerAddressPerMinute = 1
  /// Mails to one address in an hour.
  public var mailsPerAddressPerHour = 5
  /// Mails that one client address may request in an hour.
  public var mailsPerClientPerHour = 30
  /// All mails in a day.
  public var mailsPerDay = 2_000
  /// Text messages to one phone number in a minute.
  public var messagesPerNumberPerMinute = 1
  /// Text messages to one phone number in an hour.
  public var messagesPerNumberPerHour = 5
  /// Text messages to one phone number in a day.
  public var messagesPerNumberPerDay = 10
  /// Text messages that one client address may request in an hour.
  public var messagesPerClientPerHour = 10
  /// Text messages that one client address may request in a day.
  public var messagesPerClientPerDay = 30
  /// Text messages to numbers of one country in an hour.
  public var messagesPerCountryPerHour = 100
  /// Text messages to numbers of one country in a day.
  public var messagesPerCountryPerDay = 500
  /// All text messages in an hour.
  public var messagesPerHour = 200
  /// All text messages in a day.
  public var messagesPerDay = 1_000
  /// Attempts at codes for one account in a minute.
  public var codeTriesPerMinute = 15
  /// Tries at codes of second factors, for one account in a day: an attacker with the password must not guess them
  /// within weeks.
  public var factorTriesPerDay = 100
  /// Refused credentials of other providers from one address in a minute.
  public var credentialFailuresPerMinute = 30
  /// The maximum number of counters in memory; the oldest are dropped first.
  public var countersMax = 100_000

  /// Creates the default limits.
  public init() {}
}

extension AccountsConfiguration {
  /// Returns true for an account that may open the console.
  func opensConsole(_ user: UserRecord) -> Bool { consoleClaim.map(user.hasClaim) ?? false }
}
