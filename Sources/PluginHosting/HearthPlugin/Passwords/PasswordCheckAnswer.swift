import HearthTree

/// The answer of another system to an address and a password. As JSON `{"user":{…}}` or `{"wrong":{}}`.
public enum PasswordCheckAnswer: Sendable, Equatable {
  /// The address and the password are right; the value is their account.
  case user(ForeignAccount)
  /// The address is unknown, the password is wrong, or the account must not sign in.
  case wrong
}

/// An account of another system.
public struct ForeignAccount: Sendable, Equatable {
  /// The address that the password belongs to. It must be the one in the question, in any letter case; otherwise the
  /// sign-in is refused, because a database may treat two texts as the same that are two mailboxes.
  public var email: String
  /// The account's uid here, 1 to 128 characters; a random one when nil. The sign-in is refused when an account has
  /// this id or a deleted one had it, and when it is not the id of an account that was imported.
  public var uid: String?
  /// True when the other system verified the address. For an imported account this field and those after it are
  /// ignored.
  public var isEmailVerified: Bool
  /// The name that others see, 1,024 bytes at most.
  public var displayName: String?
  /// The URL of a picture, 2,048 bytes at most.
  public var photoURL: String?
  /// The claims of every token of the user: an object without reserved names, 1,000 bytes at most.
  public var customClaims: JSON?

  /// Creates an account with these fields alone.
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
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "must have either user or wrong"))
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

/// The JSON form, in which `isEmailVerified` may be left out and is then false.
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
