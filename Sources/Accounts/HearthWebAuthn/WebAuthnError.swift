/// The reason why the data of a browser or authenticator is refused.
public struct WebAuthnError: Error, Sendable, Equatable {
  /// The part of the data that is invalid.
  public enum Reason: String, Sendable, CaseIterable {
    /// The data violates the specification.
    case malformed
    /// The client data belongs to another ceremony.
    case type
    /// The challenge is not the one that was issued.
    case challenge
    /// The origin is not allowed to use the keys.
    case origin
    /// The page was in a frame of another site.
    case crossOrigin
    /// The key belongs to another domain.
    case relyingParty
    /// The user was not present.
    case userPresence
    /// The user was not verified.
    case userVerification
    /// The flags about backups contradict each other.
    case backup
    /// The credential id differs from the key's.
    case credential
    /// The key is missing, or its algorithm is not supported.
    case algorithm
    /// The attestation statement is invalid.
    case attestation
    /// The signature is invalid.
    case signature
    /// The signature counter did not increase.
    case counter
  }

  /// The part of the data that is invalid.
  public var reason: Reason
  /// A sentence for the app's developer.
  public var message: String

  init(_ reason: Reason, _ message: String) {
    self.reason = reason
    self.message = message
  }
}
