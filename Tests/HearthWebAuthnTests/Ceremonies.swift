import HearthCrypto
import PasskeyTestKit
import Testing

@testable import HearthWebAuthn

/// A relying party with an authenticator's answers.
enum Ceremonies {
  static let challenge: [UInt8] = Array("a challenge of this server".utf8)
  static let check = WebAuthnVerifier(
    relyingPartyID: "example.com",
    origins: AllowedOrigins(exact: ["https://app.example.com", "android:apk-key-hash:abc"], allowsLocalhost: false))

  static func register(
    _ authenticator: SoftwareAuthenticator, _ made: SoftwareAuthenticator.Made, verified: Bool = true,
    credentialID: [UInt8]? = nil
  ) throws(WebAuthnError) -> WebAuthnVerifier.Registration {
    try check.verifyRegistration(
      challenge: challenge, credentialID: credentialID ?? authenticator.credentialID,
      clientDataJSON: made.clientDataJSON, attestationObject: made.attestationObject,
      requiresUserVerification: verified)
  }

  static func use(
    _ authenticator: SoftwareAuthenticator, _ used: SoftwareAuthenticator.Used, after count: UInt32 = 0,
    isBackupEligible: Bool = false, verified: Bool = true, publicKey: [UInt8]? = nil
  ) throws(WebAuthnError) -> WebAuthnVerifier.Assertion {
    try check.verifyAssertion(
      challenge: challenge, publicKey: publicKey ?? authenticator.cose, signCount: count,
      isBackupEligible: isBackupEligible, clientDataJSON: used.clientDataJSON,
      authenticatorData: used.authenticatorData, signature: used.signature, requiresUserVerification: verified)
  }

  static func words(_ change: (inout SoftwareAuthenticator.Words) -> Void) -> SoftwareAuthenticator.Words {
    var words = SoftwareAuthenticator.Words()
    change(&words)
    return words
  }

  /// Defects of either ceremony, with the reason in the error.
  static let wrong: [(name: String, reason: WebAuthnError.Reason, words: SoftwareAuthenticator.Words)] = [
    ("type", .type, words { $0.type = "payment.get" }),
    ("challenge", .challenge, words { $0.challenge = "YSBjaGFsbGVuZ2U" }),
    ("challenge that is no base64url", .challenge, words { $0.challenge = "a challenge" }),
    ("origin of another site", .origin, words { $0.origin = "https://app.example.com.evil.example" }),
    ("origin with a path", .origin, words { $0.origin = "https://app.example.com/" }),
    ("origin over http", .origin, words { $0.origin = "http://app.example.com" }),
    ("origin on another port", .origin, words { $0.origin = "https://app.example.com:8443" }),
    ("origin of this machine", .origin, words { $0.origin = "http://localhost:3000" }),
    ("no origin", .origin, words { $0.origin = nil }),
    ("a frame of another site", .crossOrigin, words { $0.further = #","crossOrigin":true"# }),
    ("a frame that is no truth value", .crossOrigin, words { $0.further = #","crossOrigin":"no""# }),
    ("a top origin", .crossOrigin, words { $0.further = #","topOrigin":"https://evil.example""# }),
    ("relying party", .relyingParty, words { $0.relyingPartyID = "evil.example" }),
    ("relying party below", .relyingParty, words { $0.relyingPartyID = "app.example.com" }),
    ("nobody there", .userPresence, words { $0.flags = 0x04 }),
    ("nobody verified", .userVerification, words { $0.flags = 0x01 }),
    ("backed up, and never", .backup, words { $0.flags = 0x15 }),
    ("bytes behind", .malformed, words { $0.trailing = [0] }),
    ("an extension that is cut off", .malformed, words { $0.extensions = [0xA1, 0x61] }),
    ("extensions that are no map", .malformed, words { $0.extensions = [0x80] }),
  ]
}

extension Result where Failure == WebAuthnError {
  var reason: WebAuthnError.Reason? { if case .failure(let error) = self { error.reason } else { nil } }
}
