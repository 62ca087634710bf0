import HearthTree

/// Facts about `auth` and everything below it.
struct ClaimTypes {
  /// False for a signed-out client: `auth` is null.
  var isSignedIn: Bool
  /// The custom claims that the user has, by their member names below `auth.token`, with their values.
  var knownClaims: [(names: [Key], value: Scalar)]
  /// The other claims that may exist.
  var freedom = Freedom.none

  enum Freedom {
    /// No other custom claims.
    case none
    /// Any custom claims.
    case customClaims
    /// Any object as `auth`: in a token that is signed with a database secret, the issuer chooses all members.
    case all
  }

  /// Returns the canonical names of a claim, because some claims exist under several names.
  func canonical(_ names: [Key]) -> [Key] {
    // In a token that is signed with a database secret, the names may have different values.
    if freedom == .all { return names }
    return switch names.map(\.text) {
    case ["token", "sub"], ["token", "user_id"]: ["uid"]
    case ["token", "firebase", "sign_in_provider"]: ["provider"]
    default: names
    }
  }

  /// Returns the types of a claim by its names below `auth`, after ``canonical(_:)``.
  func types(_ names: [Key]) -> TypeSet {
    guard isSignedIn else { return .null }
    guard let first = names.first else { return .object }
    // The server refuses a token whose uid is present but not a text.
    if freedom == .all { return names == ["uid"] ? [.null, .text] : .any }
    switch first.text {
    case "uid", "provider": return names.count == 1 ? .text : .null
    case "token": return names.count == 1 ? .object : token(Array(names.dropFirst()))
    default: return .null  // `auth` has only these three members
    }
  }

  /// Returns the types of a claim below `auth.token`. Users do not get claims with other names by signing up.
  private func token(_ names: [Key]) -> TypeSet {
    for claim in knownClaims {
      if claim.names == names { return Self.type(claim.value) }
      if claim.names.starts(with: names) { return .object }
    }
    switch names[0].text {
    case "email", "name", "picture", "phone_number", "provider_id", "aud", "iss":
      return names.count == 1 ? [.null, .text] : .null
    case "email_verified": return names.count == 1 ? [.null, .bool] : .null
    case "iat", "exp", "auth_time": return names.count == 1 ? [.null, .number] : .null
    case "firebase":
      if names.count == 1 { return .object }
      guard names[1].text == "identities" else { return .null }
      return names.count == 2 ? [.null, .object] : .any
    case "sub", "user_id": return .null  // they are names of the uid, which has no members
    default: return freedom == .none ? .null : .any
    }
  }

  static func type(_ scalar: Scalar) -> TypeSet {
    switch scalar {
    case .bool: .bool
    case .int, .double: .number
    case .string: .text
    }
  }
}
