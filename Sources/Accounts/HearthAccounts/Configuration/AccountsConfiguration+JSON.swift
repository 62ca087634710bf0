import HearthCrypto
import HearthPlugin
import HearthTree

/// The operator's file: one JSON object, comments allowed. Its members have the names of the properties of
/// ``AccountsConfiguration``; absent ones keep their values. In addition:
///
///     {
///       "signIn": { "password": true, "oauth": { … } },   // true, false, or the plugin's settings
///       "mail": { "fromAddress": "noreply@example.com", "smtp": { … } },
///       "phone": { "regions": { "allow": ["DE"] } },
///       "trust": { "firebaseProjects": ["my-app"], "issuers": [{ "issuer": "https://id.example.com", … }] },
///       "trustedProxies": ["10.0.0.0/8"],
///       "passwordCost": "small"                            // standard, small, or { "logN": 17, "r": 8, "p": 1 }
///     }
///
/// The file cannot enable emulator mode: a file that is copied to a server must not open it.
extension AccountsConfiguration {
  /// Reads an operator's file.
  ///
  /// - Parameters:
  ///   - text: UTF-8.
  ///   - defaults: the configuration without the file; the file's members replace it.
  /// - Throws: the first error, with its place. An unknown setting is an error: a misspelt one would silently leave a
  ///   protection off.
  public static func parse(
    _ text: [UInt8], over defaults: AccountsConfiguration
  ) throws(SettingsError) -> AccountsConfiguration {
    var file = try ConfigurationObject(try ConfigurationText.parse(text), at: "")
    var configuration = defaults
    try configuration.readIdentity(&file)
    try configuration.readSwitches(&file)
    try configuration.readPasswords(&file)
    try configuration.readLifetimes(&file)
    if let functions = file.value("blockingFunctions") {
      do throws(AccountError) {
        configuration.blockingFunctions = try BlockingFunctionSettings(json: functions, namingAllowsPrivate: true)
      } catch {
        throw file.wrong("blockingFunctions", error.detail ?? error.message)
      }
    }
    if var limits = try file.object("limits") { try configuration.limits.read(&limits) }
    if var mail = try file.object("mail") { try configuration.mail.read(&mail) }
    if var phone = try file.object("phone") { try configuration.phone.read(&phone) }
    if let plugins = try file.object("signIn") { try configuration.readSignIn(plugins) }
    if var trust = try file.object("trust") { try configuration.trust.read(&trust) }
    if let proxies = try file.texts("trustedProxies") { configuration.trustedProxies = proxies }
    try file.end()
    try configuration.validate()
    return configuration
  }

  private mutating func readIdentity(_ file: inout ConfigurationObject) throws(SettingsError) {
    try file.read("projectID", into: &projectID)
    try file.read("publicURL", into: &publicURL)
    publicURL = publicURL.lowercased()
    if publicURL.hasSuffix("/") { publicURL.removeLast() }
    if let keys = try file.texts("apiKeys") {
      guard !keys.isEmpty else {
        throw file.wrong("apiKeys", "lists no key, so that every request would be refused; omit it to accept any key")
      }
      apiKeys = Set(keys)
    }
    if let domains = try file.texts("authorizedDomains") { authorizedDomains = domains.map { $0.lowercased() } }
    if let domains = try file.texts("pageDomains") {
      pageDomains = domains.map { $0.lowercased() }
      guard pageDomains.allSatisfy({ Self.isDomain($0) }) else {
        throw file.wrong(
          "pageDomains", "must be names such as app.example.com, or app.example.com:8443, without https://")
      }
    }
    if var apps = try file.object("nativeApps") { try nativeApps.read(&apps) }
    if let schemes = try file.texts("continueSchemes") { continueSchemes = Set(schemes.map { $0.lowercased() }) }
  }

  private static func isDomain(_ text: String) -> Bool {
    guard let url = ContinueURL("https://" + text) else { return false }
    return text == url.host || text.hasPrefix(url.host + ":")
  }

