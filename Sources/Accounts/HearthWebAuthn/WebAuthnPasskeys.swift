import HearthPlugin

/// Passkeys of one relying party, checked by ``WebAuthnVerifier``.
public struct WebAuthnPasskeys: PasskeyProvider {
  /// The provider's manifest, with its single sign-in method.
  public let manifest = ProviderManifest(id: "passkey", displayName: "Passkey", methods: [.passkey])
  /// The relying party of the keys.
  public let relyingParty: PasskeyRelyingParty
  private let verifier: WebAuthnVerifier

  /// Creates the passkeys of a relying party.
  ///
  /// - Parameter origins: the origins that may use them.
  public init(_ relyingParty: PasskeyRelyingParty, origins: AllowedOrigins) {
    var relyingParty = relyingParty
    relyingParty.algorithms = PublicKey.Algorithm.allCases.map(\.rawValue)
    self.relyingParty = relyingParty
    verifier = WebAuthnVerifier(relyingPartyID: relyingParty.id, origins: origins)
  }

  /// Fails: a passkey is not presented by this method.
  public func answer(_ request: SignInRequest) async throws -> SignInAnswer { .refused(SignInRefusal(.notAllowed)) }

  /// Verifies the registration of a key.
  public func register(_ registration: PasskeyRegistration) throws(PasskeyRefusal) -> NewPasskey {
    do {
      let registered = try verifier.verifyRegistration(
        challenge: registration.challenge, credentialID: registration.credentialID,
        clientDataJSON: registration.clientDataJSON, attestationObject: registration.attestationObject,
        requiresUserVerification: relyingParty.requiresUserVerification)
      return NewPasskey(
        publicKey: registered.publicKey, signCount: registered.signCount, isUserVerified: registered.isUserVerified,
        isBackupEligible: registered.isBackupEligible, isBackedUp: registered.isBackedUp)
    } catch {
      throw PasskeyRefusal(error)
    }
  }

  /// Verifies the use of a key. A key that verified its user at registration must always do so.
  public func use(_ assertion: PasskeyAssertion) throws(PasskeyRefusal) -> PasskeyUse {
    do {
      let asserted = try verifier.verifyAssertion(
        challenge: assertion.challenge, publicKey: assertion.key.publicKey, signCount: assertion.key.signCount,
        isBackupEligible: assertion.key.isBackupEligible, clientDataJSON: assertion.clientDataJSON,
        authenticatorData: assertion.authenticatorData, signature: assertion.signature,
        requiresUserVerification: relyingParty.requiresUserVerification || assertion.key.isUserVerified)
      return PasskeyUse(
        signCount: asserted.signCount, isUserVerified: asserted.isUserVerified, isBackedUp: asserted.isBackedUp)
    } catch {
      throw PasskeyRefusal(error)
    }
  }
}

extension PasskeyRefusal {
  fileprivate init(_ error: WebAuthnError) { self.init(error.reason.rawValue, error.message) }
}
