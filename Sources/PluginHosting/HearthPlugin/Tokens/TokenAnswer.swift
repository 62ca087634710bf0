import HearthTree

/// Whose a token is, by the word of its verifier.
///
/// As JSON `{"verified":{"uid":"u1",…}}` or `{"refused":{"reason":"invalid"}}`.
public enum TokenAnswer: Sendable, Equatable {
  /// It counts, for this user.
  case verified(VerifiedToken)
  /// It does not count.
  case refused(TokenRefusal)
}

/// What rules are told of a token that counts, and for how long.
public struct VerifiedToken: Sendable, Codable, Equatable {
  /// `auth.uid`: 1 to 128 characters, none of them a control character. When the server has an account of that uid, its
  /// being disabled, deleted or signed out ends the token as it ends the server's own.
  public var uid: String
  /// `auth.provider` and `auth.token.firebase.sign_in_provider`: 1 to 64 letters, digits and `. _ : -`, and none of
  /// `password`, `phone`, `anonymous` and `firebase`. Nil means `custom`.
  public var signInProvider: String?
  /// `auth.token.email`; left out when it is no e-mail address.
  public var email: String?
  /// `auth.token.email_verified`: the address is theirs, by the word of the token's issuer.
  public var isEmailVerified: Bool
  /// Members of `auth.token`: an object without reserved names, 1,000 bytes at most, or nil.
  public var claims: JSON?
  /// When the token was made, in seconds since 1970. Without it the token does not count for a uid whose account here was
  /// ever deleted, or signed out everywhere.
  public var issuedAtSeconds: Int64?
  /// From when on it does not count, in seconds since 1970: who is signed in with it then is signed out. Nil means an hour
  /// from now.
  public var expiresAtSeconds: Int64?
  /// The time that the server may go by this answer for the same token, in seconds, a day at most. 0, or nothing, has
  /// it ask each time. A ``TokenRevocation`` ends it at once.
  public var cacheSeconds: Int64

  /// A token of that user, of which nothing else is known.
  public init(uid: String) {
    self.uid = uid
    isEmailVerified = false
    cacheSeconds = 0
  }
}

/// The reason why a token does not count.
public struct TokenRefusal: Sendable, Codable, Equatable {
  /// What the client is told.
  public enum Reason: String, Sendable, Codable {
    /// It never counted.
    case invalid
    /// It counted once. Clients get another one and come back.
    case expired
  }

  /// What the client is told.
  public var reason: Reason
  /// The time that the server may go by this answer for the same token, in seconds, a day at most. 0, or nothing, has
  /// it ask each time.
  public var cacheSeconds: Int64

  /// A refusal.
  public init(_ reason: Reason, cacheSeconds: Int64 = 0) {
    self.reason = reason
    self.cacheSeconds = cacheSeconds
  }
}

extension VerifiedToken {
  private enum Name: String, CodingKey {
    case uid, signInProvider, email, isEmailVerified, claims, issuedAtSeconds, expiresAtSeconds, cacheSeconds
  }

  /// Only `uid` must be there; an address that is not said to be verified is not.
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
