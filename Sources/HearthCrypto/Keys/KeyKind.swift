/// What a set of signing keys is for. The sets are apart, so that neither can vouch for what the other signs.
public enum KeyKind: String, Sendable, CaseIterable {
  case idToken = "id-token"
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
  public var state: KeyState
  /// Seconds since 1970; nil for a key that no rotation check has seen yet.
  public var createdAtSeconds: Int64?
  /// Seconds since 1970, since when the key is in this state; nil likewise.
  public var stateSinceSeconds: Int64?

  public init(kid: String, state: KeyState, createdAtSeconds: Int64?, stateSinceSeconds: Int64?) {
    self.kid = kid
    self.state = state
    self.createdAtSeconds = createdAtSeconds
    self.stateSinceSeconds = stateSinceSeconds
  }
}
