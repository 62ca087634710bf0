import Foundation
import HearthAccounts
import HearthBytes
import HearthPlugin
import HearthServer
import HearthTree
import HearthWebAuthn
import LiveServerKit
import PasskeyTestKit
import Testing

@testable import HearthClient

@Suite struct PasskeyTests {
  private static func configure(_ options: inout HearthServer.Options) {
    let party = PasskeyRelyingParty(id: "example.com", name: "Example")
    options.plugins.providers.append(
      WebAuthnPasskeys(party, origins: AllowedOrigins(exact: ["https://app.example.com"], allowsLocalhost: false)))
  }

  @Test(
    "a passkey is added to an account, signs in, and is removed", arguments: NetworkCondition.reliable)
  func passkey(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network, configure: Self.configure) { fixture in
      let user = try await fixture.verifiedUser()
      let options = try await user.passkeyEnrollmentOptions()
      #expect(options.relyingPartyID == "example.com" && options.user?.name == "ada@example.com")
      let authenticator = SoftwareAuthenticator()
      authenticator.userHandle = Base64URL.encode(Array(options.user?.handle ?? Data()))
      let made = authenticator.make(challenge: Array(options.challenge))
      let created = PasskeyResult(
        credentialID: Data(authenticator.credentialID),
        response: [
          ("clientDataJSON", Data(made.clientDataJSON)), ("attestationObject", Data(made.attestationObject)),
        ])
      let result = try await user.finalizePasskeyEnrollment(created, name: "Laptop")
      #expect(result.user === user && user.enrolledPasskeys.map(\.name) == ["Laptop"])
      #expect(await authCode { _ = try await user.finalizePasskeyEnrollment(created, name: nil) } != nil)

      let other = try fixture.another()
      let request = try await other.passkeySignInOptions()
      #expect(request.relyingPartyID == "example.com" && request.user == nil)
      let used = authenticator.use(challenge: Array(request.challenge))
      let assertion = PasskeyResult(
        credentialID: Data(authenticator.credentialID),
        response: [
          ("clientDataJSON", Data(used.clientDataJSON)), ("authenticatorData", Data(used.authenticatorData)),
          ("signature", Data(used.signature)), ("userHandle", options.user?.handle ?? Data()),
        ])
      let entered = try await other.finalizePasskeySignIn(assertion)
      #expect(entered.user.uid == user.uid && other.currentUser === entered.user)
      #expect(try await entered.user.getIDTokenResult().signInProvider == "passkey")
      // A challenge is valid once.
      #expect(await authCode { _ = try await other.finalizePasskeySignIn(assertion) } == .internalError)
      let id = try #require(entered.user.enrolledPasskeys.first).credentialID
      try await entered.user.unenrollPasskey(withCredentialID: id)
      #expect(entered.user.enrolledPasskeys.isEmpty)
    }
  }

  @Test(
    "answers without options are errors",
    arguments: [
      "{}", #"{"credentialRequestOptions":7,"credentialCreationOptions":[]}"#,
      #"{"credentialRequestOptions":{"rpId":"a","challenge":"!"},"credentialCreationOptions":{"rp":{"id":"a"}}}"#,
      #"{"credentialRequestOptions":{"rpId":"","challenge":"AAAA"},"credentialCreationOptions":{"challenge":"AAAA"}}"#,
    ])
  func hostile(text: String) throws {
    let json = try #require(JSON(parsing: text.utf8))
    let (signIn, enrollment) = (PasskeyOptions(signIn: json), PasskeyOptions(enrollment: json))
    #expect(signIn == nil && enrollment == nil)
  }

  @Test("hostile lists of passkeys are read without harm")
  func hostileList() throws {
    let text = #"{"passkeyInfo":[7,null,{},{"credentialId":""},{"credentialId":"a","name":7},{"credentialId":9}]}"#
    let json = try #require(JSON(parsing: text.utf8))
    #expect(PasskeyInfo.all(in: json).map(\.credentialID) == ["a"])
    #expect(PasskeyInfo.all(in: ["passkeyInfo": "x"]).isEmpty)
  }
}
