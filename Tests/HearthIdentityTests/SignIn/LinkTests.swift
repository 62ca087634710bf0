import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

@Suite struct LinkTests {
  @Test("A provider's identity signs in, and is recognized by its id and not by its address")
  func federated() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.federated("7~a@b.example~yes")
    #expect(first.json["kind"] == "identitytoolkit#VerifyAssertionResponse")
    #expect(first.json["isNewUser"] == true)
    #expect(first.json["federatedId"] == "https://accounts.google.com/7")
    #expect(first.json["rawUserInfo"] == "{\"sub\":\"7\"}")
    #expect(first.json["emailVerified"] == true)
    #expect(try fixture.claims(first.idToken)["firebase"]?["identities"]?["google.com"] == .array([.string("7")]))
    let again = try await fixture.federated("7~moved@b.example~yes")
    #expect(again.localID == first.localID && again.json["isNewUser"] == false)
    let other = try await fixture.federated("8~~no")
    #expect(other.localID != first.localID)
    #expect(try await fixture.federated("9~x@b.example~yes", ["autoCreate": false]).error == "USER_NOT_FOUND")
    #expect(try await fixture.federated("bad").error == "INVALID_IDP_RESPONSE : not ours")
    #expect(
      try await fixture.post("accounts:signInWithIdp", ["requestUri": "http://localhost", "postBody": "id_token=x"])
        .error?.hasPrefix("INVALID_CREDENTIAL_OR_PROVIDER_ID : ") == true)
    #expect(try await fixture.post("accounts:signInWithIdp", ["postBody": "x"]).error == "MISSING_REQUEST_URI")
    #expect(
      try await fixture.post(
        "accounts:signInWithIdp", ["requestUri": "http://localhost", "postBody": "id_token=x&providerId=other.com"]
      ).error?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
  }

  @Test(
    "Security 44: A verified identity ends the sessions and credentials that another person prepared with its address")
  func preHijack() async throws {
    let fixture = try IdentityFixture()
    let attacker = try await fixture.signUp("victim@example.com", "attackers password")
    try await fixture.change(attacker.localID) {
      $0.phoneNumber = "+15550001"
      $0.identities = [ProviderIdentity(providerID: "github.com", rawID: "666")]
    }
    let victim = try await fixture.federated("7~victim@example.com~yes")
    #expect(victim.localID == attacker.localID)
    #expect(try await fixture.signIn("victim@example.com", "attackers password").error == "INVALID_LOGIN_CREDENTIALS")
    #expect(try await fixture.refresh(attacker.refreshToken).error == "TOKEN_EXPIRED")
    #expect(try fixture.standing(attacker.idToken) == .ended)
    #expect(try fixture.standing(victim.idToken) == .good)
    let user = try #require(fixture.user(victim.localID))
    #expect(user.password == nil && user.phoneNumber == nil && user.isEmailVerified)
    #expect(user.identities.map(\.providerID) == ["google.com"])
    #expect(fixture.revocations.count == 1)
  }

  @Test("The same by a mailed link: only the mailbox's owner gets the account")
  func preHijackByLink() async throws {
    let fixture = try IdentityFixture()
    let attacker = try await fixture.signUp("victim@example.com", "attackers password")
    _ = try await fixture.sendCode(
      "EMAIL_SIGNIN", ["email": "victim@example.com", "continueUrl": "http://localhost/"])
    let victim = try await fixture.post(
      "accounts:signInWithEmailLink",
      ["email": "victim@example.com", "oobCode": .string(try await fixture.mailedCode())])
    #expect(victim.localID == attacker.localID)
    #expect(try await fixture.signIn("victim@example.com", "attackers password").error == "INVALID_LOGIN_CREDENTIALS")
    #expect(try fixture.standing(attacker.idToken) == .ended)
    #expect(try await fixture.lookup(victim.idToken).status == 200)
  }

  @Test("An account with the same verified address is linked, and keeps its password")
  func verifiedIsLinked() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.signUp("a@b.example")
    try await fixture.change(first.localID) { $0.isEmailVerified = true }
    let linked = try await fixture.federated("7~a@b.example~yes")
    #expect(linked.localID == first.localID)
    #expect(try await fixture.signIn("a@b.example").status == 200)
    #expect(try fixture.standing(first.idToken) == .good)
    let other = try await fixture.federated("8~a@b.example~yes")
    #expect(other.error == "EMAIL_EXISTS")
  }

  @Test("Security 45: An unverified address of a provider links no account")
  func unverified() async throws {
    let fixture = try IdentityFixture()
    let owner = try await fixture.signUp("a@b.example")
    try await fixture.change(owner.localID) { $0.isEmailVerified = true }
    let answer = try await fixture.federated("7~a@b.example~no")
    #expect(answer.status == 200)
    #expect(answer.json["needConfirmation"] == true)
    #expect(answer.json["idToken"] == nil && answer.json["localId"] == .string(owner.localID))
    #expect(answer.json["verifiedProvider"] == nil)
    #expect(fixture.user(owner.localID)?.identities.isEmpty == true)
    // A user who also knows the account's own credential can link the pending one, once.
    let pending = try #require(answer.json["pendingToken"]?.string)
    let body: JSON = [
      "requestUri": "http://localhost", "pendingToken": .string(pending), "idToken": .string(owner.idToken),
    ]
    #expect(try await fixture.post("accounts:signInWithIdp", body).localID == owner.localID)
    #expect(fixture.user(owner.localID)?.identities.map(\.rawID) == ["7"])
    #expect(try await fixture.post("accounts:signInWithIdp", body).error == "INVALID_PENDING_TOKEN")
  }

  @Test("Security 46: An identity of another account is not linked")
  func linkedElsewhere() async throws {
    let fixture = try IdentityFixture()
    let owner = try await fixture.federated("7~a@b.example~yes")
    let anonymous = try await fixture.anonymous()
    let refused = try await fixture.federated("7~a@b.example~yes", ["idToken": .string(anonymous.idToken)])
    #expect(refused.error == "FEDERATED_USER_ID_ALREADY_LINKED")
    let soft = try await fixture.federated(
      "7~a@b.example~yes", ["idToken": .string(anonymous.idToken), "returnIdpCredential": true])
    #expect(soft.status == 200)
    #expect(soft.json["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED")
    #expect(soft.json["idToken"] == nil)
    #expect(
      try await fixture.federated("8~a@b.example~yes", ["idToken": .string(anonymous.idToken)]).error == "EMAIL_EXISTS")
    #expect(fixture.user(anonymous.localID)?.identities.isEmpty == true)
    #expect(fixture.user(owner.localID)?.identities.count == 1)
  }

  @Test("Older web SDKs link a password to an anonymous account by accounts:update")
  func upgradeByUpdate() async throws {
    let fixture = try IdentityFixture()
    let anonymous = try await fixture.anonymous()
    _ = try await fixture.signUp("taken@b.example")
    let taken = try await fixture.update(anonymous.idToken, ["email": "taken@b.example", "password": "123456"])
    #expect(taken.error == "EMAIL_EXISTS")
    let linked = try await fixture.update(anonymous.idToken, ["email": "a@b.example", "password": "123456"])
    #expect(linked.localID == anonymous.localID)
    #expect(try fixture.claims(linked.idToken)["firebase"]?["sign_in_provider"] == .string("password"))
    #expect(try await fixture.signIn("a@b.example", "123456").localID == anonymous.localID)
    // A second address is a change, which requires a mail.
    let second = try await fixture.update(linked.idToken, ["email": "c@b.example", "password": "123456"])
    #expect(second.error?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
  }

  @Test("Security 47: Upgrading an anonymous user keeps the uid, by password, identity and link")
  func upgrade() async throws {
    let fixture = try IdentityFixture()
    let anonymous = try await fixture.anonymous()
    // The anonymous account may be of any age.
    fixture.accountsFixture.advance(seconds: 3_000)
    let byPassword = try await fixture.post(
      "accounts:signUp",
      ["idToken": .string(anonymous.idToken), "email": "a@b.example", "password": "123456"])
    #expect(byPassword.localID == anonymous.localID)
    #expect(try fixture.claims(byPassword.idToken)["firebase"]?["sign_in_provider"] == .string("password"))
    #expect(try await fixture.signIn("a@b.example", "123456").localID == anonymous.localID)
    // The old token stays valid until it expires.
    #expect(try fixture.standing(anonymous.idToken) == .good)
    let second = try await fixture.anonymous()
    let byIdentity = try await fixture.federated("7~c@d.example~yes", ["idToken": .string(second.idToken)])
    #expect(byIdentity.localID == second.localID)
    #expect(try fixture.claims(byIdentity.idToken)["firebase"]?["sign_in_provider"] == .string("google.com"))
    let third = try await fixture.anonymous()
    _ = try await fixture.sendCode("EMAIL_SIGNIN", ["email": "e@f.example", "continueUrl": "http://localhost/"])
    let byLink = try await fixture.post(
      "accounts:signInWithEmailLink",
      [
        "email": "e@f.example", "oobCode": .string(try await fixture.mailedCode()), "idToken": .string(third.idToken),
      ])
    #expect(byLink.localID == third.localID && byLink.json["isNewUser"] == false)
    let fourth = try await fixture.anonymous()
    #expect(
      try await fixture.post(
        "accounts:signUp", ["idToken": .string(fourth.idToken), "email": "a@b.example", "password": "123456"]
      ).error == "EMAIL_EXISTS")
  }

  @Test("Linking does not update the time of the sign-in")
  func linkIsNoSignIn() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.signUp("a@b.example")
    fixture.accountsFixture.advance(seconds: 1_000)
    let linked = try await fixture.federated("7~x@y.example~yes", ["idToken": .string(first.idToken)])
    #expect(linked.status == 200)
    let changed = try await fixture.update(linked.idToken, ["password": "another one"])
    #expect(changed.error == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
  }

}