  private mutating func readSwitches(_ file: inout ConfigurationObject) throws(SettingsError) {
    try file.read("protectsFromEnumeration", into: &protectsFromEnumeration)
    try file.read("allowsSignUp", into: &allowsSignUp)
    try file.read("allowsDeletion", into: &allowsDeletion)
    try file.read("allowsDuplicateEmails", into: &allowsDuplicateEmails)
    try file.read("allowsPasswords", into: &allowsPasswords)
    try file.read("allowsEmailLinks", into: &allowsEmailLinks)
    try file.read("allowsAnonymous", into: &allowsAnonymous)
    try file.read("allowsPhones", into: &allowsPhones)
    try file.read("legacyRevealsUnknownUsers", into: &legacyRevealsUnknownUsers)
    try file.read("resetDropsIdentities", into: &resetDropsIdentities)
    try file.read("revokesOnClaimChange", into: &revokesOnClaimChange)
  }

  private mutating func readPasswords(_ file: inout ConfigurationObject) throws(SettingsError) {
    if let cost = file.value("passwordCost") {
      passwordCost = try Self.cost(cost, at: file.location(of: "passwordCost"))
    }
    try file.read("passwordSlots", into: &passwordSlots, 1...1_024)
    try file.read("secondFactorsMax", into: &secondFactorsMax, 0...20)
    if var factors = try file.object("secondFactors") { try secondFactors.read(&factors) }
    guard var policy = try file.object("passwordPolicy") else { return }
    try policy.read("lengthMin", into: &passwordPolicy.lengthMin, 6...128)
    try policy.read("sizeBytesMax", into: &passwordPolicy.sizeBytesMax, 64...4_096)
    try policy.read("requiresLowercase", into: &passwordPolicy.requiresLowercase)
    try policy.read("requiresUppercase", into: &passwordPolicy.requiresUppercase)
    try policy.read("requiresDigit", into: &passwordPolicy.requiresDigit)
    try policy.read("requiresOther", into: &passwordPolicy.requiresOther)
    try policy.read("refusesCommon", into: &passwordPolicy.refusesCommon)
    try policy.read("refusesContext", into: &passwordPolicy.refusesContext)
    try policy.read("appliesAtSignIn", into: &passwordPolicy.appliesAtSignIn)
    try policy.end()
  }

  private mutating func readLifetimes(_ file: inout ConfigurationObject) throws(SettingsError) {
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

  private static func cost(_ value: JSON, at place: String) throws(SettingsError) -> PasswordCost {
    switch value {
    case .string("standard"): return .standard
    case .string("small"): return .small
    case .object:
      var (object, logN, r, p) = (try ConfigurationObject(value, at: place), 0, 0, 0)
      try object.read("logN", into: &logN, 13...20)
      try object.read("r", into: &r, 8...32)
      try object.read("p", into: &p, 1...16)
      try object.end()
      guard let cost = PasswordCost(logN: logN, r: r, p: p), !cost.isBelowFloor else {
        let known = PasswordCost.recommended.map { "logN \($0.logN) r \($0.r) p \($0.p)" }.joined(separator: ", ")
        throw SettingsError(place, "is weaker than recommended, or needs too much memory: \(known)")
      }
      return cost
    default:
      throw SettingsError(place, "must be \"standard\", \"small\" or { \"logN\": 17, \"r\": 8, \"p\": 1 }")
    }
  }

  /// Reads `signIn`: `true` stands for a plugin without settings; `false` switches it off.
  private mutating func readSignIn(_ object: ConfigurationObject) throws(SettingsError) {
    var plugins: [PluginChoice] = []
    for member in object.others() {
      switch member.value {
      case .bool(true): plugins.append(PluginChoice(member.name))
      case .bool(false): continue
      case .object, .array: plugins.append(PluginChoice(member.name, member.value))
      default: throw object.wrong(member.name, "must be true, false or the plugin's settings: { … }")
      }
    }
    // A file that only switches plugins off keeps the defaults.
    if !plugins.isEmpty { signIn = plugins }
  }
}
