import HearthPlugin
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

@Suite("Several accounts with one address, where the setting allows them")
struct DuplicateAddressTests {
  private static let address = "a@b.example"

  private func fixture(
    hooks: [any DecidingHook] = [], configure: (inout AccountsConfiguration) -> Void = { _ in }
  ) throws -> IdentityFixture {
    try IdentityFixture(hooks: hooks) {
      $0.allowsDuplicateEmails = true
      configure(&$0)
    }
  }

  @Test("Security 84: A provider's verification of an address opens no other account with that address")
  func noTakeover() async throws {
    let fixture = try fixture()
    let unproven = try await fixture.signUp("u@b.example")
    let proven = try await fixture.verified("v@b.example")
    for (owner, address) in [(unproven, "u@b.example"), (proven, "v@b.example")] {
      let before = fixture.user(owner.localID)
      for (number, isProven) in [("1", "no"), ("2", "yes")] {
        let answer = try await fixture.federated("\(number)\(address)~\(address)~\(isProven)")
        #expect(answer.status == 200 && answer.json["isNewUser"] == true, "\(answer.text)")
        #expect(answer.json["needConfirmation"] == nil && answer.json["pendingToken"] == nil)
        #expect(answer.localID != owner.localID && answer.json["email"]?.string == address)
      }
      #expect(fixture.user(owner.localID) == before)
      #expect(try fixture.standing(owner.idToken) == .good)
      #expect(try await fixture.signIn(address).localID == owner.localID)
    }
    #expect(fixture.revocations.isEmpty)
    #expect(fixture.accounts.store.view.userCount == 6)
  }

  @Test("An account that an identity creates has no address; the identity has one, and is recognized by its id")
  func shape() async throws {
    let fixture = try fixture()
    let first = try await fixture.federated("7~a@b.example~yes")
    let other = try await fixture.federated("8~a@b.example~yes")
    #expect(other.localID != first.localID && other.json["isNewUser"] == true)
    let again = try await fixture.federated("7~moved@b.example~yes")
    #expect(again.localID == first.localID && again.json["isNewUser"] == false)
    let user = try #require(fixture.user(other.localID))
    #expect(user.email == nil && user.initialEmail == nil && !user.isEmailVerified && !user.isAnonymous)
    #expect(user.identities.map(\.email) == [Self.address])
    let claims = try fixture.claims(other.idToken)
    #expect(claims["email"] == nil && claims["email_verified"] == nil)
    #expect(claims["firebase"]?["identities"]?["google.com"] == .array([.string("8")]))
    let shown = try #require(try await fixture.lookup(other.idToken).json["users"]?.array?.first)
    #expect(shown["email"] == nil && shown["emailVerified"] == nil)
    #expect(shown["providerUserInfo"]?.array?.first?["email"]?.string == Self.address)
  }

