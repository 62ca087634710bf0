import HearthTree

/// The decision of a verifier on a token.
///
/// As JSON `{"verified":{"uid":"u1",…}}` or `{"refused":{"reason":"invalid"}}`.
public enum TokenAnswer: Sendable, Equatable {
  /// The token is valid, for this user.
  case verified(VerifiedToken)
  /// The token is not valid.
  case refused(TokenRefusal)
}

/// The contents of a valid token for rules, and its expiry.
public struct VerifiedToken: Sendable, Codable, Equatable {
  /// The user's id, `auth.uid`: 1 to 128 characters, none of them a control character. When the server has an account
  /// of that uid, the token ends as the server's own do when the account is disabled, deleted or signed out.
  public var uid: String
  /// The provider, `auth.provider` and `auth.token.firebase.sign_in_provider`: 1 to 64 letters, digits and `. _ : -`,
  /// and none of `password`, `phone`, `anonymous` and `firebase`. Nil means `custom`.
  public var signInProvider: String?
  /// The address, `auth.token.email`; left out when it is no e-mail address.
  public var email: String?
  /// True when the token's issuer verified the address: `auth.token.email_verified`.
  public var isEmailVerified: Bool
  /// The members of `auth.token`: an object without reserved names, 1,000 bytes at most; nil for none.
  public var claims: JSON?
  /// The time when the token was made, in seconds since 1970. Without it the token is invalid for a uid whose account
  /// here was ever deleted, or signed out everywhere.
  public var issuedAtSeconds: Int64?
  /// The expiry in seconds since 1970, at which sessions with the token are signed out. Nil means an hour from now.
  public var expiresAtSeconds: Int64?
  /// The time for which the server may cache this answer for the same token, in seconds, a day at most; with 0 or less
  /// it asks each time. A ``TokenRevocation`` ends it at once.
  public var cacheSeconds: Int64
  /// All claims of a trusted issuer's token, which become `auth.token` unchanged; nil for a plugin's answer. Not a part
  /// of the JSON form.
  package var tokenClaims: JSON?
  /// The databases that a trusted issuer's token opens; nil for all. Not a part of the JSON form.
  package var databases: [String]?

  /// Creates a token of that user with the required fields alone.
  public init(uid: String) {
    self.uid = uid
    isEmailVerified = false
    cacheSeconds = 0
  }
}

/// The reason why a token is not valid.
public struct TokenRefusal: Sendable, Codable, Equatable {
  /// The reason that the client is told.
  public enum Reason: String, Sendable, Codable {
    /// The token was never valid.
    case invalid
    /// The token was valid once. Clients get another one and reconnect.
    case expired
  }

  /// The reason that the client is told.
  public var reason: Reason
  /// The time for which the server may cache this answer for the same token, in seconds, a day at most; with 0 or less
  /// it asks each time.
  public var cacheSeconds: Int64

  /// Creates a refusal.
  public init(_ reason: Reason, cacheSeconds: Int64 = 0) {
    self.reason = reason
    self.cacheSeconds = cacheSeconds
  }
}

extension VerifiedToken {
  private enum Name: String, CodingKey {
    case uid, signInProvider, email, isEmailVerified, claims, issuedAtSeconds, expiresAtSeconds, cacheSeconds
  }

  /// Decodes a token. Only `uid` is required; an absent `isEmailVerified` is false.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    self.init(uid: try container.decode(String.self, forKey: .uid))
    signInProvider = try container.decodeIfPresent(String.self, forKey: .signInProvider)
    email = try container.decodeIfPresent(String.self, forKey: .email)
    isEmailVerified = try container.decodeIfPresent(Bool.self, forKey: .isEmailVerified) ?? false
    claims = try container.decodeIfPresent(JSON.self, forKey: .claims)
    issuedAtSeconds = try container.decodeIfPresent(Int64.self, forKey: .issuedAtSeconds)
    expiresAtSeconds = try container.decodeIfPresent(Int64.self, forKey: .expiresAtSeconds)
    cacheSeconds = try container.decodeIfPresent(Int64.self, forKey: .cacheSeconds) ?? 0
  }
}

extension TokenRefusal {
  private enum Name: String, CodingKey { case reason, cacheSeconds }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    self.init(
      try container.decode(Reason.self, forKey: .reason),
      cacheSeconds: try container.decodeIfPresent(Int64.self, forKey: .cacheSeconds) ?? 0)
  }
}

extension TokenAnswer: Codable {
  private enum Name: String, CodingKey { case verified, refused }

  /// - Throws: `DecodingError` unless exactly one of the answers is there.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    switch (container.contains(.verified), container.contains(.refused)) {
    case (true, false): self = .verified(try container.decode(VerifiedToken.self, forKey: .verified))
    case (false, true): self = .refused(try container.decode(TokenRefusal.self, forKey: .refused))
    default:
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "must be either verified or refused"))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    switch self {
    case .verified(let token): try container.encode(token, forKey: .verified)
    case .refused(let refusal): try container.encode(refusal, forKey: .refused)
    }
  }
}
