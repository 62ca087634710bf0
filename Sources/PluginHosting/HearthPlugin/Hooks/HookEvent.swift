import HearthTree

/// An event that a hook decides on.
public struct HookEvent: Sendable, Codable, Equatable {
  /// The point in the sign-in at which hooks are called.
  public enum Moment: String, Sendable, Codable, CaseIterable {
    /// An account is about to be made. Session claims of the verdict are not used.
    case beforeCreate
    /// A session is about to begin. A new account passes both moments, and is stored after the second one.
    case beforeSignIn
  }

  /// The id of the event: unique, of the characters `0-9`, `A-Z`, `a-z`, `-` and `_`.
  public var id: String
  /// The point in the sign-in at which the hook is called.
  public var moment: Moment
  /// The account; a new one is not stored yet.
  public var user: HookUser
  /// True when the account is made with this sign-in.
  public var isNewUser: Bool
  /// The provider as tokens name it: `password`, `anonymous`, `custom`, `phone`, `google.com`.
  public var signInProvider: String
  /// The method in detail: as ``signInProvider``, but `emailLink` for a mailed link.
  public var signInMethod: String
  /// The kind of the verified second factor, `totp` or `phone`; nil when there was none.
  public var secondFactor: String?
  /// The other provider's profile and tokens of the user; nil for a sign-in without such a provider, and when the
  /// second factor came later.
  public var credential: HookCredential?
  /// The client's IP address, as far as trusted proxies tell it.
  public var clientAddress: String
  /// The client's `User-Agent` header; empty when it sends none.
  public var userAgent: String
  /// The language that the client requests, as it names it; nil when it names none.
  public var locale: String?

  /// Creates an event with its required fields.
  public init(
    id: String, moment: Moment, user: HookUser, isNewUser: Bool, signInProvider: String, signInMethod: String? = nil,
    clientAddress: String, userAgent: String = ""
  ) {
    self.id = id
    self.moment = moment
    self.user = user
    self.isNewUser = isNewUser
    self.signInProvider = signInProvider
    self.signInMethod = signInMethod ?? signInProvider
    self.clientAddress = clientAddress
    self.userAgent = userAgent
  }
}

/// The profile and tokens that another provider returned for a user who signs in with its credential.
public struct HookCredential: Sendable, Codable, Equatable {
  /// A token of another provider that a hook can ask for.
  public enum Token: String, Sendable, Codable, CaseIterable {
    /// Asks for ``HookCredential/idToken``.
    case idToken
    /// Asks for ``HookCredential/accessToken``, ``HookCredential/tokenSecret`` and ``HookCredential/expiresInSeconds``.
    case accessToken
    /// Asks for ``HookCredential/refreshToken``.
    case refreshToken
  }

  /// The provider's profile of the user, unchanged.
  public var profile: JSON?
  /// Claims that the provider adds to the session's tokens: an object.
  public var attributes: JSON?
  /// Secret. The provider's ID token, for a hook that asked for it.
  public var idToken: String?
  /// Secret. The provider's access token, for a hook that asked for it.
  public var accessToken: String?
  /// Secret. The secret of an access token of OAuth 1.0, for a hook that asked for access tokens.
  public var tokenSecret: String?
  /// Secret. The provider's refresh token, for a hook that asked for it.
  public var refreshToken: String?
  /// The lifetime of ``accessToken`` in seconds, as the provider stated it.
  public var expiresInSeconds: Int64?

  /// Creates a credential without any field.
  public init() {}
}
