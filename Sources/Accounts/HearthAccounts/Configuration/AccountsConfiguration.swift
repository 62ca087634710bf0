import HearthCrypto
import HearthPlugin

/// The operator's settings for accounts. The defaults are the secure ones.
///
/// It is created once, when the server starts. Administrators can change some of it while the server runs:
/// ``ConfigurationAdministration``.
public struct AccountsConfiguration: Sendable {
  /// The project when none is named.
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
  /// Hosts that a continue URL may lead to, beside those of ``publicURL``.
  public var authorizedDomains: [String] = ["localhost", "127.0.0.1"]
  /// Further host names of the sign-in pages and mailed links, `app.example.com`, served by a proxy that forwards them;
  /// in addition to that of ``publicURL``. Always over https.
  public var pageDomains: [String] = []
  /// Apps on devices that the pages lead back to.
  public var nativeApps = NativeApps()
  /// Schemes beside http and https that a continue URL may have.
  public var continueSchemes: Set<String> = []

  /// True when responses do not reveal whether an address has an account.
  public var protectsFromEnumeration = true
  /// Clients may make accounts; otherwise only administrators do.
  public var allowsSignUp = true
  /// Clients may delete their own account.
  public var allowsDeletion = true
  /// Each identity of another provider signs in to an account of its own, whosever its address is: an account that is
  /// made so has no address itself, its identity has. Otherwise an address has one account.
  public var allowsDuplicateEmails = false

  /// Passwords sign in, where a plugin serves them.
  public var allowsPasswords = true
  /// True when mailed links sign in, where a plugin serves them.
  public var allowsEmailLinks = true
  /// Accounts without any credential are made, where a plugin serves them.
  public var allowsAnonymous = true
  /// True when phone numbers sign in, where ``signIn`` names them.
  public var allowsPhones = true

  /// The cost of a new password hash; cheaper hashes are renewed at the next sign-in.
  public var passwordCost = PasswordCost.standard
  /// Hashes that are computed at once; nil derives it from cores and memory.
  public var passwordSlots: Int?
  /// The policy for new passwords; clients and plugins can read it.
  public var passwordPolicy = PasswordPolicy()

  /// The sign-in plugins that are switched on, in the file's order. Nil when the file does not name any: the defaults
  /// apply (``DefaultUse``).
  public var signIn: [PluginChoice]?

  /// The lifetime of an ID token; clients refresh it five minutes before its end.
  public var idTokenLifetimeSeconds: Int64 = 3_600
  /// The time that a sign-in of a 2.x client lasts.
  public var legacySessionSeconds: Int64 = 86_400
  /// The longest time since the sign-in for sensitive changes.
  public var recentSignInSeconds: Int64 = 300
  /// The policy for refresh tokens.
  public var refresh = RefreshPolicy()
  /// True when legacy clients get `INVALID_USER` for an unknown address, as in the past.
  public var legacyRevealsUnknownUsers = false
  /// A password reset also removes the user's identities of other providers.
  public var resetDropsIdentities = false
  /// True when changed claims end the tokens that still have the old ones.
  public var revokesOnClaimChange = false
  /// The functions that are called before accounts are created and sessions begin, until others are set while the
  /// server runs.
  public var blockingFunctions: BlockingFunctionSettings?
  /// The required second factors, and their kinds.
  public var secondFactors = SecondFactorSettings()
  /// Second factors of one account.
  public var secondFactorsMax = 5
  /// The sender that mails show, and the plugin that sends them.
  public var mail = MailSettings()
  /// Codes to phones.
  public var phone = PhoneSettings()
  /// The addresses, and networks in CIDR notation, of proxies whose `X-Forwarded-For` names the client.
  public var trustedProxies: [String] = []
  /// The rate limits for clients; an emulator lifts them.
  public var limits = ThrottleLimits()
  /// The number of audit records; the oldest are deleted first, and the chain is verified from the oldest that remains.
  public var auditRecordsMax = 200_000
  /// Stands in for the official emulator, to programs of this machine: any project, unsigned credentials, the routes of
  /// test suites, no throttle.
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
  public mutating func beginAsEmulator() {
    isEmulator = true
    protectsFromEnumeration = false
    passwordCost = .developer
  }

  /// The lifetime and rotation of refresh tokens.
  public struct RefreshPolicy: Sendable, Equatable {
    /// Each refresh gives a new refresh token and retires the last one.
    public var rotates = false
    /// The time for which a retired token is still accepted, for clients that lost the response.
    public var graceSeconds: Int64 = 60
    /// A session's whole life; nil has no end.
    public var lifetimeSecondsMax: Int64?
    /// The time that a session may lie unused; nil has no end.
    public var idleSecondsMax: Int64?

    /// The defaults.
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

    /// The defaults.
    public init() {}
  }
}

/// The rate limits for clients; each server counts for itself.
public struct ThrottleLimits: Sendable, Equatable {
  /// Wrong passwords of one account before it has to wait.
  public var accountFailuresFree = 10
  /// The longest wait.
  public var accountDelaySecondsMax: Int64 = 900
  /// The time without a failure after which an account's counter is dropped.
  public var accountForgetSeconds: Int64 = 43_200
  /// Failed passwords from one address in five minutes; above it only one attempt in ten seconds is accepted.
  public var addressFailures = 30
  /// Different accounts that one address may fail for in ten minutes.
  public var addressAccounts = 20
  /// New accounts that one address may make in an hour.
  public var signUpsPerHour = 100
  /// The same for anonymous accounts.
  public var anonymousPerHour = 60
  /// Mails to one address in a minute, for all purposes. Password resets are counted separately, here and by the hour:
  /// no other mail delays one.
  public var mailsPerAddressPerMinute = 1
  /// The same in an hour.
  public var mailsPerAddressPerHour = 5
  /// Mails that one client address may request in an hour.
  public var mailsPerClientPerHour = 30
  /// All mails in a day.
  public var mailsPerDay = 2_000
  /// Text messages to one phone number in a minute.
  public var messagesPerNumberPerMinute = 1
  /// The same in an hour.
  public var messagesPerNumberPerHour = 5
  /// The same in a day.
  public var messagesPerNumberPerDay = 10
  /// Text messages that one client address may request in an hour.
  public var messagesPerClientPerHour = 10
  /// The same in a day.
  public var messagesPerClientPerDay = 30
  /// Text messages to numbers of one country in an hour.
  public var messagesPerCountryPerHour = 100
  /// The same in a day.
  public var messagesPerCountryPerDay = 500
  /// All text messages in an hour.
  public var messagesPerHour = 200
  /// All text messages in a day.
  public var messagesPerDay = 1_000
  /// Tries at codes, for one account in a minute.
  public var codeTriesPerMinute = 15
  /// Tries at codes of second factors, for one account in a day: an attacker with the password must not guess them
  /// within weeks.
  public var factorTriesPerDay = 100
  /// Refused credentials of other providers from one address in a minute.
  public var credentialFailuresPerMinute = 30
  /// Counters in memory; the oldest go first.
  public var countersMax = 100_000

  /// The defaults.
  public init() {}
}
