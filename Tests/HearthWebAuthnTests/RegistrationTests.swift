import HearthCrypto
import PasskeyTestKit
import Testing

@testable import HearthWebAuthn

@Suite struct RegistrationTests {
  @Test("a new key is accepted, with any supported algorithm", arguments: SoftwareAuthenticator.Algorithm.allCases)
  func algorithms(algorithm: SoftwareAuthenticator.Algorithm) throws {
    let authenticator = SoftwareAuthenticator(algorithm)
    let registration = try Ceremonies.register(authenticator, authenticator.make(challenge: Ceremonies.challenge))
    #expect(registration.credentialID == authenticator.credentialID)
    #expect(registration.publicKey == authenticator.cose)
    #expect(registration.isUserVerified && !registration.isBackupEligible && !registration.isBackedUp)
    #expect(registration.signCount == 0)
    let selfSigned = authenticator.make(challenge: Ceremonies.challenge, .packedSelf)
    #expect(try Ceremonies.register(authenticator, selfSigned).publicKey == authenticator.cose)
  }

  @Test("a valid attestation is accepted, and no other", arguments: SoftwareAuthenticator.Attestation.allCases)
  func attestations(attestation: SoftwareAuthenticator.Attestation) throws {
    let authenticator = SoftwareAuthenticator()
    let made = authenticator.make(challenge: Ceremonies.challenge, attestation)
    #expect(try Ceremonies.register(authenticator, made).publicKey == authenticator.cose)
    guard attestation != .none else { return }
    for (name, change) in Self.damages {
      let wrong = authenticator.make(challenge: Ceremonies.challenge, attestation, signature: change)
      let result = Result { () throws(WebAuthnError) in try Ceremonies.register(authenticator, wrong) }
      #expect(result.reason == .attestation, "\(name)")
    }
  }

  static let damages: [(String, @Sendable ([UInt8]) -> [UInt8])] = [
    ("empty", { _ in [] }), ("cut off", { Array($0.dropLast()) }), ("zeros", { $0.map { _ in 0 } }),
    ("another's", { _ in SoftwareAuthenticator().sign([1]) }),
  ]

  @Test("an error names each invalid field", arguments: Ceremonies.wrong.indices)
  func wrongFields(index: Int) {
    let (name, reason, overrides) = Ceremonies.wrong[index]
    for attestation in [SoftwareAuthenticator.Attestation.none, .packedSelf] {
      let authenticator = SoftwareAuthenticator()
      let made = authenticator.make(challenge: Ceremonies.challenge, attestation, overrides: overrides)
      let result = Result { () throws(WebAuthnError) in try Ceremonies.register(authenticator, made) }
      #expect(result.reason == reason, "\(name)")
    }
  }

  @Test("extension outputs that authenticators add on their own have no effect")
  func extensions() throws {
    let all = SoftwareAuthenticator.map([
      ("uvm", [0x81, 0x83, 0x02, 0x04, 0x02]), ("credProtect", [0x02]), ("hmac-secret", [0xF5]),
    ])
    for attestation in SoftwareAuthenticator.Attestation.allCases {
      let authenticator = SoftwareAuthenticator()
      let made = authenticator.make(
        challenge: Ceremonies.challenge, attestation, overrides: Ceremonies.overrides { $0.extensions = all })
      _ = try Ceremonies.register(authenticator, made)
    }
  }

  @Test("Android apps have origins of their own, and a key may report that it is backed up")
  func otherOrigins() throws {
    let authenticator = SoftwareAuthenticator()
    let made = authenticator.make(
      challenge: Ceremonies.challenge,
      overrides: Ceremonies.overrides {
        $0.origin = "android:apk-key-hash:abc"
        $0.further = ""
        $0.flags = 0x1D
      })
    let registration = try Ceremonies.register(authenticator, made)
    #expect(registration.isBackupEligible && registration.isBackedUp)
  }

  @Test("without the requirement a key may lack user verification, and is marked so")
  func unverified() throws {
    let authenticator = SoftwareAuthenticator()
    let made = authenticator.make(challenge: Ceremonies.challenge, overrides: Ceremonies.overrides { $0.flags = 0x01 })
    #expect(try !Ceremonies.register(authenticator, made, verified: false).isUserVerified)
  }

