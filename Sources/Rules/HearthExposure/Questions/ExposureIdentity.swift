import HearthTree

/// A class of users. A question is about all users in it.
package enum ExposureIdentity: Sendable, Hashable {
  /// A signed-out client: `auth` is null.
  case signedOut
  /// A user that signed up and signed in, with the claims that every user can get, and no custom one.
  case signedIn
  /// A user of ``signedIn`` whose uid is none of the keys of the path that the rules compare with the uid.
  case otherUser
  /// A user of ``signedIn`` with a custom claim as well: its names below `auth.token`, and its value.
  case holder([String], Scalar)
  /// A user of ``signedIn`` with custom claims of any names, values and number: users of ``signedIn`` and every
  /// ``holder(_:_:)``, and those with several claims at once.
  case anyClaims
  /// The holder of any token that the server takes, also one that a database secret signed, whose `auth` is any object.
  case anyAuth

  /// The name in scripts: `nobody`, `anyone`, `other`, `claim:admin`, `claim:role=editor` for a value other than true,
  /// `any-claims` and `any-auth`.
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
