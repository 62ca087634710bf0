/// A tenant: a part of the project with users, sessions and ways in of its own, which know nothing of those of others. The
/// names are those of Identity Platform's `Tenant`.
public struct TenantRecord: Sendable, Equatable {
  /// In paths, tokens and requests. Never used twice.
  public var id: String
  /// For people; nil when none was given.
  public var displayName: String?
  /// True when passwords sign in, and accounts with them are made.
  public var allowsPasswords = false
  /// True when mailed links sign in.
  public var allowsEmailLinks = false
  /// True when accounts without any credential are made.
  public var allowsAnonymous = false
  /// No user signs in, and no token of its users counts.
  public var isDisabled = false
  /// Answers do not tell whether an address has an account; nil when the project's setting counts.
  public var protectsFromEnumeration: Bool?
  /// Who has to show a second factor; nil when the project's setting counts.
  public var secondFactorPolicy: SecondFactorSettings.Policy?
  /// The kinds that the service's interface names, such as `PHONE_SMS`, as an administrator said them.
  public var secondFactorProviders: [String] = []
  /// Authenticators as second factors; nil when the project's setting counts.
  public var authenticators: Authenticators?
  /// What else was decided for it over the project's settings, as the text of an operator's file: `passwordPolicy`,
  /// `phone`, `allowsSignUp` and the like. Nil for nothing.
  public var changes: String?
  /// Since 1970.
  public var createdAtMilliseconds: Int64

  /// What was decided of authenticators, which show time-based codes.
  public struct Authenticators: Sendable, Equatable {
    /// They can be enrolled.
    public var isOn: Bool
    /// Codes of so many steps before and after the present one are taken too; nil when the project's setting counts.
    public var adjacentIntervals: Int64?

    /// A decision.
    public init(isOn: Bool, adjacentIntervals: Int64? = nil) {
      (self.isOn, self.adjacentIntervals) = (isOn, adjacentIntervals)
    }
  }

  /// A tenant of which nothing is switched on but what every project has: custom tokens and other providers.
  public init(id: String, createdAtMilliseconds: Int64) {
    (self.id, self.createdAtMilliseconds) = (id, createdAtMilliseconds)
  }

  /// Characters of an id at most.
  static let idBytesMax = 64

  /// Returns true when a text can be an id: letters, digits and hyphens.
  package static func isID(_ text: String) -> Bool {
    (1...idBytesMax).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }
  }

  /// Returns true when a text can be a display name: 4 to 20 letters, digits and hyphens, the first of them a letter.
  package static func isDisplayName(_ text: String) -> Bool {
    guard (4...20).contains(text.utf8.count), let first = text.utf8.first, first.isASCIILetterOrDigit,
      !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
    else { return false }
    return isID(text)
  }
}