  @Test("the id in the response must be the key's, and the attestation object must contain a key")
  func credentialID() {
    let authenticator = SoftwareAuthenticator()
    let made = authenticator.make(challenge: Ceremonies.challenge)
    let other = Result { () throws(WebAuthnError) in
      try Ceremonies.register(authenticator, made, credentialID: [1])
    }
    #expect(other.reason == .credential)
    let none = SoftwareAuthenticator.RegistrationResponse(
      clientDataJSON: made.clientDataJSON,
      attestationObject: SoftwareAuthenticator.object(
        format: "none", statement: [0xA0],
        data: authenticator.authenticatorData(SoftwareAuthenticator.Overrides(), newKey: false)))
    let result = Result { () throws(WebAuthnError) in try Ceremonies.register(authenticator, none) }
    #expect(result.reason == .credential)
  }

  @Test("statements with missing, additional or wrong members are refused")
  func formats() {
    let authenticator = SoftwareAuthenticator()
    let made = authenticator.make(challenge: Ceremonies.challenge, .packedSelf)
    let data = authenticator.authenticatorData(SoftwareAuthenticator.Overrides(), newKey: true)
    let signature = authenticator.sign(data + Digest(sha256: made.clientDataJSON).bytes)
    typealias A = SoftwareAuthenticator
    let statements: [(String, [UInt8])] = [
      ("none", A.map([("sig", A.bytes(signature))])), ("packed", [0xA0]), ("tpm", [0xA0]), ("fido-u2f", [0xA0]),
      ("packed", A.map([("sig", A.bytes(signature))])),
      ("packed", A.map([("alg", A.int(-8)), ("sig", A.bytes(signature))])),
      ("packed", A.map([("alg", A.int(-7)), ("sig", A.bytes(signature)), ("x5c", [0x80])])),
      ("packed", A.map([("alg", A.int(-7)), ("sig", A.bytes(signature)), ("x5c", [0x81] + A.bytes([1, 2, 3]))])),
      ("fido-u2f", A.map([("alg", A.int(-7)), ("sig", A.bytes(signature))])),
      ("tpm", A.map([("alg", A.int(-7)), ("sig", A.bytes(signature))])),
      ("tpm", A.map([("ver", A.text("2.0")), ("x5c", [0x81] + A.bytes([1])), ("sig", A.bytes(signature))])),
      ("android-safetynet", [0xA0]), ("apple", [0xA0]), ("", [0xA0]), ("none\u{0}", [0xA0]),
    ]
    for (format, statement) in statements {
      let wrong = A.RegistrationResponse(
        clientDataJSON: made.clientDataJSON,
        attestationObject: A.object(format: format, statement: statement, data: data))
      let result = Result { () throws(WebAuthnError) in try Ceremonies.register(authenticator, wrong) }
      #expect(result.reason == .attestation, "\(format) \(statement.count)")
    }
  }

  @Test("oversized input is refused before it is parsed")
  func long() {
    let authenticator = SoftwareAuthenticator()
    let made = authenticator.make(challenge: Ceremonies.challenge)
    let padding = [UInt8](repeating: 0x20, count: WebAuthnLimits.clientDataBytesMax)
    let longClient = SoftwareAuthenticator.RegistrationResponse(
      clientDataJSON: made.clientDataJSON + padding, attestationObject: made.attestationObject)
    let longObject = SoftwareAuthenticator.RegistrationResponse(
      clientDataJSON: made.clientDataJSON,
      attestationObject: made.attestationObject
        + [UInt8](repeating: 0, count: WebAuthnLimits.attestationObjectBytesMax))
    let longData = authenticator.make(
      challenge: Ceremonies.challenge,
      overrides: Ceremonies.overrides {
        $0.extensions = SoftwareAuthenticator.map([
          ("a", SoftwareAuthenticator.bytes([UInt8](repeating: 0, count: 5_000)))
        ])
      })
    for wrong in [longClient, longObject, longData] {
      let result = Result { () throws(WebAuthnError) in try Ceremonies.register(authenticator, wrong) }
      #expect(result.reason == .malformed)
    }
  }

  @Test("a truncated or altered attestation object is refused or has the same content")
  func damaged() {
    let authenticator = SoftwareAuthenticator()
    let made = authenticator.make(challenge: Ceremonies.challenge, .packedCertificate)
    for count in made.attestationObject.indices {
      let cut = SoftwareAuthenticator.RegistrationResponse(
        clientDataJSON: made.clientDataJSON, attestationObject: Array(made.attestationObject.prefix(count)))
      #expect(throws: WebAuthnError.self) { try Ceremonies.register(authenticator, cut) }
    }
    var accepted = 0
    for index in made.attestationObject.indices {
      var changed = made
      changed.attestationObject[index] ^= 1
      accepted += (try? Ceremonies.register(authenticator, changed)) == nil ? 0 : 1
    }
    // Parts of the certificate that do not affect its key: the certificate's issuer is not checked.
    #expect(accepted < made.attestationObject.count / 2)
  }
}
