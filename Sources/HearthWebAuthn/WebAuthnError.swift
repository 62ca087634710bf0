/// Why what a browser and its authenticator sent is not taken.
public struct WebAuthnError: Error, Sendable, Equatable {
  /// The part that is wrong.
  public enum Reason: String, Sendable, CaseIterable {
    case malformed, type, challenge, origin, crossOrigin, relyingParty, userPresence, userVerification, backup
    case credential, algorithm, attestation, signature, counter
  }

  /// The part that is wrong.
  public var reason: Reason
  /// A sentence for the app's developer.
  public var message: String

  init(_ reason: Reason, _ message: String) {
    self.reason = reason
    self.message = message
  }
}
