/// What a set of signing keys is for. Each kind has its own keys, so that a token of one kind never passes for one of
/// the other.
public enum KeyKind: String, Sendable, CaseIterable {
  /// ID tokens, which `securetoken.google.com` issues for Firebase.
  case idToken = "id-token"
  /// Session cookies, which `session.firebase.google.com` issues for Firebase.
  case sessionCookie = "session-cookie"

  /// The name that certificates of these keys bear.
  var commonName: String {
    switch self {
    case .idToken: "securetoken.system.gserviceaccount.com"
    case .sessionCookie: "session.firebase.google.com"
    }
  }
}

/// What a signing key does now.
public enum KeyState: String, Sendable, CaseIterable {
  /// Published, so that verifiers have it when it begins to sign.
  case next
  /// Signs. Exactly one key of a set does.
  case signing
  /// Verifies what it signed before, until the last of that has ended.
  case retired
}

/// A signing key as an operator sees it.
public struct KeyInfo: Sendable, Equatable {
  /// 40 hexadecimal digits, the `kid` of tokens.
  public var kid: String
  /// The key will sign, signs, or only verifies.
  public var state: KeyState
  /// Seconds since 1970; nil for a key that no rotation check has seen yet.
  public var createdAtSeconds: Int64?
  /// Seconds since 1970, since when the key is in this state; nil likewise.
  public var stateSinceSeconds: Int64?

  /// A description of a key; times in seconds since 1970.
  public init(kid: String, state: KeyState, createdAtSeconds: Int64?, stateSinceSeconds: Int64?) {
    self.kid = kid
    self.state = state
    self.createdAtSeconds = createdAtSeconds
    self.stateSinceSeconds = stateSinceSeconds
  }
}
