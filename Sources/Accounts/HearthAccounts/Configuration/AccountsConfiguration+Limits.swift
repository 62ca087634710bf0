import HearthPlugin
import HearthTree

extension ThrottleLimits {
  mutating func read(_ object: inout ConfigurationObject) throws(SettingsError) {
    try object.read("accountFailuresFree", into: &accountFailuresFree, 1...1_000)
    try object.read("accountDelaySecondsMax", into: &accountDelaySecondsMax, 1...86_400)
    try object.read("accountForgetSeconds", into: &accountForgetSeconds, 60...2_592_000)
    try object.read("addressFailures", into: &addressFailures, 1...1_000_000)
    try object.read("addressAccounts", into: &addressAccounts, 1...1_000_000)
    try object.read("signUpsPerHour", into: &signUpsPerHour, 0...1_000_000)
    try object.read("anonymousPerHour", into: &anonymousPerHour, 0...1_000_000)
    try object.read("mailsPerAddressPerMinute", into: &mailsPerAddressPerMinute, 1...1_000)
    try object.read("mailsPerAddressPerHour", into: &mailsPerAddressPerHour, 0...1_000)
    try object.read("mailsPerClientPerHour", into: &mailsPerClientPerHour, 0...1_000_000)
    try object.read("mailsPerDay", into: &mailsPerDay, 0...10_000_000)
    try object.read("messagesPerNumberPerMinute", into: &messagesPerNumberPerMinute, 1...1_000)
    try object.read("messagesPerNumberPerHour", into: &messagesPerNumberPerHour, 0...1_000)
    try object.read("messagesPerNumberPerDay", into: &messagesPerNumberPerDay, 0...1_000)
    try object.read("messagesPerClientPerHour", into: &messagesPerClientPerHour, 0...1_000_000)
    try object.read("messagesPerClientPerDay", into: &messagesPerClientPerDay, 0...1_000_000)
    try object.read("messagesPerCountryPerHour", into: &messagesPerCountryPerHour, 0...10_000_000)
    try object.read("messagesPerCountryPerDay", into: &messagesPerCountryPerDay, 0...10_000_000)
    try object.read("messagesPerHour", into: &messagesPerHour, 0...10_000_000)
    try object.read("messagesPerDay", into: &messagesPerDay, 0...10_000_000)
    try object.read("codeTriesPerMinute", into: &codeTriesPerMinute, 1...1_000)
    try object.read("factorTriesPerDay", into: &factorTriesPerDay, 1...1_000_000)
    try object.read("credentialFailuresPerMinute", into: &credentialFailuresPerMinute, 1...100_000)
    try object.read("countersMax", into: &countersMax, 1_000...10_000_000)
    // A limit of earlier versions, which counted wrong secrets. Their files remain readable.
    _ = object.value("adminFailuresPerMinute")
    try object.end()
  }
}

extension AccountsConfiguration.MailSettings {
  /// Reads the sender, and the one member that names a mailer plugin.
  mutating func read(_ object: inout ConfigurationObject) throws(SettingsError) {
    try object.read("fromName", into: &fromName)
    try object.read("fromAddress", into: &fromAddress)
    try object.read("appName", into: &appName)
    guard EmailAddress.canonical(fromAddress) != nil else {
      throw object.wrong("fromAddress", "must be an e-mail address")
    }
    for member in object.others() {
      switch member.value {
      case .bool(false): continue
      case .bool(true), .object:
        if let mailer {
          throw object.wrong(member.name, "is a second mailer besides \(mailer.name); keep one")
        }
        mailer = PluginChoice(member.name, member.value.members == nil ? .object([]) : member.value)
      default: throw object.unknown(member.name)
      }
    }
  }
}

extension AccountsConfiguration {
  /// Clients refresh five minutes before the end: with 300 seconds or less each would refresh hundreds of times a
  /// second.
  static let idTokenLifetimeRange: ClosedRange<Int64> = 900...3_600
  static let lifetimeReason =
    "clients refresh five minutes before expiry, so shorter tokens would be refreshed continuously"

  /// Refuses an invalid configuration, from a file or the command line.
  public func validate() throws(SettingsError) {
    guard Self.idTokenLifetimeRange.contains(idTokenLifetimeSeconds) else {
      let range = Self.idTokenLifetimeRange
      throw SettingsError(
        "idTokenLifetimeSeconds", "must be from \(range.lowerBound) to \(range.upperBound): \(Self.lifetimeReason)")
    }
    let project = projectID.utf8
    guard (1...64).contains(project.count), project.allSatisfy(Self.isNameByte) else {
      throw SettingsError("projectID", "must be 1 to 64 lower-case letters, digits, hyphens or points")
    }
    guard Self.isOrigin(publicURL) else {
      throw SettingsError(
        "publicURL",
        "must be the URL at which users reach this server, such as https://auth.example.com, without a path")
    }
    guard passwordPolicy.lengthMin <= passwordPolicy.sizeBytesMax else {
      throw SettingsError("passwordPolicy.lengthMin", "is more than sizeBytesMax, so that no password is possible")
    }
    if passwordCost.isBelowFloor, !isEmulator {
      throw SettingsError(
        "passwordCost", "is too weak to protect passwords; it is for development only")
    }
    if let choice = signIn?.first(where: { $0.name == ProviderID.phone }), choice.values != .object([]) {
      throw SettingsError("signIn.phone", "must be true or false; its settings are in phone")
    }
    if sendsPhoneCodes, phone.regions == nil, !isEmulator {
      throw SettingsError(
        "phone.regions",
        "is missing: messages cost money, so list the countries to allow, { \"allow\": [\"DE\", \"AT\"] }, or to deny, "
          + "{ \"deny\": [] }")
    }
    for domain in authorizedDomains where !Self.isHost(domain) {
      throw SettingsError("authorizedDomains", "must be host names, without a scheme, a port or a path")
    }
    try trust.validate()
  }

  /// Returns true for a host name or an address. One colon alone would precede a port; more of them are an IPv6
  /// address.
  private static func isHost(_ domain: String) -> Bool {
    domain.utf8.allSatisfy { isNameByte($0) || $0 == UInt8(ascii: ":") }
      && domain.utf8.count { $0 == UInt8(ascii: ":") } != 1
  }

  static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: false
    }
  }

  /// Returns true for `http://host`, `https://host:port` or `http://[::1]:port`, without user information and path.
  private static func isOrigin(_ url: String) -> Bool {
    guard url.utf8.count <= 255, let scheme = ["https://", "http://"].first(where: { url.hasPrefix($0) }) else {
      return false
    }
    var rest = url.utf8.dropFirst(scheme.utf8.count)
    if rest.first == UInt8(ascii: "[") {
      let address = rest.dropFirst().prefix { $0 == UInt8(ascii: ":") || Character(Unicode.Scalar($0)).isHexDigit }
      rest = rest.dropFirst(address.count + 1)
      guard address.count >= 2, rest.first == UInt8(ascii: "]") else { return false }
      rest = rest.dropFirst()
    } else {
      let host = rest.prefix(while: isNameByte)
      let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      guard labels.allSatisfy({ !$0.isEmpty }) else { return false }
      rest = rest.dropFirst(host.count)
    }
    guard let colon = rest.first else { return true }
    let port = rest.dropFirst()
    return colon == UInt8(ascii: ":") && port.allSatisfy { $0.isASCIILetterOrDigit }
      && UInt16(String(Substring(port))).map { $0 > 0 } == true
  }
}
