import HearthBytes
import HearthPlugin
import HearthTestKit
import HearthTree
import HearthWebAuthn
import PasskeyTestKit
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

extension IdentityFixture {
  /// Returns accounts with passkeys for `example.com`.
  static func withPasskeys(
    userVerification: Bool = true, isRequired: Bool = false, hooks: [any DecidingHook] = [],
    configure: (inout AccountsConfiguration) -> Void = { _ in }
  ) throws -> IdentityFixture {
    var party = PasskeyRelyingParty(id: "example.com", name: "Example")
    party.requiresUserVerification = userVerification
    party.isRequiredOnceEnrolled = isRequired
    party.keysMax = 3
    let passkeys = WebAuthnPasskeys(
      party, origins: AllowedOrigins(exact: ["https://app.example.com"], allowsLocalhost: false))
    return try IdentityFixture(
      providers: [FakeMailedLink(), FakePassword(), FakeAnonymous(), FakeCustomToken(), FakeGoogle(), passkeys],
      hooks: hooks, configure: configure)
  }

  static func base64(_ bytes: [UInt8]) -> JSON { .string(Base64URL.encode(bytes)) }

  /// Returns the options for a new key, and the challenge in them.
  func startPasskey(_ idToken: String) async throws -> (options: JSON, challenge: [UInt8]) {
    let answer = try await post("/v2/accounts/passkeyEnrollment:start", ["idToken": .string(idToken)])
    let options = try #require(answer.json["credentialCreationOptions"], "\(answer.text)")
    return (options, try #require(Base64URL.decode(Array((options["challenge"]?.string ?? "").utf8))))
  }

  func finishPasskey(
    _ idToken: String, _ authenticator: SoftwareAuthenticator, _ made: SoftwareAuthenticator.RegistrationResponse,
    name: String = "Laptop"
  ) async throws -> Answer {
    try await post(
      "/v2/accounts/passkeyEnrollment:finalize",
      [
        "idToken": .string(idToken), "name": .string(name),
        "authenticatorRegistrationResponse": [
          "id": .string(authenticator.id), "rawId": .string(authenticator.id), "type": "public-key",
          "response": [
            "clientDataJSON": Self.base64(made.clientDataJSON),
            "attestationObject": Self.base64(made.attestationObject), "transports": ["internal", "hybrid"],
          ],
        ],
      ])
  }

  /// Enrols a key for the signed-in user.
  func enrol(
    _ authenticator: SoftwareAuthenticator, _ idToken: String,
    overrides: SoftwareAuthenticator.Overrides = SoftwareAuthenticator.Overrides()
  ) async throws -> Answer {
    let (options, challenge) = try await startPasskey(idToken)
    authenticator.userHandle = options["user"]?["id"]?.string ?? ""
    return try await finishPasskey(
      idToken, authenticator, authenticator.make(challenge: challenge, overrides: overrides))
  }

  func passkeyChallenge() async throws -> [UInt8] {
    let answer = try await post("/v2/accounts/passkeySignIn:start", [:])
    let options = try #require(answer.json["credentialRequestOptions"], "\(answer.text)")
    #expect(options["rpId"] == "example.com")
    return try #require(Base64URL.decode(Array((options["challenge"]?.string ?? "").utf8)))
  }

  func finishPasskeySignIn(
    _ authenticator: SoftwareAuthenticator, _ used: SoftwareAuthenticator.AssertionResponse, userHandle: JSON? = nil
  ) async throws -> Answer {
    try await post(
      "/v2/accounts/passkeySignIn:finalize",
      [
        "authenticatorAuthenticationResponse": [
          "id": .string(authenticator.id),
          "response": [
            "clientDataJSON": Self.base64(used.clientDataJSON),
            "authenticatorData": Self.base64(used.authenticatorData), "signature": Self.base64(used.signature),
            "userHandle": userHandle ?? .string(authenticator.userHandle),
          ],
        ]
      ])
  }

  /// Signs in with a key.
  func signIn(
    _ authenticator: SoftwareAuthenticator,
    overrides: SoftwareAuthenticator.Overrides = SoftwareAuthenticator.Overrides()
  ) async throws -> Answer {
    try await finishPasskeySignIn(
      authenticator, authenticator.use(challenge: try await passkeyChallenge(), overrides: overrides))
  }

  /// The details of refused passkeys, oldest first.
  var refusedPasskeys: [String] {
    accounts.store.view.audit(limit: 10_000).filter { $0.fields["event"]?.string == "passkey_fail" }
      .compactMap { $0.fields["detail"]?.string }
  }
}
