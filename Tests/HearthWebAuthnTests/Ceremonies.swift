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
    _ authenticator: SoftwareAuthenticator, _ made: SoftwareAuthenticator.RegistrationResponse, verified: Bool = true,
    credentialID: [UInt8]? = nil
  ) throws(WebAuthnError) -> WebAuthnVerifier.Registration {
    try check.verifyRegistration(
      challenge: challenge, credentialID: credentialID ?? authenticator.credentialID,
      clientDataJSON: made.clientDataJSON, attestationObject: made.attestationObject,
      requiresUserVerification: verified)
  }

  static func use(
    _ authenticator: SoftwareAuthenticator, _ used: SoftwareAuthenticator.AssertionResponse, after count: UInt32 = 0,
    isBackupEligible: Bool = false, verified: Bool = true, publicKey: [UInt8]? = nil
  ) throws(WebAuthnError) -> WebAuthnVerifier.Assertion {
    try check.verifyAssertion(
      challenge: challenge, publicKey: publicKey ?? authenticator.cose, signCount: count,
      isBackupEligible: isBackupEligible, clientDataJSON: used.clientDataJSON,
      authenticatorData: used.authenticatorData, signature: used.signature, requiresUserVerification: verified)
  }

  static func overrides(_ change: (inout SoftwareAuthenticator.Overrides) -> Void) -> SoftwareAuthenticator.Overrides {
    var overrides = SoftwareAuthenticator.Overrides()
    change(&overrides)
    return overrides
  }

  /// Defects of either ceremony, with the reason in the error.
  static let wrong: [(name: String, reason: WebAuthnError.Reason, overrides: SoftwareAuthenticator.Overrides)] = [
    ("type", .type, overrides { $0.type = "payment.get" }),
    ("challenge", .challenge, overrides { $0.challenge = "YSBjaGFsbGVuZ2U" }),
    ("challenge that is no base64url", .challenge, overrides { $0.challenge = "a challenge" }),
    ("origin of another site", .origin, overrides { $0.origin = "https://app.example.com.evil.example" }),
    ("origin with a path", .origin, overrides { $0.origin = "https://app.example.com/" }),
    ("origin over http", .origin, overrides { $0.origin = "http://app.example.com" }),
    ("origin on another port", .origin, overrides { $0.origin = "https://app.example.com:8443" }),
    ("origin of this machine", .origin, overrides { $0.origin = "http://localhost:3000" }),
    ("no origin", .origin, overrides { $0.origin = nil }),
    ("a frame of another site", .crossOrigin, overrides { $0.further = #","crossOrigin":true"# }),
    ("a frame that is no truth value", .crossOrigin, overrides { $0.further = #","crossOrigin":"no""# }),
    ("a top origin", .crossOrigin, overrides { $0.further = #","topOrigin":"https://evil.example""# }),
    ("relying party", .relyingParty, overrides { $0.relyingPartyID = "evil.example" }),
    ("relying party below", .relyingParty, overrides { $0.relyingPartyID = "app.example.com" }),
    ("no user presence", .userPresence, overrides { $0.flags = 0x04 }),
    ("no user verification", .userVerification, overrides { $0.flags = 0x01 }),
    ("backed up, and never", .backup, overrides { $0.flags = 0x15 }),
    ("trailing bytes", .malformed, overrides { $0.trailing = [0] }),
    ("an extension that is cut off", .malformed, overrides { $0.extensions = [0xA1, 0x61] }),
    ("extensions that are no map", .malformed, overrides { $0.extensions = [0x80] }),
  ]
}

extension Result where Failure == WebAuthnError {
  var reason: WebAuthnError.Reason? { if case .failure(let error) = self { error.reason } else { nil } }
}
