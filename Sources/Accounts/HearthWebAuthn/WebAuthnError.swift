/// The reason why what a browser and its authenticator sent is not taken.
public struct WebAuthnError: Error, Sendable, Equatable {
  /// The part that is wrong.
  public enum Reason: String, Sendable, CaseIterable {
    /// It is not what the specification has.
    case malformed
    /// The client data is of another ceremony.
    case type
    /// Another challenge than the one that was given out.
    case challenge
    /// The page or app is none that may use the keys.
    case origin
    /// The page was in a frame of another site.
    case crossOrigin
    /// The key is of another domain.
    case relyingParty
    /// Nobody was there.
    case userPresence
    /// The person was not verified.
    case userVerification
    /// What is said about copies of the key cannot be.
    case backup
    /// It is about another key than its id says.
    case credential
    /// The key is none, or signs in a way that is not taken.
    case algorithm
    /// The statement about a new key is not true.
    case attestation
    /// The signature is not the key's.
    case signature
    /// The counter did not go on.
    case counter
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
