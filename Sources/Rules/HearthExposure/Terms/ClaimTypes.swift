import HearthTree

/// What is known of `auth` and everything below it.
struct ClaimTypes {
  /// False for somebody who is signed out: `auth` is null.
  var isSignedIn: Bool
  /// Custom claims that are there, by their names below `auth.token`, and what they are.
  var held: [(names: [Key], value: Scalar)]
  /// What may be there beside.
  var freedom = Freedom.none

  enum Freedom {
    /// No other custom claim.
    case none
    /// Any custom claims.
    case customClaims
    /// `auth` is any object: that of a token that a database secret signs is what the token's maker wrote.
    case all
  }

  /// The one place that a claim is kept at: some are there under several names.
  func canonical(_ names: [Key]) -> [Key] {
    // Nothing says that such a token repeats itself.
    if freedom == .all { return names }
    return switch names.map(\.text) {
    case ["token", "sub"], ["token", "user_id"]: ["uid"]
    case ["token", "firebase", "sign_in_provider"]: ["provider"]
    default: names
    }
  }

  /// The types of a claim by its names below `auth`, after ``canonical(_:)``.
  func types(_ names: [Key]) -> TypeSet {
    guard isSignedIn else { return .null }
    guard let first = names.first else { return .object }
    // The server refuses such a token when its uid is there and no text.
    if freedom == .all { return names == ["uid"] ? [.null, .text] : .any }
    switch first.text {
    case "uid", "provider": return names.count == 1 ? .text : .null
    case "token": return names.count == 1 ? .object : token(Array(names.dropFirst()))
    default: return .null  // because `auth` has these three and nothing else
    }
  }

  /// Below `auth.token`. Nobody gets a claim of another name by signing up.
  private func token(_ names: [Key]) -> TypeSet {
    for claim in held {
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
    case "sub", "user_id": return .null  // because they stand for the uid, which has nothing below
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
