import HearthBytes

/// The credentials of emulator clients: the text `owner`, texts with the prefix of Google's access tokens, and unsigned
/// tokens. None of them is secret.
///
/// They are accepted only in emulator mode, and only from programs and pages on this machine.
public struct DeveloperCredentials: Sendable {
  /// Creates a verifier of emulator credentials, for emulator mode only.
  public init() {}

  /// Returns true for the text `owner`, with which emulator clients claim to be administrator, in upper or lower case.
  func isOwner(_ credential: String) -> Bool { credential.lowercased().hasSameBytes(as: "owner") }

  /// Returns true for a text with the prefix of Google's access tokens. Programs with a real service account send such
  /// a token to an emulator of accounts, which cannot verify it.
  func isGoogleAccessToken(_ credential: String) -> Bool { credential.utf8.starts(with: "ya29.".utf8) }

  /// Returns true for a token that names a user. It is accepted only as that user's token: accepted as an
  /// administrator's, it would make a rules test pass by mistake.
  func namesUser(_ credential: String) -> Bool {
    let parts = credential.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else { return false }
    let payload = parts[1].prefix { $0 != UInt8(ascii: "=") }
    guard let json = Base64URL.decode(Array(payload)), let claims = try? ClaimValue(json: json) else { return false }
    return [claims["sub"], claims["user_id"], claims["uid"], claims["d"]?["uid"]].contains { claim in
      if case nil = claim { false } else { true }
    }
  }

  /// Accepts an unsigned token. Its expiry is not checked: the mock tokens of client libraries expired in 1970.
  func verify(_ token: UnverifiedToken) throws(CredentialError) -> VerifiedCredential {
    guard token.kind == .unsigned else { throw .invalid("the token is not unsigned") }
    guard token.signature.isEmpty else { throw .invalid("an unsigned token has a signature") }
    let claims = token.payload
    if let audience = claims["aud"]?.string, audience.hasSameBytes(as: UnverifiedToken.customTokenAudience) {
      throw .invalid("a custom token is only valid for sign-in, not for data")
    }
    if claims["iss"]?.string?.utf8.starts(with: UnverifiedToken.sessionCookieIssuerPrefix.utf8) == true {
      throw .invalid("a session cookie is not valid for data")
    }
    guard let uid = (claims["sub"] ?? claims["user_id"] ?? claims["uid"])?.string, IDTokenClaims.isUID(uid) else {
      throw .invalid("the token has no user id")
    }
    let provider = claims["firebase"]?["sign_in_provider"]?.string ?? claims["provider_id"]?.string ?? "custom"
    return VerifiedCredential(
      kind: .developerToken, authPayload: IDTokenClaims.authPayload(uid: uid, provider: provider, claims: claims),
      authority: .user, claims: claims)
  }
}
