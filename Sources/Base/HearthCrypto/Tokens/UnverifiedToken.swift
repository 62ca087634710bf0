/// A well-formed token that is not verified: its claims may be forged.
public struct UnverifiedToken: Sendable, Redacted {
  /// The token as received; ASCII.
  public let text: String
  /// The parsed header; an object.
  public let header: ClaimValue
  /// The claims; an object.
  public let payload: ClaimValue
  /// `alg` of the header, as spelled.
  public let algorithm: String
  /// The bytes that the signature covers: the header and payload segments, with the dot between them.
  let signedBytes: [UInt8]
  /// The decoded signature; may be empty.
  let signature: [UInt8]

  /// The kind of a token according to its unverified content. It only selects a verifier.
  public enum Kind: Sendable {
    /// HS256 without `kid`: claims under `d`, signed with a database secret.
    case legacy
    /// RS256 for the identity API: the tokens of `signInWithCustomToken`.
    case custom
    /// RS256 from the token service.
    case id
    /// RS256 from the session service.
    case sessionCookie
    /// `alg` is exactly `none`.
    case unsigned
    /// Any other algorithm, issuer or audience.
    case unsupported
  }

  /// The verifier that the algorithm, the issuer and the audience select.
  public var kind: Kind {
    if isAlgorithm("HS256") { return header["kid"] == nil ? .legacy : .unsupported }
    if isAlgorithm("none") { return .unsigned }
    guard isAlgorithm("RS256") else { return .unsupported }
    if let audience = payload["aud"]?.string, audience.hasSameBytes(as: Self.customTokenAudience) { return .custom }
    guard let issuer = payload["iss"]?.string else { return .unsupported }
    if issuer.utf8.starts(with: Self.idTokenIssuerPrefix.utf8) { return .id }
    if issuer.utf8.starts(with: Self.sessionCookieIssuerPrefix.utf8) { return .sessionCookie }
    return .unsupported
  }

  /// Returns true when `alg` is spelled exactly so.
  func isAlgorithm(_ name: String) -> Bool { algorithm.hasSameBytes(as: name) }

  static let customTokenAudience =
    "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
  static let idTokenIssuerPrefix = "https://securetoken.google.com/"
  static let sessionCookieIssuerPrefix = "https://session.firebase.google.com/"

  static func issuerPrefix(_ kind: KeyKind) -> String {
    kind == .idToken ? idTokenIssuerPrefix : sessionCookieIssuerPrefix
  }
}
