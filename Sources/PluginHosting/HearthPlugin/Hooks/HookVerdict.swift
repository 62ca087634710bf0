import HearthTree

/// What a hook decided.
///
/// As JSON `{"allow":{…}}`, with the members of ``HookChanges`` that are named, or `{"deny":{"message":"…"}}`.
public enum HookVerdict: Sendable, Equatable {
  /// Go on, with these changes. Changes that break a rule refuse the sign-in.
  case allow(HookChanges = HookChanges())
  /// Refuse. The message is shown to the client, on one line and cut at 2,048 characters.
  case deny(message: String)
}

/// What a hook changes about an account and its session. What is not named stays as it is.
public struct HookChanges: Sendable, Equatable {
  /// The name that others see, 1,024 bytes at most.
  public var displayName = FieldChange<String>.kept
  /// The URL of a picture, 2,048 bytes at most.
  public var photoURL = FieldChange<String>.kept
  /// True shuts the account: it is stored so, and nobody comes in, now or later. Of a new account the second moment is not
  /// asked then. Nil leaves it as it is.
  public var isDisabled: Bool?
  /// True when the account's address counts as proven; without an address it never does. Nil leaves it as it is.
  public var isEmailVerified: Bool?
  /// What every token of the user says from now on, in the place of all such claims so far: an object without reserved
  /// names, 1,000 bytes at most.
  public var customClaims = FieldChange<JSON>.kept
  /// What the tokens of this session say in addition, through every refresh: an object without reserved names, 1,000 bytes
  /// at most, alone and with the user's claims. One of the same name as a claim of the user wins. Nil adds none, and so
  /// does every value before an account is made.
  public var sessionClaims: JSON?

  /// No change; the properties are set afterwards.
  public init(sessionClaims: JSON? = nil) { self.sessionClaims = sessionClaims }
}

/// What is to happen to one value.
public enum FieldChange<Value: Sendable>: Sendable {
  /// It stays as it is.
  case kept
  /// There is to be none.
  case cleared
  /// It is to be this.
  case set(Value)

  /// Makes the change.
  public func apply(to target: inout Value?) {
    switch self {
    case .kept: break
    case .cleared: target = nil
    case .set(let value): target = value
    }
  }

  /// True when there is nothing to do.
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
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "neither allow nor deny, or both"))
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

/// A member that is not there is not named. `null` clears: it stands for false where there is no third value.
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
