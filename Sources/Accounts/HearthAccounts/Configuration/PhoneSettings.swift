import HearthPlugin

/// The settings for codes by text message: their use, their destinations, and the protection against abuse.
public struct PhoneSettings: Sendable, Equatable {
  /// True when a phone number can be a second factor. The listed regions only.
  public var secondFactor = false
  /// The regions that messages may go to. Nil sends none: every message costs money, and any client can choose its
  /// number.
  public var regions: PhoneRegions?
  /// The first digits, after a plus sign, of allowed numbers among ``PremiumNumbers``.
  public var premiumPrefixes: [String] = []
  /// The test numbers, in E.164, which get no messages, with the code that is always valid for each.
  public var testNumbers: [String: String] = [:]
  /// The captcha service that verifies every request for a message; nil for none.
  public var captcha: CaptchaSettings?
  /// The plugin that sends messages. Nil when the file does not name one: a default applies, if there is one. Plugins
  /// that are added while the server runs replace it.
  public var sender: PluginChoice?

  /// Creates the default settings.
  public init() {}
}

/// Regions that messages may go to.
///
/// Each is a country as ``CallingCodes`` knows it, or a plus sign and the first digits of numbers: `DE`, `+1876`.
public enum PhoneRegions: Sendable, Equatable {
  /// The listed regions only.
  case only([String])
  /// All regions but the listed ones. Networks without a country are not included.
  case allBut([String])

  /// Returns true when a message may go to a number.
  ///
  /// - Parameter number: E.164.
  package func admits(_ number: String) -> Bool {
    let country = CallingCodes.country(of: number)
    func isNamed(_ region: String) -> Bool { region.hasPrefix("+") ? number.hasPrefix(region) : region == country }
    switch self {
    case .only(let regions): return regions.contains(where: isNamed)
    case .allBut(let regions):
      return country != nil && country != CallingCodes.international && !regions.contains(where: isNamed)
    }
  }

  /// Returns true when a text can name a region.
  package static func isRegion(_ text: String) -> Bool {
    guard text.hasPrefix("+") else { return CallingCodes.isCountry(text) }
    let digits = text.utf8.dropFirst()
    return (1...15).contains(digits.count) && digits.first != UInt8(ascii: "0")
      && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}

extension AccountsConfiguration {
  /// True when phone numbers sign in.
  package var servesPhoneSignIn: Bool { hasPhoneSignIn && allowsPhones }

  /// True when codes are sent to phones, for sign-in or as second factors.
  package var sendsPhoneCodes: Bool { servesPhoneSignIn || phone.secondFactor }

  /// True when the operator's file enables sign-in with phone numbers, even if it is switched off for now.
  package var hasPhoneSignIn: Bool { signIn?.contains { $0.name == ProviderID.phone } ?? false }
}
