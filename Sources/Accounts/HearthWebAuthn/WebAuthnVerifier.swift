import CFido2

/// Verifies the data of browsers and authenticators by the rules of WebAuthn (§7.1, §7.2), for one relying party.
public struct WebAuthnVerifier: Sendable {
  /// The domain that the keys are for.
  public let relyingPartyID: String
  /// The origins from which passkeys may be used.
  public let origins: AllowedOrigins

  /// Creates the checks for a relying party.
  public init(relyingPartyID: String, origins: AllowedOrigins) {
    self.relyingPartyID = relyingPartyID
    self.origins = origins
  }

  /// A verified registration of a key.
  public struct Registration: Sendable {
    /// The credential id.
    public let credentialID: [UInt8]
    /// The public key, in COSE's form.
    public let publicKey: [UInt8]
    /// The signature counter.
    public let signCount: UInt32
    /// True when the authenticator verified the user.
    public let isUserVerified: Bool
    /// True when the key can be copied to other devices.
    public let isBackupEligible: Bool
    /// True when the key is backed up.
    public let isBackedUp: Bool
  }

  /// Verifies the registration of a key.
  ///
  /// - Parameters:
  ///   - challenge: the challenge that was issued.
  ///   - credentialID: the id that the browser sent with the rest.
  ///   - requiresUserVerification: true when the authenticator must have verified the user.
  public func verifyRegistration(
    challenge: [UInt8], credentialID: [UInt8], clientDataJSON: [UInt8], attestationObject: [UInt8],
    requiresUserVerification: Bool
  ) throws(WebAuthnError) -> Registration {
    let client = try ClientData(clientDataJSON)
    try client.check(.create, challenge: challenge, origins: origins)
    let object = try AttestationObject(attestationObject)
    let data = object.data
    try data.check(relyingPartyID: relyingPartyID, requiresUserVerification: requiresUserVerification)
    guard let key = data.newKey, key.credentialID == credentialID else {
      throw WebAuthnError(.credential, "The attestation object does not belong to the key id.")
    }
    try object.checkStatement(
      clientDataHash: client.hash.bytes, relyingPartyID: relyingPartyID, key: key.publicKey)
    return Registration(
      credentialID: key.credentialID, publicKey: key.cose, signCount: data.signCount,
      isUserVerified: data.isUserVerified, isBackupEligible: data.isBackupEligible, isBackedUp: data.isBackedUp)
  }

  /// A verified use of a key.
  public struct Assertion: Sendable {
    /// The signature counter.
    public let signCount: UInt32
    /// True when the authenticator verified the user.
    public let isUserVerified: Bool
    /// True when the key is backed up by now.
    public let isBackedUp: Bool
  }

  /// Verifies an assertion: the use of a key.
  ///
  /// - Parameters:
  ///   - challenge: the challenge that was issued.
  ///   - publicKey: the key from ``Registration/publicKey``.
  ///   - signCount: the counter at the last use.
  ///   - isBackupEligible: the value at registration; it never changes.
  ///   - requiresUserVerification: true when the authenticator must have verified the user.
  public func verifyAssertion(
    challenge: [UInt8], publicKey: [UInt8], signCount: UInt32, isBackupEligible: Bool, clientDataJSON: [UInt8],
    authenticatorData: [UInt8], signature: [UInt8], requiresUserVerification: Bool
  ) throws(WebAuthnError) -> Assertion {
    let client = try ClientData(clientDataJSON)
    try client.check(.get, challenge: challenge, origins: origins)
    let data = try AuthenticatorData(authenticatorData)
    guard data.newKey == nil else {
      throw WebAuthnError(.malformed, "authenticatorData of a sign-in must not have a new key.")
    }
    try data.check(relyingPartyID: relyingPartyID, requiresUserVerification: requiresUserVerification)
    guard data.isBackupEligible == isBackupEligible else {
      throw WebAuthnError(.backup, "The key's backup eligibility has changed since its registration.")
    }
    let key = try PublicKey(cose: publicKey)
    guard signature.count <= WebAuthnLimits.signatureBytesMax, !signature.isEmpty else {
      throw WebAuthnError(
        .signature, "The signature is empty, or longer than \(WebAuthnLimits.signatureBytesMax) bytes.")
    }
    let hash = client.hash.bytes
    let result = key.withKey { key in
      hearth_fido_verify_assertion(
        &key, relyingPartyID, hash, hash.count, data.bytes, data.bytes.count, signature, signature.count,
        data.extensionMask.ofUse)
    }
    guard result == FIDO_OK else { throw WebAuthnError(.signature, "The signature does not match the key.") }
    try Self.checkCounter(data.signCount, after: signCount)
    return Assertion(
      signCount: data.signCount, isUserVerified: data.isUserVerified, isBackedUp: data.isBackedUp)
  }

  /// Checks the signature counter: one that does not increase means that the key was copied. Synchronised keys always
  /// have zero.
  private static func checkCounter(_ count: UInt32, after last: UInt32) throws(WebAuthnError) {
    guard count > last || (count == 0 && last == 0) else {
      throw WebAuthnError(.counter, "The key's counter went back: the key may have been copied.")
    }
  }
}
