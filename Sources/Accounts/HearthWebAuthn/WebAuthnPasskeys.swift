import HearthPlugin

/// Passkeys of one relying party, checked by ``WebAuthnCheck``.
public struct WebAuthnPasskeys: PasskeyProvider {
  /// The provider's manifest, with its single sign-in method.
  public let manifest = ProviderManifest(id: "passkey", displayName: "Passkey", methods: [.passkey])
  /// The relying party of the keys.
  public let relyingParty: PasskeyRelyingParty
  private let check: WebAuthnCheck

  /// Creates the passkeys of a relying party.
  ///
  /// - Parameter origins: the origins that may use them.
  public init(_ relyingParty: PasskeyRelyingParty, origins: AllowedOrigins) {
    var relyingParty = relyingParty
    relyingParty.algorithms = PublicKey.Algorithm.allCases.map(\.rawValue)
    self.relyingParty = relyingParty
    check = WebAuthnCheck(relyingPartyID: relyingParty.id, origins: origins)
  }

  /// Fails: a passkey is not presented by this method.
  public func answer(_ request: SignInRequest) async throws -> SignInAnswer { .refused(SignInRefusal(.notAllowed)) }

  /// Verifies the registration of a key.
  public func register(_ registration: PasskeyRegistration) throws(PasskeyRefusal) -> NewPasskey {
    do {
      let made = try check.registration(
        challenge: registration.challenge, credentialID: registration.credentialID,
        clientDataJSON: registration.clientDataJSON, attestationObject: registration.attestationObject,
        requiresUserVerification: relyingParty.requiresUserVerification)
      return NewPasskey(
        publicKey: made.publicKey, signCount: made.signCount, isUserVerified: made.isUserVerified,
        isBackupEligible: made.isBackupEligible, isBackedUp: made.isBackedUp)
    } catch {
      throw PasskeyRefusal(error)
    }
  }

  /// Verifies the use of a key. A key that verified its user at registration must always do so.
  public func use(_ assertion: PasskeyAssertion) throws(PasskeyRefusal) -> PasskeyUse {
    do {
      let used = try check.assertion(
        challenge: assertion.challenge, publicKey: assertion.key.publicKey, signCount: assertion.key.signCount,
        isBackupEligible: assertion.key.isBackupEligible, clientDataJSON: assertion.clientDataJSON,
        authenticatorData: assertion.authenticatorData, signature: assertion.signature,
        requiresUserVerification: relyingParty.requiresUserVerification || assertion.key.isUserVerified)
      return PasskeyUse(
        signCount: used.signCount, isUserVerified: used.isUserVerified, isBackedUp: used.isBackedUp)
    } catch {
      throw PasskeyRefusal(error)
    }
  }
}

extension PasskeyRefusal {
  fileprivate init(_ error: WebAuthnError) { self.init(error.reason.rawValue, error.message) }
}
