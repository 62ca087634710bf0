import HearthBytes

/// The credentials of emulator clients: the word `owner`, texts that begin as an access token of Google's, and unsigned
/// tokens. None of them is secret.
///
/// Constructed in emulator mode only, and consulted only for requests of programs and pages on this machine.
public struct DeveloperCredentials: Sendable {
  /// Makes a verifier of emulator credentials; see the type for when that is safe.
  public init() {}

  /// Returns true when it is the word by which emulator clients claim to be administrator, in upper or lower case.
  func isOwner(_ credential: String) -> Bool { credential.lowercased().hasSameBytes(as: "owner") }

  /// Returns true when it begins as an access token of Google's does. Programs with a real service account send one to
  /// an emulator of accounts; it cannot be checked here.
  func isGoogleAccessToken(_ credential: String) -> Bool { credential.utf8.starts(with: "ya29.".utf8) }

  /// Returns true for a token that names a user. It stands for that user, or is refused: as an administrator's, it
  /// would make a rules test pass by accident.
  func namesUser(_ credential: String) -> Bool {
    let parts = credential.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else { return false }
    let payload = parts[1].prefix { $0 != UInt8(ascii: "=") }
    guard let json = Base64URL.decode(Array(payload)), let claims = try? ClaimValue(json: json) else { return false }
    return [claims["sub"], claims["user_id"], claims["uid"], claims["d"]?["uid"]].contains { claim in
      if case nil = claim { false } else { true }
    }
  }

  /// Accepts an unsigned token. Its expiry is not checked: the clients' mock tokens ended in 1970.
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
