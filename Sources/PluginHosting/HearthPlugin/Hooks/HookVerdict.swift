import HearthTree

/// The decision of a hook.
///
/// As JSON `{"allow":{…}}`, with the members of ``HookChanges`` that are named, or `{"deny":{"message":"…"}}`.
public enum HookVerdict: Sendable, Equatable {
  /// The sign-in continues, with these changes. Changes that break a rule refuse it.
  case allow(HookChanges = HookChanges())
  /// The sign-in is refused. The message is shown to the client, on one line and cut at 2,048 characters.
  case deny(message: String)
}

/// The changes that a hook makes to an account and its session. A field that is not named keeps its value.
public struct HookChanges: Sendable, Equatable {
  /// The name that others see, 1,024 bytes at most.
  public var displayName = FieldChange<String>.kept
  /// The URL of a picture, 2,048 bytes at most.
  public var photoURL = FieldChange<String>.kept
  /// True disables the account: it is stored so, and cannot be used to sign in, now or later. For a new account the
  /// second event is then skipped. Nil keeps the value.
  public var isDisabled: Bool?
  /// True marks the account's address as verified; without an address it never is. Nil keeps the value.
  public var isEmailVerified: Bool?
  /// The claims of every token of the user from now on, replacing all earlier ones: an object without reserved names,
  /// 1,000 bytes at most.
  public var customClaims = FieldChange<JSON>.kept
  /// The claims that the tokens of this session have in addition, through every refresh: an object without reserved
  /// names, 1,000 bytes at most, alone and with the user's claims. They win over claims of the user with the same name.
  /// Nil adds none; before an account is made, every value is ignored.
  public var sessionClaims: JSON?

  /// Creates an empty set of changes; the properties are set afterwards.
  public init(sessionClaims: JSON? = nil) { self.sessionClaims = sessionClaims }
}

/// The change of one value.
public enum FieldChange<Value: Sendable>: Sendable {
  /// The value stays as it is.
  case kept
  /// The value is removed.
  case cleared
  /// The value is replaced by this one.
  case set(Value)

  /// Applies the change to a value.
  public func apply(to target: inout Value?) {
    switch self {
    case .kept: break
    case .cleared: target = nil
    case .set(let value): target = value
    }
  }

  /// True when the change keeps the value.
  public var isKept: Bool { if case .kept = self { true } else { false } }
}

extension FieldChange: Equatable where Value: Equatable {}

extension HookVerdict: Codable {
  private enum Key: String, CodingKey { case allow, deny }
  private enum DenialKey: String, CodingKey { case message }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    switch (container.contains(.allow), container.contains(.deny)) {
    case (true, false): self = .allow(try container.decode(HookChanges.self, forKey: .allow))
    case (false, true):
      let denial = try container.nestedContainer(keyedBy: DenialKey.self, forKey: .deny)
      self = .deny(message: try denial.decode(String.self, forKey: .message))
    default:
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "must have either allow or deny"))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .allow(let changes): try container.encode(changes, forKey: .allow)
    case .deny(let message):
      var denial = container.nestedContainer(keyedBy: DenialKey.self, forKey: .deny)
      try denial.encode(message, forKey: .message)
    }
  }
}

/// The JSON form: an absent member is not changed, and `null` clears, which means false for a Boolean.
extension HookChanges: Codable {
  private enum Key: String, CodingKey {
    case displayName, photoURL, disabled, emailVerified, customClaims, sessionClaims
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    func change<Value: Decodable>(_ key: Key) throws -> FieldChange<Value> {
      guard container.contains(key) else { return .kept }
      return try container.decodeNil(forKey: key) ? .cleared : .set(try container.decode(Value.self, forKey: key))
    }
    func flag(_ key: Key) throws -> Bool? {
      guard container.contains(key) else { return nil }
      return try container.decodeIfPresent(Bool.self, forKey: key) ?? false
    }
    displayName = try change(.displayName)
    photoURL = try change(.photoURL)
    isDisabled = try flag(.disabled)
    isEmailVerified = try flag(.emailVerified)
    customClaims = try change(.customClaims)
    sessionClaims = try container.decodeIfPresent(JSON.self, forKey: .sessionClaims)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    func write(_ change: FieldChange<some Encodable>, _ key: Key) throws {
      switch change {
      case .kept: break
      case .cleared: try container.encodeNil(forKey: key)
      case .set(let value): try container.encode(value, forKey: key)
      }
    }
    try write(displayName, .displayName)
    try write(photoURL, .photoURL)
    try container.encodeIfPresent(isDisabled, forKey: .disabled)
    try container.encodeIfPresent(isEmailVerified, forKey: .emailVerified)
    try write(customClaims, .customClaims)
    try container.encodeIfPresent(sessionClaims, forKey: .sessionClaims)
  }
}
