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
      let world = try AdminWorld { $0.revokesOnClaimChange = isOn }
      _ = try await world.create(#"{"localId": "bob", "customAttributes": "{\"role\": \"ed\"}"}"#)
      let token = try await world.idToken("bob")
      let credential = try world.accounts.keys.verifyIDToken(token, nowSeconds: world.accountsFixture.nowSeconds)
      world.accountsFixture.advance(seconds: 1)
      _ = try await world.update(#"{"localId": "bob", "customAttributes": "{\"role\": \"ed\"}"}"#)
      #expect(world.accounts.sessions.revocations.standing(of: credential) == .good, "the same claims are no change")
      _ = try await world.update(#"{"localId": "bob", "customAttributes": "{}"}"#)
      #expect(world.accounts.sessions.revocations.standing(of: credential) == (isOn ? .ended : .good))
      #expect(world.revocations.isEmpty == !isOn)
      #expect(world.accounts.store.view.sessions(of: "bob").isEmpty == isOn)
    }
  }

  @Test("a reset removes the identities of other providers, when the option is on")
  func resetDropsIdentities() async throws {
    for isOn in [false, true] {
      let world = try IdentityWorld { $0.resetDropsIdentities = isOn }
      let user = try await world.federated("7~a@b.example~yes")
      _ = try await world.sendCode("PASSWORD_RESET", ["email": "a@b.example"])
      let code = try await world.mailedCode()
      let answer = try await world.post(
        "accounts:resetPassword", ["oobCode": .string(code), "newPassword": "another one"])
      #expect(answer.status == 200)
      #expect(world.user(user.localID)?.identities.isEmpty == isOn)
      #expect(try await world.signIn("a@b.example", "another one").localID == user.localID)
    }
  }
}
