/// The purpose of a set of signing keys. Each kind has its own keys, so that a token of one kind is never accepted as
/// one of the other.
public enum KeyKind: String, Sendable, CaseIterable {
  /// ID tokens, whose issuer is under `securetoken.google.com`, as in Firebase.
  case idToken = "id-token"
  /// Session cookies, whose issuer is under `session.firebase.google.com`, as in Firebase.
  case sessionCookie = "session-cookie"

  /// The common name in certificates of these keys.
  var commonName: String {
    switch self {
    case .idToken: "securetoken.system.gserviceaccount.com"
    case .sessionCookie: "session.firebase.google.com"
    }
  }
}

/// The state of a signing key.
public enum KeyState: String, Sendable, CaseIterable {
  /// The key is published, so that verifiers have it when it begins to sign.
  case next
  /// The key signs. Exactly one key of a set does.
  case signing
  /// The key verifies its earlier signatures, until the last token that it signed has expired.
  case retired
}

/// A signing key, as shown to operators.
public struct KeyInfo: Sendable, Equatable {
  /// The key's name, 40 hexadecimal digits: the `kid` of tokens.
  public var kid: String
  /// The state: the key will sign, signs, or only verifies.
  public var state: KeyState
  /// The time of creation, in seconds since 1970; nil before the first rotation check.
  public var createdAtSeconds: Int64?
  /// The start of the current state, in seconds since 1970; nil before the first rotation check.
  public var stateSinceSeconds: Int64?

  /// Creates the description of a key; times are in seconds since 1970.
  public init(kid: String, state: KeyState, createdAtSeconds: Int64?, stateSinceSeconds: Int64?) {
    self.kid = kid
    self.state = state
    self.createdAtSeconds = createdAtSeconds
    self.stateSinceSeconds = stateSinceSeconds
  }
}
