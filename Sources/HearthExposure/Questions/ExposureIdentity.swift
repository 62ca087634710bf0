import HearthTree

/// Who asks: a class of users. A question is about everybody in it.
package enum ExposureIdentity: Sendable, Hashable {
  /// Somebody who is signed out: `auth` is null.
  case nobody
  /// Somebody who signed up and signed in, with the claims that everybody can get, and no custom one.
  case anyone
  /// Such a user whose uid is none of the keys of the path that the rules compare with the uid.
  case other
  /// Such a user who has a custom claim as well: its names below `auth.token`, and its value.
  case holder([String], Scalar)

  /// What scripts know it by: `nobody`, `anyone`, `other`, `claim:admin`, and `claim:role=editor` for a value other than
  /// true.
  package var name: String {
    switch self {
    case .nobody: return "nobody"
    case .anyone: return "anyone"
    case .other: return "other"
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

  /// Everybody of the class has a claim that nobody gets by signing up.
  var hasCustomClaim: Bool { if case .holder = self { true } else { false } }

  var claims: ClaimTypes {
    switch self {
    case .nobody: ClaimTypes(isSignedIn: false, held: [])
    case .anyone, .other: ClaimTypes(isSignedIn: true, held: [])
    case .holder(let names, let value): ClaimTypes(isSignedIn: true, held: [(names.map { Key($0) }, value)])
    }
  }
}
