import HearthCrypto
import PasskeyTestKit
import Testing

@testable import HearthWebAuthn

@Suite struct AssertionTests {
  @Test("a registered key is recognized, with any algorithm", arguments: SoftwareAuthenticator.Algorithm.allCases)
  func algorithms(algorithm: SoftwareAuthenticator.Algorithm) throws {
    let authenticator = SoftwareAuthenticator(algorithm)
    let used = authenticator.use(challenge: Ceremonies.challenge)
    let assertion = try Ceremonies.use(authenticator, used)
    #expect(assertion.isUserVerified && !assertion.isBackedUp && assertion.signCount == 0)
    // Another key of the same kind did not sign this.
    let other = SoftwareAuthenticator(algorithm)
    let result = Result { () throws(WebAuthnError) in
      try Ceremonies.use(authenticator, used, publicKey: other.cose)
    }
    #expect(result.reason == .signature)
  }

  @Test("Security 77: an error names the invalid field of an assertion", arguments: Ceremonies.wrong.indices)
  func wrongFields(index: Int) {
    let (name, reason, overrides) = Ceremonies.wrong[index]
    let authenticator = SoftwareAuthenticator()
    let used = authenticator.use(challenge: Ceremonies.challenge, overrides: overrides)
    let result = Result { () throws(WebAuthnError) in try Ceremonies.use(authenticator, used) }
    #expect(result.reason == reason, "\(name)")
  }

  @Test("any changed byte invalidates the signature", arguments: SoftwareAuthenticator.Algorithm.allCases)
  func damaged(algorithm: SoftwareAuthenticator.Algorithm) {
    let authenticator = SoftwareAuthenticator(algorithm)
    let used = authenticator.use(challenge: Ceremonies.challenge)
    for index in used.authenticatorData.indices {
      var changed = used
      changed.authenticatorData[index] ^= 1
      #expect(throws: WebAuthnError.self, "data \(index)") { try Ceremonies.use(authenticator, changed) }
    }
    for index in used.signature.indices {
      var changed = used
      changed.signature[index] ^= 1
      #expect(throws: WebAuthnError.self, "signature \(index)") { try Ceremonies.use(authenticator, changed) }
    }
    let signatures: [[UInt8]] = [[], Array(used.signature.dropLast()), [UInt8](repeating: 0, count: 2_000)]
    for signature in signatures {
      var changed = used
      changed.signature = signature
      let result = Result { () throws(WebAuthnError) in try Ceremonies.use(authenticator, changed) }
      #expect(result.reason == .signature)
    }
    var changed = used
    changed.clientDataJSON.insert(0x20, at: 1)
    let result = Result { () throws(WebAuthnError) in try Ceremonies.use(authenticator, changed) }
    #expect(result.reason == .signature)
  }

  @Test(
    "Security 78: a counter increases, or is always absent",
    arguments: [
      (0, 0, true), (0, 1, true), (1, 2, true), (1, 1, false), (2, 1, false), (7, 0, false), (UInt32.max, 1, false),
    ] as [(UInt32, UInt32, Bool)])
  func counters(last: UInt32, now: UInt32, isTaken: Bool) {
    let authenticator = SoftwareAuthenticator()
    let used = authenticator.use(
      challenge: Ceremonies.challenge, overrides: Ceremonies.overrides { $0.signCount = now })
    let result = Result { () throws(WebAuthnError) in try Ceremonies.use(authenticator, used, after: last) }
    #expect(result.reason == (isTaken ? nil : .counter))
  }

  @Test("the backup eligibility of a key never changes")
  func backupEligibility() throws {
    let authenticator = SoftwareAuthenticator()
    let copied = authenticator.use(challenge: Ceremonies.challenge, overrides: Ceremonies.overrides { $0.flags = 0x1D })
    #expect(try Ceremonies.use(authenticator, copied, isBackupEligible: true).isBackedUp)
    let results = [
      Result { () throws(WebAuthnError) in try Ceremonies.use(authenticator, copied) },
      Result { () throws(WebAuthnError) in
        try Ceremonies.use(
          authenticator, authenticator.use(challenge: Ceremonies.challenge), isBackupEligible: true)
      },
    ]
    for result in results { #expect(result.reason == .backup) }
  }

  @Test("a response to one ceremony is refused in the other, and so is a new key in a sign-in")
  func ceremonies() {
    let authenticator = SoftwareAuthenticator()
    let created = authenticator.use(
      challenge: Ceremonies.challenge, overrides: Ceremonies.overrides { $0.type = "webauthn.create" })
    let mixed = Result { () throws(WebAuthnError) in try Ceremonies.use(authenticator, created) }
    #expect(mixed.reason == .type)
    let data = authenticator.authenticatorData(SoftwareAuthenticator.Overrides(), newKey: true)
    var used = authenticator.use(challenge: Ceremonies.challenge)
    used.authenticatorData = data
    used.signature = authenticator.sign(data + Digest(sha256: used.clientDataJSON).bytes)
    let withKey = Result { () throws(WebAuthnError) in try Ceremonies.use(authenticator, used) }
    #expect(withKey.reason == .malformed)
  }

  @Test("an extension's output has no effect")
  func extensions() throws {
    let authenticator = SoftwareAuthenticator()
    let output = SoftwareAuthenticator.map([
      ("other", [0xF5]), ("hmac-secret", SoftwareAuthenticator.bytes([UInt8](repeating: 7, count: 32))),
    ])
    let used = authenticator.use(
      challenge: Ceremonies.challenge, overrides: Ceremonies.overrides { $0.extensions = output })
    _ = try Ceremonies.use(authenticator, used)
  }

  @Test("pages on this machine may have any port, where that is allowed")
  func localOrigins() {
    let local = AllowedOrigins(exact: [], allowsLocalhost: true)
    for origin in ["http://localhost", "http://localhost:1", "https://localhost:65535"] {
      #expect(local.allows(origin))
    }
    for origin in [
      "http://localhost.evil.example", "http://localhost:", "http://localhost:123456", "http://localhost:80/",
      "http://localhost:8a", "ftp://localhost", "http://127.0.0.1:80", "http://localhost@evil.example", "",
    ] { #expect(!local.allows(origin), "\(origin)") }
  }

  @Test("keys with invalid numbers are refused")
  func keys() {
    let p256 = SoftwareAuthenticator()
    func changed(_ index: Int, _ bytes: [UInt8]) -> [UInt8] {
      var cose = p256.cose
      cose.replaceSubrange(index..<index + 1, with: bytes)
      return cose
    }
    var shortExponent = Array(SoftwareAuthenticator(.rs256).cose.dropLast(4))
    shortExponent += [0x41, 0x03]
    var longer = p256.cose
    longer.append(0)
    let last = p256.cose.count - 1
    let keys: [[UInt8]] = [
      [], [0xA0], [0xA1, 0x03, 0x26], longer, Array(p256.cose.dropLast()), shortExponent,
      // A point that is not on the curve.
      changed(last, [p256.cose[last] ^ 1]),
      // Another type for the same algorithm, another curve, and an unsupported algorithm.
      changed(2, [0x03]), changed(6, [0x02]), changed(4, [0x38, 0x22]),
    ]
    for (index, key) in keys.enumerated() {
      #expect(throws: WebAuthnError.self, "\(index)") { try PublicKey(cose: key) }
    }
  }
}
