import HearthTree

/// A class of users. A question is about all users in it.
package enum ExposureIdentity: Sendable, Hashable {
  /// A signed-out client: `auth` is null.
  case signedOut
  /// A user that signed up and signed in, with the claims that every user can get, and no custom claims.
  case signedIn
  /// A user of ``signedIn`` whose uid differs from all keys of the path that the rules compare with the uid.
  case otherUser
  /// A user of ``signedIn`` who also has a custom claim: its member names below `auth.token`, and its value.
  case holder([String], Scalar)
  /// A user of ``signedIn`` with any number of custom claims of any names and values: users of ``signedIn`` and every
  /// ``holder(_:_:)``, and users with several claims.
  case anyClaims
  /// A user with any token that the server accepts, including one that was signed with a database secret, whose `auth`
  /// is any object.
  case anyAuth

  /// The name in JSON output and assertions: `nobody`, `anyone`, `other`, `claim:admin`, `claim:role=editor` for a
  /// value other than true, `any-claims` and `any-auth`.
  package var name: String {
    switch self {
    case .signedOut: return "nobody"
    case .signedIn: return "anyone"
    case .otherUser: return "other"
    case .anyClaims: return "any-claims"
    case .anyAuth: return "any-auth"
    case .holder(let names, let value):
      let claim = "claim:" + names.joined(separator: ".")
      switch value {
      case .bool(true): return claim
      case .bool(false): return claim + "=false"
      case .int(let value): return claim + "=\(value)"
      case .double(let value): return claim + "=\(value)"
      case .string(let text): return claim + "=" + text
      }
    }
  }

  /// True when a user of the class may have a claim that no user gets by signing up.
  var hasCustomClaim: Bool {
    switch self {
    case .signedOut, .signedIn, .otherUser: false
    case .holder, .anyClaims, .anyAuth: true
    }
  }

  var claims: ClaimTypes {
    switch self {
    case .signedOut: ClaimTypes(isSignedIn: false, knownClaims: [])
    case .signedIn, .otherUser: ClaimTypes(isSignedIn: true, knownClaims: [])
    case .anyClaims: ClaimTypes(isSignedIn: true, knownClaims: [], freedom: .customClaims)
    case .anyAuth: ClaimTypes(isSignedIn: true, knownClaims: [], freedom: .all)
    case .holder(let names, let value): ClaimTypes(isSignedIn: true, knownClaims: [(names.map { Key($0) }, value)])
    }
  }
}
