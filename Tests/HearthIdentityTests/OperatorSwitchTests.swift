import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

/// Tests of options that an operator may enable beyond Firebase's behaviour.
@Suite struct OperatorSwitchTests {
  @Test("changed claims end the tokens that have the former ones, when the option is on")
  func claimChange() async throws {
    for isOn in [false, true] {
      let fixture = try AdminFixture { $0.revokesOnClaimChange = isOn }
      _ = try await fixture.create(#"{"localId": "bob", "customAttributes": "{\"role\": \"ed\"}"}"#)
      let token = try await fixture.idToken("bob")
      let credential = try fixture.accounts.keys.verifyIDToken(token, nowSeconds: fixture.accountsFixture.nowSeconds)
      fixture.accountsFixture.advance(seconds: 1)
      _ = try await fixture.update(#"{"localId": "bob", "customAttributes": "{\"role\": \"ed\"}"}"#)
      #expect(fixture.accounts.sessions.revocations.standing(of: credential) == .good, "the same claims are no change")
      _ = try await fixture.update(#"{"localId": "bob", "customAttributes": "{}"}"#)
      #expect(fixture.accounts.sessions.revocations.standing(of: credential) == (isOn ? .ended : .good))
      #expect(fixture.revocations.isEmpty == !isOn)
      #expect(fixture.accounts.store.view.sessions(of: "bob").isEmpty == isOn)
    }
  }

  @Test("a reset removes the identities of other providers, when the option is on")
  func resetDropsIdentities() async throws {
    for isOn in [false, true] {
      let fixture = try IdentityFixture { $0.resetDropsIdentities = isOn }
      let user = try await fixture.federated("7~a@b.example~yes")
      _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example"])
      let code = try await fixture.mailedCode()
      let answer = try await fixture.post(
        "accounts:resetPassword", ["oobCode": .string(code), "newPassword": "another one"])
      #expect(answer.status == 200)
      #expect(fixture.user(user.localID)?.identities.isEmpty == isOn)
      #expect(try await fixture.signIn("a@b.example", "another one").localID == user.localID)
    }
  }
}
