import HearthCrypto
import HearthEngine
import HearthGateway
import HearthIdentity
import HearthTransport

extension CallerAuthenticator {
  /// Returns the authority of a request's bearer. An invalid one is refused, never ignored. Other schemes are ignored
  /// here.
  func bearer(of http: HTTPRequest, from origin: RequestOrigin, now: Instant) -> IdentityRequest.Bearer {
    let headers = http.headers["Authorization"]
    guard headers.count <= 1 else { return .refused }
    guard let header = headers.first else { return .none }
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.first?.lowercased() == "bearer" else { return .none }
    guard parts.count == 2 else { return .refused }
    return bearer(String(parts[1]), from: origin, now: now)
  }

  /// Returns the authority of a bearer of the identity API. Only the server's own access tokens, and those of
  /// developers in emulator mode, are accepted; a database secret is not.
  func bearer(_ token: String, from origin: RequestOrigin, now: Instant) -> IdentityRequest.Bearer {
    guard let verified = try? verify(token, for: .identity, from: origin, now: now) else { return .refused }
    switch verified.kind {
    case .adminToken, .developerOwner: return .verified(verified.authority)
    case .legacyToken, .legacySecret, .idToken, .sessionCookie, .foreignToken, .developerToken, .consoleSession:
      return .refused
    }
  }
}
