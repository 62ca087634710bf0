import HearthCrypto
import HearthTree

/// What an operator's configuration file says.
public struct AccountsSettings: Sendable {
  public var accounts: AccountsConfiguration
  /// The sign-in plugins that are switched on, each with what it is told: an object, or an array where the plugin takes
  /// a list.
  public var signIn: [JSON.Member]
  /// The mailer plugin and what it is told; nil when no mail is sent.
  public var mail: JSON.Member?
  /// Addresses, or networks in CIDR notation, whose forwarding headers are believed.
  public var trustedProxies: [String]
}

/// The operator's file: one JSON object, comments allowed. Its members are called as the properties of
/// ``AccountsConfiguration`` are; what is not in it stays as it was. Beside them:
///
///     {
///       "signIn": { "password": true, "oauth": { … } },   // true, false, or the plugin's settings
///       "mail": { "fromAddress": "noreply@example.com", "smtp": { … } },
///       "trustedProxies": ["10.0.0.0/8"],
///       "passwordCost": "small"                            // standard, small, or { "logN": 17, "r": 8, "p": 1 }
///     }
///
/// Whether clients are treated as an emulator's is not in it: a file that is copied to a server must not open it.
extension AccountsConfiguration {
  /// Reads an operator's file.
  ///
  /// - Parameters:
  ///   - text: UTF-8.
  ///   - defaults: what the command line says; the file's members replace it.
  /// - Throws: the first thing that is wrong, with its place. A setting that does not exist is an error: a misspelt one
  ///   would otherwise be a door left open.
  public static func parse(
    _ text: [UInt8], over defaults: AccountsConfiguration
  ) throws(ConfigurationError) -> AccountsSettings {
    var file = try SettingsObject(try ConfigurationText.parse(text), at: "")
    var accounts = defaults
    try accounts.readIdentity(&file)
    try accounts.readSwitches(&file)
    try accounts.readPasswords(&file)
    try accounts.readLifetimes(&file)
    if var limits = try file.object("limits") { try accounts.limits.read(&limits) }
    let mail = try accounts.mail.read(try file.object("mail"))
    let signIn = try Self.signIn(try file.object("signIn"))
    let trustedProxies = try file.texts("trustedProxies") ?? []
    try file.end()
    try accounts.validate()
    return AccountsSettings(accounts: accounts, signIn: signIn, mail: mail, trustedProxies: trustedProxies)
  }

  private mutating func readIdentity(_ file: inout SettingsObject) throws(ConfigurationError) {
    try file.read("projectID", into: &projectID)
    try file.read("publicURL", into: &publicURL)
    publicURL = publicURL.lowercased()
    if publicURL.hasSuffix("/") { publicURL.removeLast() }
    if let keys = try file.texts("apiKeys") {
      guard !keys.isEmpty else {
        throw file.wrong("apiKeys", "names no key, so nobody could come in; leave it out to take any key")
      }
      apiKeys = Set(keys)
    }
    if let domains = try file.texts("authorizedDomains") { authorizedDomains = domains.map { $0.lowercased() } }
    if let schemes = try file.texts("continueSchemes") { continueSchemes = Set(schemes.map { $0.lowercased() }) }
  }

  private mutating func readSwitches(_ file: inout SettingsObject) throws(ConfigurationError) {
    try file.read("protectsFromEnumeration", into: &protectsFromEnumeration)
    try file.read("allowsSignUp", into: &allowsSignUp)
    try file.read("allowsDeletion", into: &allowsDeletion)
    try file.read("legacyRevealsUnknownUsers", into: &legacyRevealsUnknownUsers)
    try file.read("resetDropsIdentities", into: &resetDropsIdentities)
    try file.read("revokesOnClaimChange", into: &revokesOnClaimChange)
  }

  private mutating func readPasswords(_ file: inout SettingsObject) throws(ConfigurationError) {
    if let cost = file.value("passwordCost") {
      passwordCost = try Self.cost(cost, at: file.place(of: "passwordCost"))
    }
    try file.read("passwordSlots", into: &passwordSlots, 1...1_024)
    try file.read("secondFactorsMax", into: &secondFactorsMax, 0...20)
    guard var policy = try file.object("passwordPolicy") else { return }
    try policy.read("lengthMin", into: &passwordPolicy.lengthMin, 6...128)
    try policy.read("sizeBytesMax", into: &passwordPolicy.sizeBytesMax, 64...4_096)
    try policy.read("requiresLowercase", into: &passwordPolicy.requiresLowercase)
    try policy.read("requiresUppercase", into: &passwordPolicy.requiresUppercase)
    try policy.read("requiresDigit", into: &passwordPolicy.requiresDigit)
    try policy.read("requiresOther", into: &passwordPolicy.requiresOther)
    try policy.read("refusesCommon", into: &passwordPolicy.refusesCommon)
    try policy.read("refusesContext", into: &passwordPolicy.refusesContext)
    try policy.end()
  }

  private mutating func readLifetimes(_ file: inout SettingsObject) throws(ConfigurationError) {
    try file.read(
      "idTokenLifetimeSeconds", into: &idTokenLifetimeSeconds, Self.idTokenLifetimeRange, why: Self.lifetimeReason)
    try file.read("legacySessionSeconds", into: &legacySessionSeconds, 300...31_536_000)
    try file.read("recentSignInSeconds", into: &recentSignInSeconds, 30...86_400)
    try file.read("auditRecordsMax", into: &auditRecordsMax, 1_000...100_000_000)
    guard var refresh = try file.object("refresh") else { return }
    try refresh.read("rotates", into: &self.refresh.rotates)
    try refresh.read("graceSeconds", into: &self.refresh.graceSeconds, 60...3_600)
    try refresh.read("lifetimeSecondsMax", into: &self.refresh.lifetimeSecondsMax, 3_600...315_360_000)
    try refresh.read("idleSecondsMax", into: &self.refresh.idleSecondsMax, 3_600...315_360_000)
    try refresh.end()
  }

  private static func cost(_ value: JSON, at place: String) throws(ConfigurationError) -> PasswordCost {
    switch value {
    case .string("standard"): return .standard
    case .string("small"): return .small
    case .object:
      var (object, logN, r, p) = (try SettingsObject(value, at: place), 0, 0, 0)
      try object.read("logN", into: &logN, 13...20)
      try object.read("r", into: &r, 8...32)
      try object.read("p", into: &p, 1...16)
      try object.end()
      guard let cost = PasswordCost(logN: logN, r: r, p: p), !cost.isBelowFloor else {
        let known = PasswordCost.recommended.map { "logN \($0.logN) r \($0.r) p \($0.p)" }.joined(separator: ", ")
        throw ConfigurationError(place, "is weaker than what is recommended, or needs too much memory: \(known)")
      }
      return cost
    default:
      throw ConfigurationError(place, "must be \"standard\", \"small\" or { \"logN\": 17, \"r\": 8, \"p\": 1 }")
    }
  }

  /// `true` stands for a plugin without settings; `false` switches it off.
  private static func signIn(_ object: SettingsObject?) throws(ConfigurationError) -> [JSON.Member] {
    var plugins: [JSON.Member] = []
    guard let object else { return plugins }
    for member in object.others() {
      switch member.value {
      case .bool(true): plugins.append(JSON.Member(member.name, .object([])))
      case .bool(false): continue
      case .object, .array: plugins.append(member)
      default: throw object.wrong(member.name, "must be true, false or the plugin's settings: { … }")
      }
    }
    return plugins
  }
}
