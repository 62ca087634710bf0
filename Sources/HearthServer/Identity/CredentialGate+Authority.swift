import HearthCrypto
import HearthEngine
import HearthGateway
import HearthIdentity

extension CredentialGate {
  /// What a bearer of the identity interface is worth. Only the server's own access tokens, and the word of developers
  /// in emulator mode, make an administrator of accounts; a database secret does not.
  func authority(ofBearer token: String, from origin: RequestOrigin, now: Instant) -> IdentityRequest.Authority {
    guard let verified = try? verify(token, for: .identity, from: origin, now: now) else { return .refused }
    switch verified.kind {
    case .adminToken: return .administrator(verified.owner ?? "admin-token")
    case .developerOwner: return .administrator("emulator-owner")
    case .legacyToken, .legacySecret, .idToken, .sessionCookie, .developerToken: return .refused
    }
  }
}
