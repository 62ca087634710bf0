import HearthTree

/// What another system says to an address and a password. As JSON `{"user":{…}}` or `{"wrong":{}}`.
public enum PasswordCheckAnswer: Sendable, Equatable {
  /// They are right, and this is whose they are.
  case user(ForeignAccount)
  /// The address is not known, or the password is another one, or the account must not come in.
  case wrong
}

/// An account as another system has it.
public struct ForeignAccount: Sendable, Equatable {
  /// The address that the password belongs to. It must be the one that was asked for, in any case of its letters;
  /// otherwise nobody comes in: a database may take two texts for the same that are two mailboxes.
  public var email: String
  /// What the account is to be called here, 1 to 128 characters; nil draws one. An id that an account has, or one that was
  /// deleted had, lets nobody in; nor does another id than that of an account that was imported.
  public var uid: String?
  /// Somebody proved there to receive mail at ``email``. Of an account that was imported this and what follows is not
  /// used.
  public var isEmailVerified: Bool
  /// The name that others see, 1,024 bytes at most.
  public var displayName: String?
  /// The URL of a picture, 2,048 bytes at most.
  public var photoURL: String?
  /// What every token of the user is to say: an object without reserved names, 1,000 bytes at most.
  public var customClaims: JSON?

  /// An account of which nothing but this is known.
  public init(email: String, uid: String? = nil, isEmailVerified: Bool = false) {
    self.email = email
    self.uid = uid
    self.isEmailVerified = isEmailVerified
  }
}

extension PasswordCheckAnswer: Codable {
  private enum Key: String, CodingKey { case user, wrong }

  /// - Throws: `DecodingError` unless exactly one of the answers is there.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    switch (container.contains(.user), container.contains(.wrong)) {
    case (true, false): self = .user(try container.decode(ForeignAccount.self, forKey: .user))
    case (false, true): self = .wrong
    default:
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "neither user nor wrong, or both"))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .user(let account): try container.encode(account, forKey: .user)
    case .wrong: try container.encode([String: String](), forKey: .wrong)
    }
  }
}

/// True when the address is proven may be left out: it is not, then.
extension ForeignAccount: Codable {
  private enum Key: String, CodingKey { case email, uid, isEmailVerified, displayName, photoURL, customClaims }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    email = try container.decode(String.self, forKey: .email)
    uid = try container.decodeIfPresent(String.self, forKey: .uid)
    isEmailVerified = try container.decodeIfPresent(Bool.self, forKey: .isEmailVerified) ?? false
    displayName = try container.decodeIfPresent(String.self, forKey: .displayName)
    photoURL = try container.decodeIfPresent(String.self, forKey: .photoURL)
    customClaims = try container.decodeIfPresent(JSON.self, forKey: .customClaims)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(email, forKey: .email)
    try container.encodeIfPresent(uid, forKey: .uid)
    try container.encode(isEmailVerified, forKey: .isEmailVerified)
    try container.encodeIfPresent(displayName, forKey: .displayName)
    try container.encodeIfPresent(photoURL, forKey: .photoURL)
    try container.encodeIfPresent(customClaims, forKey: .customClaims)
  }
}
