#if canImport(AuthenticationServices) && !os(watchOS)
  import AuthenticationServices
  import Foundation

  extension Auth {
    /// Returns a request for an `ASAuthorizationController`, in which the user chooses a passkey.
    public nonisolated(nonsending) func startPasskeySignIn() async throws
      -> ASAuthorizationPlatformPublicKeyCredentialAssertionRequest
    {
      let options = try await passkeySignInOptions()
      return ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: options.relyingPartyID)
        .createCredentialAssertionRequest(challenge: options.challenge)
    }

    /// Signs in with the passkey that the user chose.
    @discardableResult
    public nonisolated(nonsending) func finalizePasskeySignIn(
      withPlatformCredential platformCredential: ASAuthorizationPlatformPublicKeyCredentialAssertion
    ) async throws -> AuthDataResult {
      try await finalizePasskeySignIn(
        PasskeyResult(
          credentialID: platformCredential.credentialID,
          response: [
            ("clientDataJSON", platformCredential.rawClientDataJSON),
            ("authenticatorData", platformCredential.rawAuthenticatorData),
            ("signature", platformCredential.signature), ("userHandle", platformCredential.userID),
          ]))
    }
  }

  extension User {
    /// Returns a request for an `ASAuthorizationController`, which creates a passkey.
    ///
    /// - Parameter name: The name that the system shows for the passkey; nil for the account's address.
    public nonisolated(nonsending) func startPasskeyEnrollment(
      withName name: String?
    ) async throws -> ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest {
      let options = try await passkeyEnrollmentOptions()
      guard let user = options.user else { throw PasskeyOptions.missing }
      return ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: options.relyingPartyID)
        .createCredentialRegistrationRequest(challenge: options.challenge, name: name ?? user.name, userID: user.handle)
    }

    /// Adds the passkey that the system created to the account.
    ///
    /// - Parameter name: The user's name for the passkey; nil for the server's own.
    @discardableResult
    public nonisolated(nonsending) func finalizePasskeyEnrollment(
      withPlatformCredential platformCredential: ASAuthorizationPlatformPublicKeyCredentialRegistration,
      name: String? = nil
    ) async throws -> AuthDataResult {
      guard let attestation = platformCredential.rawAttestationObject else { throw PasskeyOptions.missing }
      return try await finalizePasskeyEnrollment(
        PasskeyResult(
          credentialID: platformCredential.credentialID,
          response: [("clientDataJSON", platformCredential.rawClientDataJSON), ("attestationObject", attestation)]),
        name: name)
    }
  }
#endif