  @Test("Concurrent sign-ins of one identity create one account")
  func race() async throws {
    let fixture = try fixture()
    let uids = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<4 { group.addTask { try await fixture.federated("7~a@b.example~yes").localID } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(uids.count == 1 && !uids.contains("") && fixture.accounts.store.view.userCount == 1)
  }

  @Test("An address is unique among passwords and mailed links, and owned by no account while only providers have it")
  func owner() async throws {
    let fixture = try fixture { $0.protectsFromEnumeration = false }
    let federated = try await fixture.federated("7~a@b.example~yes").localID
    #expect(try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example"]).error == "EMAIL_NOT_FOUND")
    _ = try await fixture.sendCode("EMAIL_SIGNIN", ["email": "a@b.example", "continueUrl": "http://localhost/"])
    let linked = try await fixture.post(
      "accounts:signInWithEmailLink",
      ["email": "a@b.example", "oobCode": .string(try await fixture.mailedCode())])
    #expect(linked.json["isNewUser"] == true && linked.localID != federated, "\(linked.text)")
    #expect(try await fixture.signUp(Self.address).error == "EMAIL_EXISTS")
    let anonymous = try await fixture.anonymous()
    let taken = try await fixture.update(anonymous.idToken, ["email": "a@b.example", "password": "123456"])
    #expect(taken.error == "EMAIL_EXISTS")
  }

  @Test("Mails and lookups by administrators use the one account that owns the address")
  func mails() async throws {
    let fixture = try fixture { $0.protectsFromEnumeration = false }
    let before = try await fixture.federated("7~a@b.example~yes").localID
    let owner = try await fixture.signUp(Self.address).localID
    let after = try await fixture.federated("8~a@b.example~yes").localID
    let others = [before, after].map { fixture.user($0) }
    _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example"])
    let reset = try await fixture.post(
      "accounts:resetPassword", ["oobCode": .string(try await fixture.mailedCode()), "newPassword": "another one"])
    #expect(reset.status == 200, "\(reset.text)")
    #expect(try await fixture.signIn(Self.address, "another one").localID == owner)
    #expect(others == [before, after].map { fixture.user($0) })
    let found = try await fixture.post(
      "/v1/projects/demo-test/accounts:lookup", ["email": ["A@B.example"]], authority: .administrator("ci"))
    #expect(found.json["users"]?.array?.map { $0["localId"]?.string } == [owner], "\(found.text)")
    let taken = try await fixture.post(
      "/v1/projects/demo-test/accounts:update", ["localId": .string(after), "email": "a@b.example"],
      authority: .administrator("ci"))
    #expect(taken.error == "EMAIL_EXISTS")
  }

  @Test("An address taken by an attacker is recovered, despite provider sign-ins with it meanwhile")
  func recovery() async throws {
    let fixture = try fixture { $0.protectsFromEnumeration = false }
    let owner = try await fixture.verified(Self.address)
    let token = try await fixture.signIn(Self.address).idToken
    #expect(try await fixture.update(token, ["email": "thief@b.example"]).status == 200)
    let code = try await fixture.code(mailedTo: Self.address)
    let federated = try await fixture.federated("7~a@b.example~yes").localID
    #expect(try await fixture.post("accounts:update", ["oobCode": .string(code)]).status == 200)
    #expect(fixture.user(owner.localID)?.email == Self.address && fixture.user(federated)?.email == nil)
  }

  @Test("An identity is linked whoever owns its address: it adds no address to the account, and verifies only its own")
  func links() async throws {
    let fixture = try fixture()
    let owner = try await fixture.signUp(Self.address)
    let anonymous = try await fixture.anonymous()
    let linked = try await fixture.federated("7~a@b.example~yes", ["idToken": .string(anonymous.idToken)])
    #expect(linked.localID == anonymous.localID, "\(linked.text)")
    #expect(fixture.user(anonymous.localID)?.email == nil)
    #expect(fixture.user(owner.localID)?.isEmailVerified == false)
    let second = try await fixture.federated("7~a@b.example~yes", ["idToken": .string(owner.idToken)])
    #expect(second.error == "FEDERATED_USER_ID_ALREADY_LINKED")
    let own = try await fixture.federated("8~a@b.example~yes", ["idToken": .string(owner.idToken)])
    #expect(own.localID == owner.localID && fixture.user(owner.localID)?.isEmailVerified == true, "\(own.text)")
    #expect(try await fixture.federated("8~a@b.example~yes").localID == owner.localID)
  }

  @Test(
    "A provider's user enrolls second factors without an address, and may add one",
    arguments: [SecondFactorSettings.Policy.optional, .required])
  func ownAddress(_ policy: SecondFactorSettings.Policy) async throws {
    let fixture = try fixture { $0.secondFactors.policy = policy }
    let person = try await fixture.federated("7~a@b.example~yes")
    // Another user with the same address cannot enroll a factor, and is not locked out by a required one.
    let other = try await fixture.federated("9~a@b.example~yes")
    _ = try await fixture.enrol(other.idToken, uid: other.localID)
    let guest = try await fixture.anonymous()
    #expect(try await fixture.startAuthenticator(guest.idToken).error?.hasPrefix("UNSUPPORTED_FIRST_FACTOR") == true)
    _ = try await fixture.sendCode("EMAIL_SIGNIN", ["email": "a@b.example", "continueUrl": "http://localhost/"])
    let linked = try await fixture.post(
      "accounts:signInWithEmailLink",
      [
        "email": "a@b.example", "oobCode": .string(try await fixture.mailedCode()),
        "idToken": .string(person.idToken),
      ])
    #expect(linked.localID == person.localID, "\(linked.text)")
    #expect(try await fixture.signUp(Self.address).error == "EMAIL_EXISTS")
    _ = try await fixture.enrol(linked.idToken, uid: person.localID)
    let next = try await fixture.federated("7~a@b.example~yes")
    #expect(next.json["mfaPendingCredential"] != nil && next.json["idToken"] == nil)
    #expect(try await fixture.federated("8~a@b.example~yes").json["idToken"] != nil, "another account has none")
  }

  @Test("Hooks get an account without an address, and the identity's address")
  func hooks() async throws {
    let hook = ScriptedHook { event in
      event.user.email?.hasSuffix("@b.example") == true ? .allow() : .deny(message: "ours alone")
    }
    let fixture = try fixture(hooks: [hook])
    let denied = try await fixture.federated("7~a@b.example~yes")
    #expect(denied.error?.hasPrefix("BLOCKING_FUNCTION_ERROR_RESPONSE : ") == true, "\(denied.text)")
    #expect(hook.events.first?.user.email == nil)
    #expect(hook.events.first?.user.identities.map(\.email) == [Self.address])
    #expect(fixture.accounts.store.view.userCount == 0)
  }

  @Test("With the setting on, identities stop linking at once; off again, each account keeps its identities")
  func switching() async throws {
    let fixture = try IdentityFixture { $0.passwordCost = .small }
    func allow(_ isOn: Bool) async throws {
      let answer = try await fixture.send(
        "/identitytoolkit.googleapis.com/v2/projects/demo-test/config",
        JSON.object([.init("signIn", ["allowDuplicateEmails": .bool(isOn)])]).text(), method: "PATCH",
        query: [("updateMask", "signIn.allowDuplicateEmails")], authority: .administrator("ci"))
      #expect(answer.json["signIn"]?["allowDuplicateEmails"] == .bool(isOn), "\(answer.text)")
    }
    let owner = try await fixture.verified(Self.address).localID
    let lone = try await fixture.federated("1~lone@b.example~yes").localID
    try await allow(true)
    #expect(try await fixture.federated("1~lone@b.example~yes").localID == lone)
    #expect(fixture.user(lone)?.email == "lone@b.example")
    #expect(try await fixture.signUp("lone@b.example").error == "EMAIL_EXISTS", "it is that account's own")
    let second = try await fixture.federated("2~a@b.example~yes").localID
    let third = try await fixture.federated("3~free@b.example~yes").localID
    #expect(Set([owner, lone, second, third]).count == 4)
    try await allow(false)
    // Signed in by the identity, as before; no account is linked, merged or given an address.
    #expect(try await fixture.federated("2~a@b.example~yes").localID == second)
    #expect(try await fixture.federated("3~free@b.example~yes").localID == third)
    #expect(fixture.user(second)?.email == nil && fixture.user(third)?.email == nil)
    #expect(fixture.user(owner)?.identities.isEmpty == true)
    // New identities follow the current setting.
    #expect(try await fixture.federated("4~a@b.example~yes").localID == owner)
    #expect(try await fixture.federated("5~a@b.example~no").json["needConfirmation"] == true)
    let fresh = try await fixture.federated("6~free@b.example~yes").localID
    #expect(fresh != third && fixture.user(fresh)?.email == "free@b.example")
  }

  @Test("Tenants follow the project's setting, each with its own accounts")
  func tenants() async throws {
    let fixture = try fixture()
    let made = try await fixture.post(
      "/v2/projects/demo-test/tenants", ["displayName": "acme", "allowPasswordSignup": true],
      authority: .administrator("ci"))
    let id = JSON.string(made.json["name"]?.string?.split(separator: "/").last.map(String.init) ?? "")
    let owner = try await fixture.post(
      "accounts:signUp",
      ["email": "a@b.example", "password": "correct horse", "returnSecureToken": true, "tenantId": id])
    let person = try await fixture.federated("7~a@b.example~yes", ["tenantId": id])
    #expect(person.status == 200 && person.localID != owner.localID, "\(person.text)")
    #expect(try await fixture.federated("7~a@b.example~yes").localID != person.localID)
  }

  @Test("Exported accounts are imported unchanged; one with a taken address is refused alone, with advice")
  func exported() async throws {
    let fixture = try fixture()
    _ = try await fixture.signUp(Self.address)
    for number in 7...9 { _ = try await fixture.federated("\(number)~a@b.example~yes") }
    let before = fixture.accounts.store.view.users(limit: 10)
    let all = try await fixture.post("/hearth/v1/users:export", authority: .administrator("ci"))
    let users = try #require(all.json["users"]?.array)
    let other = try self.fixture()
    func take(_ users: [JSON]) async throws -> IdentityFixture.Answer {
      try await other.post(
        "/v1/projects/demo-test/accounts:batchCreate", ["users": .array(users), "sanityCheck": true],
        authority: .administrator("ci"))
    }
    let taken = try await take(users)
    #expect(taken.status == 200 && taken.json["error"] == nil, "\(taken.text)")
    let after = other.accounts.store.view.users(limit: 10)
    #expect(after.map(\.uid) == before.map(\.uid) && after.map(\.email) == before.map(\.email))
    #expect(after.map(\.identities) == before.map(\.identities))
    let one: JSON = [
      "localId": "x", "email": "a@b.example", "providerUserInfo": [["providerId": "google.com", "rawId": "x"]],
    ]
    let (two, three): (JSON, JSON) = (
      ["localId": "y", "email": "y@b.example"], ["localId": "z", "email": "y@b.example"]
    )
    let refused = try await take([one, two, three])
    let errors = refused.json["error"]?.array ?? []
    #expect(errors.map { $0["index"] } == [0, 2], "\(refused.text)")
    #expect(errors.first?["message"]?.string?.contains("import the user without email") == true)
  }

  @Test("The sign-in methods of an address include an identity's only while the address belongs to one account")
  func methods() async throws {
    let fixture = try IdentityFixture {
      $0.protectsFromEnumeration = false
      $0.passwordCost = .small
    }
    func methods(_ address: String) async throws -> JSON {
      let answer = try await fixture.post(
        "accounts:createAuthUri", ["identifier": .string(address), "continueUri": "http://localhost"])
      #expect(answer.status == 200, "\(answer.text)")
      return ["registered": answer.json["registered"] ?? .null, "signinMethods": answer.json["signinMethods"] ?? .null]
    }
    let person = try await fixture.federated("7~at@google.example~yes")
    _ = try await fixture.sendCode("EMAIL_SIGNIN", ["email": "own@b.example", "continueUrl": "http://localhost/"])
    _ = try await fixture.post(
      "accounts:signInWithEmailLink",
      [
        "email": "own@b.example", "oobCode": .string(try await fixture.mailedCode()),
        "idToken": .string(person.idToken),
      ])
    for address in ["own@b.example", "At@google.example"] {
      #expect(
        try await methods(address) == ["registered": true, "signinMethods": ["emailLink", "google.com"]], "\(address)")
    }
    _ = try await fixture.post(
      "/v2/projects/demo-test/config", ["signIn": ["allowDuplicateEmails": true]], method: "PATCH",
      authority: .administrator("ci"))
    for address in ["own@b.example", "at@google.example"] {
      #expect(try await methods(address) == ["registered": true, "signinMethods": ["emailLink"]], "\(address)")
    }
    _ = try await fixture.federated("8~other@b.example~yes")
    #expect(try await methods("other@b.example") == ["registered": false, "signinMethods": []])
  }

  @Test("2.x clients sign in by a provider whoever owns the address")
  func legacy() async throws {
    let fixture = try fixture()
    let owner = try await fixture.signUp(Self.address)
    let result = try await fixture.accounts.signIn.federated.signIn(
      providerID: "google.com", parameters: ["id_token": "7~a@b.example~no"], newUID: { "google:\($0.rawID)" },
      client: fixture.accountsFixture.client(), now: fixture.accountsFixture.now)
    #expect(
      result.authenticated.isNew && result.authenticated.user.uid == "google:7"
        && result.authenticated.user.uid != owner.localID)
  }
}
