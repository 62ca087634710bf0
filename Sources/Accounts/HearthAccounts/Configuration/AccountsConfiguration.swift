import HearthCrypto
import HearthPlugin

/// What an operator can decide about accounts: everything that the operator's file says. The defaults are the careful
/// ones.
///
/// It is made once, when the server starts. Some of it administrators change while the server runs:
/// ``ConfigurationAdministration``.
public struct AccountsConfiguration: Sendable {
  /// The project when none is named.
  public static let projectIDDefault = "hearth"

  /// The project that tokens are minted for and checked against.
  public var projectID: String
  /// The claim of users who may open the console; nil where no account does.
  public var consoleClaim: String?
  /// Identifiers, not secrets, that clients name with `key=`; nil takes any that is not empty.
  public var apiKeys: Set<String>?
  /// The origin of links in mails and of everything else that names this server: `https://auth.example.com`. Never
  /// taken from a request.
  public var publicURL: String
  /// Hosts that a continue URL may lead to, beside those of ``publicURL``.
  public var authorizedDomains: [String] = ["localhost", "127.0.0.1"]
  /// Further names under which browsers open the pages that sign people in and those of mailed links, `app.example.com`,
  /// served by a proxy that passes them on; beside that of ``publicURL``. Always over https.
  public var pageDomains: [String] = []
  /// Apps on devices that the pages lead back to.
  public var nativeApps = NativeApps()
  /// Schemes beside http and https that a continue URL may have.
  public var continueSchemes: Set<String> = []

  /// Answers do not tell whether an address has an account.
  public var protectsFromEnumeration = true
  /// Clients may make accounts; otherwise only administrators do.
  public var allowsSignUp = true
  /// Clients may delete their own account.
  public var allowsDeletion = true
  /// Each identity of another provider signs in to an account of its own, whosever its address is: an account that is made
  /// so has no address itself, its identity has. Otherwise an address has one account.
  public var allowsDuplicateEmails = false

  /// Passwords sign in, where a plugin serves them.
  public var allowsPasswords = true
  /// Mailed links sign in, where a plugin serves them.
  public var allowsEmailLinks = true
  /// Accounts without any credential are made, where a plugin serves them.
  public var allowsAnonymous = true
  /// Phone numbers sign in, where ``signIn`` names them.
  public var allowsPhones = true

  /// What a new hash costs; weaker ones are renewed at the next sign-in.
  public var passwordCost = PasswordCost.standard
  /// Hashes that are computed at once; nil derives it from cores and memory.
  public var passwordSlots: Int?
  /// What new passwords must be like; clients are told it, and so are plugins.
  public var passwordPolicy = PasswordPolicy()

  /// The sign-in plugins that are switched on, in the file's order. Nil when the file does not say; then those that are
  /// on by default (``DefaultUse``).
  public var signIn: [PluginChoice]?

  /// How long an ID token is valid; clients refresh it five minutes before the end.
  public var idTokenLifetimeSeconds: Int64 = 3_600
  /// The time that a sign-in of a 2.x client lasts.
  public var legacySessionSeconds: Int64 = 86_400
  /// Sensitive changes need a sign-in that is at most so old.
  public var recentSignInSeconds: Int64 = 300
  /// How sign-ins are kept up.
  public var refresh = RefreshPolicy()
  /// Legacy clients are told `INVALID_USER` for an unknown address, as they once were.
  public var legacyRevealsUnknownUsers = false
  /// A password reset also removes the user's identities of other providers.
  public var resetDropsIdentities = false
  /// Changed claims end the tokens that still have the old ones.
  public var revokesOnClaimChange = false
  /// Functions that are asked before accounts are made and sessions begin, until others are set while the server runs.
  public var blockingFunctions: BlockingFunctionSettings?
  /// Who has to show a second factor, and which kinds there are.
  public var secondFactors = SecondFactorSettings()
  /// Second factors of one account.
  public var secondFactorsMax = 5
  /// The sender that mails show, and the plugin that sends them.
  public var mail = MailSettings()
  /// Codes to phones.
  public var phone = PhoneSettings()
  /// Addresses, and networks in CIDR notation, of proxies whose `X-Forwarded-For` names the client.
  public var trustedProxies: [String] = []
  /// How much of what a client may do; on an emulator they are lifted.
  public var limits = ThrottleLimits()
  /// Audit records that are kept; the oldest go first, and the chain is verified from the oldest that is there.
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

  /// Turns the defaults into those of an emulator: refusals tell why, as the official emulator's do, and passwords, which
  /// are a suite's own, cost no time. What is read over it may say otherwise.
  public mutating func beginAsEmulator() {
    isEmulator = true
    protectsFromEnumeration = false
    passwordCost = .developer
  }

  /// How refresh tokens live.
  public struct RefreshPolicy: Sendable, Equatable {
    /// Each refresh gives a new refresh token and retires the last one.
    public var rotates = false
    /// How long a retired token is still taken, for clients whose answer was lost.
    public var graceSeconds: Int64 = 60
    /// A session's whole life; nil has no end.
    public var lifetimeSecondsMax: Int64?
    /// The time that a session may lie unused; nil has no end.
    public var idleSecondsMax: Int64?

    /// The defaults.
    public init() {}
  }

  /// Who mails are from, and which plugin sends them.
  public struct MailSettings: Sendable, Equatable {
    /// The sender's name.
    public var fromName = "Hearth"
    /// The sender's address.
    public var fromAddress = "noreply@localhost"
    /// What mails call the app.
    public var appName = "your app"
    /// The plugin that sends them. Nil when the file does not say; then one that is on by default, if there is one.
    public var mailer: PluginChoice?

    /// The defaults.
    public init() {}
  }
}

/// How often a client may try something; counted by each server for itself.
public struct ThrottleLimits: Sendable, Equatable {
  /// Wrong passwords of one account before it has to wait.
  public var accountFailuresFree = 10
  /// The longest wait.
  public var accountDelaySecondsMax: Int64 = 900
  /// After so long without a failure an account's counter is forgotten.
  public var accountForgetSeconds: Int64 = 43_200
  /// Wrong passwords from one address in five minutes, before one in ten seconds is taken.
  public var addressFailures = 30
  /// Different accounts that one address may fail for in ten minutes.
  public var addressAccounts = 20
  /// New accounts that one address may make in an hour.
  public var signUpsPerHour = 100
  /// The same for anonymous accounts.
  public var anonymousPerHour = 60
  /// Mails to one address in a minute, whatever they are for. Password resets are counted by themselves, here and by the
  /// hour: no other mail keeps one back.
  public var mailsPerAddressPerMinute = 1
  /// The same in an hour.
  public var mailsPerAddressPerHour = 5
  /// Mails that one client address may ask for in an hour.
  public var mailsPerClientPerHour = 30
  /// All mails in a day.
  public var mailsPerDay = 2_000
  /// Text messages to one phone number in a minute.
  public var messagesPerNumberPerMinute = 1
  /// The same in an hour.
  public var messagesPerNumberPerHour = 5
  /// The same in a day.
  public var messagesPerNumberPerDay = 10
  /// Text messages that one client address may ask for in an hour.
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
  /// Tries at codes of second factors, for one account in a day: whoever knows the password shall not guess them in weeks.
  public var factorTriesPerDay = 100
  /// Refused credentials of other providers from one address in a minute.
  public var credentialFailuresPerMinute = 30
  /// Counters in memory; the oldest go first.
  public var countersMax = 100_000

  /// The defaults.
  public init() {}
}
