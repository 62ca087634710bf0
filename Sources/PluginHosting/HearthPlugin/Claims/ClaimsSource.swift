import HearthTree

/// Adds claims to ID tokens as they are made: what is true for an hour, and not kept with the account.
///
/// Asked before each ID token, of a sign-in and of a refresh. All sources are asked, one after the other; each is told what
/// those before it said. One that throws, or does not answer within ten seconds, keeps the token from being made: the
/// sign-in is refused, and a client that refreshes tries again. Tokens of 2.x sessions are made without.
public protocol ClaimsSource: Sendable {
  /// What the operator's log, and clients that sign in, are told when it does not answer.
  var name: String { get }

  /// Says what the token is to say in addition.
  ///
  /// - Throws: any error when it could not decide; no token is made then.
  func claims(for request: ClaimsRequest) async throws -> ClaimsAnswer
}

/// An ID token that is about to be made.
public struct ClaimsRequest: Sendable, Codable, Equatable {
  /// The reason why a token is made.
  public enum Occasion: String, Sendable, Codable, CaseIterable {
    /// A session begins, or goes on with another credential.
    case signIn
    /// The token before is about to end.
    case refresh
  }

  /// Names the request in logs.
  public var id: String
  /// The reason why the token is made.
  public var occasion: Occasion
  /// The account; a new one is not stored yet. A change that the same request makes to it may not be seen here yet: the
  /// next token has it.
  public var user: HookUser
  /// As the token shows it: `password`, `anonymous`, `custom`, `phone`, `google.com`.
  public var signInProvider: String
  /// The kind of the second factor that was shown, `totp` or `phone`; nil without one.
  public var secondFactor: String?
  /// What the token would say beside the server's own claims: those of the account, of sources before this one, and of the
  /// session. An object.
  public var claims: JSON
  /// The client's IP address, as far as trusted proxies tell it.
  public var clientAddress: String

  /// A question as the server asks it.
  public init(
    id: String, occasion: Occasion, user: HookUser, signInProvider: String, secondFactor: String? = nil,
    claims: JSON = [:], clientAddress: String
  ) {
    self.id = id
    self.occasion = occasion
    self.user = user
    self.signInProvider = signInProvider
    self.secondFactor = secondFactor
    self.claims = claims
    self.clientAddress = clientAddress
  }
}

/// What a token is to say in addition.
public struct ClaimsAnswer: Sendable, Codable, Equatable {
  /// An object without reserved names, 1,000 bytes at most together with the other claims. They take the place of the
  /// account's claims of the same names; those of the session stay.
  public var claims: JSON

  /// These claims; an empty object for none.
  public init(claims: JSON) { self.claims = claims }
}
