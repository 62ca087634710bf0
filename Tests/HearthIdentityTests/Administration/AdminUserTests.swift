import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite struct AdminUserTests {
  @Test("an account is created with the given members only")
  func create() async throws {
    let world = try AdminWorld()
    let answer = try await world.create(
      #"""
      {"localId": "ann", "email": "Ann@Example.com", "password": "secret1", "displayName": "Ann", "emailVerified": true,
       "photoUrl": "https://example.com/a.png", "phoneNumber": "+4915112345678", "disabled": false, "unknown": 1,
       "validSince": 5, "customAuth": true, "passwordHash": "x", "admin": true}
      """#)
    #expect(answer["kind"] == .string("identitytoolkit#SignupNewUserResponse"))
    #expect(answer["localId"] == .string("ann"))
    #expect(answer["idToken"] == nil)
    let user = try #require(world.user("ann"))
    #expect(user.email == "ann@example.com")
    #expect(user.initialEmail == nil, "there is one after the first change of address")
    for address in ["b@example.com", "c@example.com"] {
      _ = try await world.update(#"{"localId": "ann", "email": "\#(address)", "emailVerified": true}"#)
      #expect(world.user("ann")?.initialEmail == "ann@example.com")
    }
    _ = try await world.update(#"{"localId": "ann", "email": "ann@example.com"}"#)
    #expect(user.isEmailVerified)
    #expect(user.phoneNumber == "+4915112345678")
    #expect(user.validSinceSeconds == world.accountsFixture.nowSeconds)
    #expect(!user.isCustomAuth)
    #expect(user.password?.hash.hasPrefix("$scrypt$") == true)
    #expect(try await world.canSignIn("ANN@example.com", "secret1"))
  }

  @Test("a random uid has 28 letters and digits")
  func drawnUID() async throws {
    let world = try AdminWorld()
    let first = try await world.create("{}")["localId"]?.string ?? ""
    let second = try await world.create("{}")["localId"]?.string ?? ""
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
    let world = try AdminWorld()
    _ = try await world.create(#"{"localId": "bob", "email": "bob@example.com", "phoneNumber": "+15550001"}"#)
    #expect(try await world.refusal { try await world.create(body) } == expected)
  }

  @Test(
    "Security 33: the uid of a deleted account can be reused, by create and by import", arguments: [true, false])
  func uidComesBack(isImported: Bool) async throws {
    let world = try AdminWorld()
    _ = try await world.create(#"{"localId": "bob", "email": "bob@example.com"}"#)
    let token = try await world.idToken("bob")
    let old = try world.accounts.keys.verifyIDToken(token, nowSeconds: world.accountsFixture.nowSeconds)
    let answer = try await UserEndpoints(accounts: world.accounts).delete(world.call(#"{"localId": "bob"}"#))
    #expect(answer["kind"] == .string("identitytoolkit#DeleteAccountResponse"))
    #expect(world.revocations == [.user(uid: "bob")])
    if isImported {
      let imported = try await ImportEndpoints(accounts: world.accounts).create(
        world.call(#"{"users": [{"localId": "bob"}]}"#))
      #expect(imported["error"] == nil)
    } else {
      _ = try await world.create(#"{"localId": "bob"}"#)
      #expect(try await world.refusal { try await world.create(#"{"localId": "bob"}"#) } == "DUPLICATE_LOCAL_ID")
    }
    #expect(world.user("bob")?.email == nil, "nothing of the former account is left")
    // All within one second.
    #expect(world.accounts.sessions.revocations.standing(of: old) == .ended)
    let new = try world.accounts.keys.verifyIDToken(
      try await world.idToken("bob"), nowSeconds: world.accountsFixture.nowSeconds)
    #expect(world.accounts.sessions.revocations.standing(of: new) == .good)
    #expect(
      try await world.administrate("tokens:standing", "{\"token\": \"\(token)\"}")["standing"] == .string("ended"))
  }

  @Test("requests without an administrator are refused", arguments: 0..<10)
  func needsAdministrator(_ index: Int) async throws {
    let world = try AdminWorld()
    _ = try await world.create(#"{"localId": "bob"}"#)
    let call = try world.call(
      #"{"localId": "bob", "localIds": ["bob"], "users": [{"localId": "x"}]}"#, administrator: nil)
    #expect(try await world.refusal { try await Self.perform(index, call, world) } == "UNAUTHENTICATED")
    #expect(world.accounts.store.view.users(limit: 10).map(\.uid) == ["bob"])
  }

  private static func perform(_ index: Int, _ call: IdentityCall, _ world: AdminWorld) async throws -> JSON {
    let accounts = world.accounts
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
    default: try await world.perform("keys:rotate", call)
    }
  }

  @Test("accounts are found by uid, address, number and identity, each once; an empty result has no users")
  func lookup() async throws {
    let world = try AdminWorld()
    _ = try await world.create(#"{"localId": "bob", "email": "bob@example.com", "phoneNumber": "+15550001"}"#)
    _ = try await world.update(
      #"{"localId": "bob", "linkProviderUserInfo": {"providerId": "google.com", "rawId": "7"}}"#)
    let answer = try await world.lookup(
      #"""
      {"localId": ["bob", "nobody"], "email": ["BOB@example.com"], "phoneNumber": ["+15550001"],
       "federatedUserId": [{"providerId": "google.com", "rawId": "7"}, {"providerId": "google.com", "rawId": "8"}]}
      """#)
    #expect(answer["users"]?.array?.count == 1)
    #expect(try await world.lookup(#"{"localId": ["nobody"]}"#)["users"] == nil)
    #expect(try await world.lookup("{}")["kind"] == .string("identitytoolkit#GetAccountInfoResponse"))
  }

  @Test("canonically equivalent uids are of different users, and both are found")
  func equivalentUIDs() async throws {
    let world = try AdminWorld()
    let uids = ["caf\u{E9}", "cafe\u{301}"]
    let users = uids.map { "{\"localId\": \"\($0)\"}" }.joined(separator: ",")
    #expect(
      try await ImportEndpoints(accounts: world.accounts).create(world.call("{\"users\": [\(users)]}"))["error"] == nil)
    let list = uids.map { "\"\($0)\"" }.joined(separator: ",")
    #expect(try await world.lookup("{\"localId\": [\(list)]}")["users"]?.array?.count == 2)
  }
}
