/// A tenant: a part of the project with its own users, sessions and sign-in methods, isolated from all others. The
/// names are those of Identity Platform's `Tenant`.
public struct TenantRecord: Sendable, Equatable {
  /// The id in paths, tokens and requests. Never reused.
  public var id: String
  /// The display name; nil when none was given.
  public var displayName: String?
  /// True when passwords sign in, and accounts with them can be created.
  public var allowsPasswords = false
  /// True when mailed links sign in.
  public var allowsEmailLinks = false
  /// True when accounts without a credential can be created.
  public var allowsAnonymous = false
  /// True when sign-ins and tokens of its users are refused.
  public var isDisabled = false
  /// True when responses do not reveal whether an address has an account; nil when the project's setting applies.
  public var protectsFromEnumeration: Bool?
  /// The policy for second factors; nil when the project's setting applies.
  public var secondFactorPolicy: SecondFactorSettings.Policy?
  /// The kinds of second factor as Identity Platform's API names them, such as `PHONE_SMS`; set by an administrator.
  public var secondFactorProviders: [String] = []
  /// The settings for authenticator apps as second factors; nil when the project's apply.
  public var authenticators: Authenticators?
  /// Further settings that override the project's, as the text of an operator's file: `passwordPolicy`, `phone`,
  /// `allowsSignUp` and the like. Nil for none.
  public var changes: String?
  /// The time of creation, since 1970.
  public var createdAtMilliseconds: Int64

  /// The settings for authenticator apps, which show time-based codes.
  public struct Authenticators: Sendable, Equatable {
    /// True when they can be enrolled.
    public var isOn: Bool
    /// The number of steps before and after the present one whose codes are accepted; nil when the project's setting
    /// applies.
    public var adjacentIntervals: Int64?

    /// Creates the settings.
    public init(isOn: Bool, adjacentIntervals: Int64? = nil) {
      (self.isOn, self.adjacentIntervals) = (isOn, adjacentIntervals)
    }
  }

  /// Creates a tenant with only custom tokens and other providers enabled, as every project has them.
  public init(id: String, createdAtMilliseconds: Int64) {
    (self.id, self.createdAtMilliseconds) = (id, createdAtMilliseconds)
  }

  /// The longest id, in characters.
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
