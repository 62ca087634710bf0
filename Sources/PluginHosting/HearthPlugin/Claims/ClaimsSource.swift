import HearthTree

/// A source of claims that are added to ID tokens as they are made: they hold for an hour and are not stored with the
/// account.
///
/// Called before each ID token, of a sign-in and of a refresh. All sources are called, one after the other; each gets
/// the claims of those before it. When a source throws, or does not answer within ten seconds, no token is made: the
/// sign-in is refused, and a client that refreshes tries again. Tokens of 2.x sessions are made without sources.
public protocol ClaimsSource: Sendable {
  /// The source's name, which the operator's log and signing-in clients get when it does not answer.
  var name: String { get }

  /// Returns the claims to add to the token.
  ///
  /// - Throws: any error when the source could not decide; no token is made then.
  func claims(for request: ClaimsRequest) async throws -> ClaimsAnswer
}

/// An ID token that is about to be made.
public struct ClaimsRequest: Sendable, Codable, Equatable {
  /// The reason why a token is made.
  public enum Occasion: String, Sendable, Codable, CaseIterable {
    /// A session begins, or continues with another credential.
    case signIn
    /// The previous token is about to expire.
    case refresh
  }

  /// The id of the request in logs.
  public var id: String
  /// The reason why the token is made.
  public var occasion: Occasion
  /// The account; a new one is not stored yet. A change that the same request makes to it may not be seen here yet: the
  /// next token has it.
  public var user: HookUser
  /// The provider as the token names it: `password`, `anonymous`, `custom`, `phone`, `google.com`.
  public var signInProvider: String
  /// The kind of the verified second factor, `totp` or `phone`; nil when there was none.
  public var secondFactor: String?
  /// The claims that the token already has, beside the server's own: those of the account, of earlier sources and of the session.
  /// An object.
  public var claims: JSON
  /// The client's IP address, as far as trusted proxies tell it.
  public var clientAddress: String

  /// Creates a request as the server makes it.
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

/// The claims that a source adds to a token.
public struct ClaimsAnswer: Sendable, Codable, Equatable {
  /// The added claims: an object without reserved names, 1,000 bytes at most together with the other claims. They
  /// replace the account's claims of the same names; those of the session stay.
  public var claims: JSON

  /// Creates an answer with these claims; an empty object adds none.
  public init(claims: JSON) { self.claims = claims }
}
