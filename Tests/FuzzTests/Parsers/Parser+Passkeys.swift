import HearthCrypto

@testable import HearthWebAuthn

extension Parser {
  /// Parsers of messages from browsers and authenticators.
  static let passkeyParsers = [
    Parser(name: "attestation") { bytes in
      let check = WebAuthnVerifier(
        relyingPartyID: "example.com", origins: AllowedOrigins(exact: ["https://example.com"], allowsLocalhost: false))
      // The client data is valid for every attestation object, so that the object is parsed, and its statement by the
      // library.
      let client = Array(
        #"{"type":"webauthn.create","challenge":"Y2hhbGxlbmdl","origin":"https://example.com"}"#.utf8)
      guard let object = try? AttestationObject(bytes) else { return }
      try require(object.data.bytes.count <= bytes.count, "the authenticator data is longer than what it came in")
      let id = object.data.newKey?.credentialID ?? []
      _ = try? check.verifyRegistration(
        challenge: Array("challenge".utf8), credentialID: id, clientDataJSON: client, attestationObject: bytes,
        requiresUserVerification: false)
      guard let key = object.data.newKey else { return }
      // The public key is stored, and must parse again.
      guard let again = try? PublicKey(cose: key.cose) else { throw Violation(description: "a key is read once only") }
      try require(again == key.publicKey, "a key is read in two ways")
      _ = try? check.verifyAssertion(
        challenge: Array("challenge".utf8), publicKey: key.cose, signCount: 0, isBackupEligible: false,
        clientDataJSON: client, authenticatorData: Array(object.data.bytes.prefix(37)), signature: id,
        requiresUserVerification: false)
    },
    Parser(name: "authenticator-data") { bytes in
      guard let data = try? AuthenticatorData(bytes) else { return }
      try? data.check(relyingPartyID: "example.com", requiresUserVerification: false)
      _ = data.extensionMask
    },
    Parser(name: "client-data") { bytes in
      guard let data = try? ClientData(bytes) else { return }
      try? data.check(
        .get, challenge: Array("challenge".utf8),
        origins: AllowedOrigins(exact: ["https://example.com"], allowsLocalhost: true))
    },
  ]
}
