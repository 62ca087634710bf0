import HearthTree

/// What a hook decides on.
public struct HookEvent: Sendable, Codable, Equatable {
  /// What is about to happen.
  public enum Moment: String, Sendable, Codable, CaseIterable {
    /// An account is about to be made. Session claims of the verdict are not used.
    case beforeCreate
    /// A session is about to begin. A new account passes both moments, and is stored after the second one.
    case beforeSignIn
  }

  /// Names the event: unique, of the characters `0-9`, `A-Z`, `a-z`, `-` and `_`.
  public var id: String
  /// What is about to happen.
  public var moment: Moment
  /// The account; a new one is not stored yet.
  public var user: HookUser
  /// The account is made with this sign-in.
  public var isNewUser: Bool
  /// As tokens show it: `password`, `anonymous`, `custom`, `phone`, `google.com`.
  public var signInProvider: String
  /// How exactly they come in: as ``signInProvider``, but `emailLink` for a mailed link.
  public var signInMethod: String
  /// The kind of the second factor that was shown, `totp` or `phone`; nil without one.
  public var secondFactor: String?
  /// What another provider said of the person; nil for a sign-in without one, and when the second factor came later.
  public var credential: HookCredential?
  /// The client's IP address, as far as trusted proxies tell it.
  public var clientAddress: String
  /// What the client calls itself; the empty text when it does not say.
  public var userAgent: String
  /// The language that the client asks for, as it names it; nil when it does not say.
  public var locale: String?

  /// An event with what every event has.
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

/// What another provider said of a person who comes in with its credential.
public struct HookCredential: Sendable, Codable, Equatable {
  /// A token of another provider that a hook can ask to be told.
  public enum Token: String, Sendable, Codable, CaseIterable {
    /// ``HookCredential/idToken``
    case idToken
    /// ``HookCredential/accessToken``, ``HookCredential/tokenSecret`` and ``HookCredential/expiresInSeconds``
    case accessToken
    /// ``HookCredential/refreshToken``
    case refreshToken
  }

  /// The provider's profile of the person, as it came.
  public var profile: JSON?
  /// Claims that the provider adds to the session's tokens: an object.
  public var attributes: JSON?
  /// Secret. The provider's ID token, for a hook that asked to be told.
  public var idToken: String?
  /// Secret. The provider's access token, for a hook that asked to be told.
  public var accessToken: String?
  /// Secret. What belongs to an access token of OAuth 1.0, for a hook that asked to be told access tokens.
  public var tokenSecret: String?
  /// Secret. The provider's refresh token, for a hook that asked to be told.
  public var refreshToken: String?
  /// The life of ``accessToken`` as the client got it told.
  public var expiresInSeconds: Int64?

  /// Nothing said yet.
  public init() {}
}
