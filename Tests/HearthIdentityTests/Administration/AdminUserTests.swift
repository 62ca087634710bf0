import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite struct AdminUserTests {
  @Test("an account is created with the given members only")
  func create() async throws {
    let fixture = try AdminFixture()
    let answer = try await fixture.create(
      #"""
      {"localId": "ann", "email": "Ann@Example.com", "password": "secret1", "displayName": "Ann", "emailVerified": true,
       "photoUrl": "https://example.com/a.png", "phoneNumber": "+4915112345678", "disabled": false, "unknown": 1,
       "validSince": 5, "customAuth": true, "passwordHash": "x", "admin": true}
      """#)
    #expect(answer["kind"] == .string("identitytoolkit#SignupNewUserResponse"))
    #expect(answer["localId"] == .string("ann"))
    #expect(answer["idToken"] == nil)
    let user = try #require(fixture.user("ann"))
    #expect(user.email == "ann@example.com")
    #expect(user.initialEmail == nil, "there is one after the first change of address")
    for address in ["b@example.com", "c@example.com"] {
      _ = try await fixture.update(#"{"localId": "ann", "email": "\#(address)", "emailVerified": true}"#)
      #expect(fixture.user("ann")?.initialEmail == "ann@example.com")
    }
    _ = try await fixture.update(#"{"localId": "ann", "email": "ann@example.com"}"#)
    #expect(user.isEmailVerified)
    #expect(user.phoneNumber == "+4915112345678")
    #expect(user.validSinceSeconds == fixture.accountsFixture.nowSeconds)
    #expect(!user.isCustomAuth)
    #expect(user.password?.hash.hasPrefix("$scrypt$") == true)
    #expect(try await fixture.canSignIn("ANN@example.com", "secret1"))
  }

  @Test("a random uid has 28 letters and digits")
  func drawnUID() async throws {
    let fixture = try AdminFixture()
    let first = try await fixture.create("{}")["localId"]?.string ?? ""
    let second = try await fixture.create("{}")["localId"]?.string ?? ""
    #expect(first.utf8.count == 28)
    #expect(first.utf8.allSatisfy { $0.isASCIILetterOrDigit })
    #expect(first != second)
  }

  @Test(
    "invalid users are refused",
    arguments: [
      (#"{"email": "nowhere"}"#, "INVALID_EMAIL"),
      (#"{"email": "bob@example.com"}"#, "EMAIL_EXISTS"),
      (#"{"email": "BOB@example.com"}"#, "EMAIL_EXISTS"),
      (#"{"localId": "bob"}"#, "DUPLICATE_LOCAL_ID"),
      (#"{"phoneNumber": "+491"}"#, nil),
      (#"{"phoneNumber": "0491"}"#, "INVALID_PHONE_NUMBER : Invalid format."),
      (#"{"phoneNumber": "+0491"}"#, "INVALID_PHONE_NUMBER : Invalid format."),
      (#"{"phoneNumber": "+4912345678901234"}"#, "INVALID_PHONE_NUMBER : Invalid format."),
      (#"{"phoneNumber": "+15550001"}"#, "PHONE_NUMBER_EXISTS"),
      (#"{"password": "12345", "email": "a@example.com"}"#, "WEAK_PASSWORD : Password should be at least 6 characters"),
      (
        #"{"password": "refused-by-policy", "email": "a@example.com"}"#,
        "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : too common"
      ),
    ] as [(String, String?)])
  func refusals(_ body: String, _ expected: String?) async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(#"{"localId": "bob", "email": "bob@example.com", "phoneNumber": "+15550001"}"#)
    #expect(try await fixture.refusal { try await fixture.create(body) } == expected)
  }

  @Test(
    "Security 33: the uid of a deleted account can be reused, by create and by import", arguments: [true, false])
  func uidComesBack(isImported: Bool) async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(#"{"localId": "bob", "email": "bob@example.com"}"#)
    let token = try await fixture.idToken("bob")
    let old = try fixture.accounts.keys.verifyIDToken(token, nowSeconds: fixture.accountsFixture.nowSeconds)
    let answer = try await UserEndpoints(accounts: fixture.accounts).delete(fixture.call(#"{"localId": "bob"}"#))
    #expect(answer["kind"] == .string("identitytoolkit#DeleteAccountResponse"))
    #expect(fixture.revocations == [.user(uid: "bob")])
    if isImported {
      let imported = try await ImportEndpoints(accounts: fixture.accounts).create(
        fixture.call(#"{"users": [{"localId": "bob"}]}"#))
      #expect(imported["error"] == nil)
    } else {
      _ = try await fixture.create(#"{"localId": "bob"}"#)
      #expect(try await fixture.refusal { try await fixture.create(#"{"localId": "bob"}"#) } == "DUPLICATE_LOCAL_ID")
    }
    #expect(fixture.user("bob")?.email == nil, "nothing of the former account is left")
    // All within one second.
    #expect(fixture.accounts.sessions.revocations.standing(of: old) == .ended)
    let new = try fixture.accounts.keys.verifyIDToken(
      try await fixture.idToken("bob"), nowSeconds: fixture.accountsFixture.nowSeconds)
    #expect(fixture.accounts.sessions.revocations.standing(of: new) == .good)
    #expect(
      try await fixture.administrate("tokens:standing", "{\"token\": \"\(token)\"}")["standing"] == .string("ended"))
  }

  @Test("requests without an administrator are refused", arguments: 0..<10)
  func needsAdministrator(_ index: Int) async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(#"{"localId": "bob"}"#)
    let call = try fixture.call(
      #"{"localId": "bob", "localIds": ["bob"], "users": [{"localId": "x"}]}"#, administrator: nil)
    #expect(try await fixture.refusal { try await Self.perform(index, call, fixture) } == "UNAUTHENTICATED")
    #expect(fixture.accounts.store.view.users(limit: 10).map(\.uid) == ["bob"])
  }

  private static func perform(_ index: Int, _ call: IdentityCall, _ fixture: AdminFixture) async throws -> JSON {
    let accounts = fixture.accounts
    return switch index {
    case 0: try await UserEndpoints(accounts: accounts).create(call)
    case 1: try await UserEndpoints(accounts: accounts).lookup(call)
    case 2: try await UserEndpoints(accounts: accounts).update(call)
    case 3: try await UserEndpoints(accounts: accounts).delete(call)
    case 4: try await BatchEndpoints(accounts: accounts).get(call)
    case 5: try await BatchEndpoints(accounts: accounts).delete(call)
    case 6: try await ImportEndpoints(accounts: accounts).create(call)
    case 7: try await UserEndpoints(accounts: accounts).createSessionCookie(call)
    case 8: try await BatchEndpoints(accounts: accounts).query(call)
    default: try await fixture.perform("keys:rotate", call)
    }
  }

  @Test("accounts are found by uid, address, number and identity, each once; an empty result has no users")
  func lookup() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(#"{"localId": "bob", "email": "bob@example.com", "phoneNumber": "+15550001"}"#)
    _ = try await fixture.update(
      #"{"localId": "bob", "linkProviderUserInfo": {"providerId": "google.com", "rawId": "7"}}"#)
    let answer = try await fixture.lookup(
      #"""
      {"localId": ["bob", "nobody"], "email": ["BOB@example.com"], "phoneNumber": ["+15550001"],
       "federatedUserId": [{"providerId": "google.com", "rawId": "7"}, {"providerId": "google.com", "rawId": "8"}]}
      """#)
    #expect(answer["users"]?.array?.count == 1)
    #expect(try await fixture.lookup(#"{"localId": ["nobody"]}"#)["users"] == nil)
    #expect(try await fixture.lookup("{}")["kind"] == .string("identitytoolkit#GetAccountInfoResponse"))
  }

  @Test("canonically equivalent uids are of different users, and both are found")
  func equivalentUIDs() async throws {
    let fixture = try AdminFixture()
    let uids = ["caf\u{E9}", "cafe\u{301}"]
    let users = uids.map { "{\"localId\": \"\($0)\"}" }.joined(separator: ",")
    #expect(
      try await ImportEndpoints(accounts: fixture.accounts).create(fixture.call("{\"users\": [\(users)]}"))["error"]
        == nil)
    let list = uids.map { "\"\($0)\"" }.joined(separator: ",")
    #expect(try await fixture.lookup("{\"localId\": [\(list)]}")["users"]?.array?.count == 2)
  }
}
