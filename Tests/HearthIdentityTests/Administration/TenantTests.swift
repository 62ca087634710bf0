import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

/// Tests of tenants over the interface of admin and client SDKs.
@Suite struct TenantTests {
  private static let administrator = IdentityRequest.Bearer.administrator("op")
  private static let tenants = "/v2/projects/demo-test/tenants"

  private static func make(_ fixture: IdentityFixture, _ settings: JSON = ["allowPasswordSignup": true]) async throws
    -> String
  {
    let answer = try await fixture.post(tenants, settings, authority: administrator)
    #expect(answer.status == 200, "\(answer.text)")
    let name = try #require(answer.json["name"]?.string)
    return String(try #require(name.split(separator: "/").last))
  }

  private static func signUp(_ fixture: IdentityFixture, _ email: String, in tenant: String) async throws
    -> IdentityFixture.Answer
  {
    try await fixture.post(
      "accounts:signUp",
      [
        "email": .string(email), "password": .string(IdentityFixture.password), "returnSecureToken": true,
        "tenantId": .string(tenant),
      ])
  }

  private static func signIn(_ fixture: IdentityFixture, _ email: String, in tenant: String?) async throws
    -> IdentityFixture.Answer
  {
    try await fixture.post(
      "accounts:signInWithPassword",
      [
        "email": .string(email), "password": .string(IdentityFixture.password), "returnSecureToken": true,
        "tenantId": tenant.map { .string($0) } ?? .null,
      ])
  }

  private static func lookup(
    _ fixture: IdentityFixture, _ token: String, in tenant: String? = nil
  ) async throws -> IdentityFixture.Answer {
    try await fixture.post(
      "accounts:lookup", ["idToken": .string(token), "tenantId": tenant.map { .string($0) } ?? .null])
  }

  @Test("a tenant is made, listed page by page, changed by a mask, and deleted")
  func administration() async throws {
    let fixture = try IdentityFixture()
    let none = try await fixture.post(Self.tenants, method: "GET", authority: Self.administrator)
    #expect(none.json == .object([.init("tenants", .array([]))]))
    let first = try await Self.make(fixture, ["displayName": "Acme-Corp", "allowPasswordSignup": true])
    #expect(first.hasPrefix("acme-corp-") && first.utf8.count == "acme-corp-".utf8.count + 5)
    let second = try await Self.make(fixture, ["displayName": "zebra"])
    let third = try await Self.make(fixture, [:])
    var found: [String] = []
    var token: String?
    repeat {
      let query = [("pageSize", "2")] + (token.map { [("pageToken", $0)] } ?? [])
      let page = try await fixture.send(Self.tenants, [], method: "GET", query: query, authority: Self.administrator)
      found += (page.json["tenants"]?.array ?? []).compactMap { $0["name"]?.string }
      token = page.json["nextPageToken"]?.string
    } while token != nil
    #expect(found == [first, third, second].map { "projects/demo-test/tenants/\($0)" })

    let changed = try await fixture.send(
      "\(Self.tenants)/\(first)", JSON.object([.init("enableAnonymousUser", true)]).text(), method: "PATCH",
      query: [("updateMask", "enableAnonymousUser,allowPasswordSignup")], authority: Self.administrator)
    #expect(changed.json["enableAnonymousUser"] == true && changed.json["allowPasswordSignup"] == false)
    #expect(changed.json["displayName"] == "Acme-Corp")
    let read = try await fixture.post("\(Self.tenants)/\(first)", method: "GET", authority: Self.administrator)
    #expect(read.json == changed.json)

    #expect(
      try await fixture.post("\(Self.tenants)/\(first)", method: "DELETE", authority: Self.administrator).status == 200)
    for method in ["GET", "PATCH", "DELETE"] {
      let gone = try await fixture.post("\(Self.tenants)/\(first)", method: method, authority: Self.administrator)
      #expect(gone.error == "TENANT_NOT_FOUND")
    }
  }

  @Test("invalid tenants are refused with a reason, and only administrators manage tenants")
  func refusals() async throws {
    let fixture = try IdentityFixture()
    for (settings, code) in [
      (["displayName": "abc"], "INVALID_ARGUMENT"), (["displayName": "4tune"], "INVALID_ARGUMENT"),
      (["displayName": "mit Umlaut ä"], "INVALID_ARGUMENT"), (["allowPasswordSignup": "perhaps"], "INVALID_ARGUMENT"),
      (["monitoring": ["requestLogging": true]], "NOT_IMPLEMENTED"),
    ] as [(JSON, String)] {
      let answer = try await fixture.post(Self.tenants, settings, authority: Self.administrator)
      #expect(answer.error?.hasPrefix(code) == true, "\(answer.text)")
    }
    let size = try await fixture.send(
      Self.tenants, [], method: "GET", query: [("pageSize", "0")], authority: Self.administrator)
    #expect(size.error?.hasPrefix("INVALID_PAGE_SELECTION") == true)
    let tenant = try await Self.make(fixture)
    for (method, path) in [
      ("POST", Self.tenants), ("GET", Self.tenants), ("GET", "\(Self.tenants)/\(tenant)"),
      ("PATCH", "\(Self.tenants)/\(tenant)"), ("DELETE", "\(Self.tenants)/\(tenant)"),
    ] {
      #expect(try await fixture.post(path, method: method).status == 401)
    }
    #expect(fixture.accounts.store.view.tenantCount == 1)
  }

  @Test("the same address belongs to another user in each tenant; a token names its tenant and is valid there alone")
  func isolation() async throws {
    let fixture = try IdentityFixture()
    let (one, other) = (try await Self.make(fixture), try await Self.make(fixture))
    let own = try await fixture.signUp("ann@example.com")
    let inOne = try await Self.signUp(fixture, "ann@example.com", in: one)
    let inOther = try await Self.signUp(fixture, "ann@example.com", in: other)
    #expect(Set([own.localID, inOne.localID, inOther.localID]).count == 3)
    let token = try #require(fixture.accounts.tenants?.find(one)).keys.verifyIDToken(
      inOne.idToken, nowSeconds: fixture.nowSeconds)
    #expect(token.claims["firebase"]?["tenant"] == .string(one))
    // A lookup with the token succeeds whether or not the request names the tenant.
    for tenant in [nil, one] {
      let shown = try await Self.lookup(fixture, inOne.idToken, in: tenant)
      #expect(shown.json["users"]?.array?.first?["localId"] == .string(inOne.localID))
      #expect(shown.json["users"]?.array?.first?["tenantId"] == .string(one))
    }
    for (text, tenant) in [(inOne.idToken, other), (own.idToken, one), (inOther.idToken, one)] {
      #expect(try await Self.lookup(fixture, text, in: tenant).error == "TENANT_ID_MISMATCH")
    }
    #expect(throws: CredentialError.self) {
      try fixture.accounts.keys.verifyIDToken(inOne.idToken, nowSeconds: fixture.nowSeconds)
    }
    // Refreshed without its tenant, as SDKs do.
    let refreshed = try await fixture.refresh(inOne.refreshToken)
    #expect(try await Self.lookup(fixture, refreshed.idToken, in: one).status == 200)
    // The path of an administrator's request determines the tenant whose users it lists.
    func count(_ place: String) async throws -> Int? {
      let page = try await fixture.post(
        "/v1/projects/demo-test/\(place)accounts:batchGet", method: "GET", authority: Self.administrator)
      return page.json["users"]?.array?.count
    }
    #expect(try await count("") == 1)
    #expect(try await count("tenants/\(one)/") == 1)
    // A tenant has its own audit trail.
    let trail = try await fixture.post(
      "/hearth/v1/audit:tail", ["tenantId": .string(one)], authority: Self.administrator)
    #expect(trail.text.contains("sign_up") && trail.text.contains(inOne.localID) && !trail.text.contains(own.localID))
    let unknown = try await fixture.post(
      "/v1/projects/demo-test/tenants/nobody-12345/accounts:batchGet", method: "GET", authority: Self.administrator)
    #expect(unknown.error == "TENANT_NOT_FOUND")
  }

  @Test("each tenant has the sign-in methods that are enabled for it, and none while it is disabled")
  func signInMethods() async throws {
    let fixture = try IdentityFixture()
    let tenant = try await Self.make(fixture, [:])
    #expect(try await Self.signUp(fixture, "bob@example.com", in: tenant).error == "OPERATION_NOT_ALLOWED")
    #expect(try await Self.signIn(fixture, "bob@example.com", in: tenant).error == "PASSWORD_LOGIN_DISABLED")
    let anonymous: JSON = ["returnSecureToken": true, "tenantId": .string(tenant)]
    #expect(try await fixture.post("accounts:signUp", anonymous).error == "ADMIN_ONLY_OPERATION")
    func patch(_ members: JSON) async throws {
      let answer = try await fixture.post(
        "\(Self.tenants)/\(tenant)", members, method: "PATCH", authority: Self.administrator)
      #expect(answer.status == 200, "\(answer.text)")
    }
    try await patch(["enableAnonymousUser": true, "allowPasswordSignup": true])
    let guest = try await fixture.post("accounts:signUp", anonymous)
    #expect(guest.status == 200)
    #expect(try await Self.signUp(fixture, "bob@example.com", in: tenant).status == 200)
    try await patch(["disableAuth": true])
    #expect(try await Self.signIn(fixture, "bob@example.com", in: tenant).error == "PROJECT_DISABLED")
    #expect(try await fixture.refresh(guest.refreshToken).error == "PROJECT_DISABLED")
    #expect(try await Self.lookup(fixture, guest.idToken).error == "PROJECT_DISABLED")
    // Service accounts cannot manage the users of a disabled tenant either. The operator can, and the project's own
    // users are not affected.
    let made = try await fixture.post(
      "/hearth/v1/serviceAccounts:create", ["name": "app"], authority: Self.administrator)
    let app = IdentityRequest.Bearer.administrator(try #require(made.json["email"]?.string))
    let users = "/v1/projects/demo-test/tenants/\(tenant)/accounts"
    for (method, request) in [
      ("GET", ":batchGet"), ("POST", ":batchCreate"), ("POST", ":lookup"), ("POST", ":query"), ("POST", ""),
      ("POST", ":update"), ("POST", ":delete"),
    ] {
      let answer = try await fixture.post(users + request, method: method, authority: app)
      #expect(answer.error == "PROJECT_DISABLED", "\(request) \(answer.text)")
    }
    let seen = try await fixture.post(users + ":batchGet", method: "GET", authority: Self.administrator)
    #expect(seen.json["users"]?.array?.count == 2, "\(seen.text)")
    let exported = try await fixture.post(
      "/hearth/v1/users:export", ["tenantId": .string(tenant)], authority: Self.administrator)
    #expect(exported.json["users"]?.array?.count == 2, "\(exported.text)")
    #expect(try await fixture.signUp("carl@example.com").status == 200)
    try await patch(["disableAuth": false])
    #expect(try await Self.signIn(fixture, "bob@example.com", in: tenant).status == 200)
  }

  @Test("links in a tenant's mails name the tenant, and their codes work without it")
  func links() async throws {
    let fixture = try IdentityFixture()
    let tenant = try await Self.make(fixture)
    _ = try await Self.signUp(fixture, "ann@example.com", in: tenant)
    _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "ann@example.com", "tenantId": .string(tenant)])
    await fixture.makeCodes()
    await fixture.accounts.tenants?.find(tenant)?.context.codeQueue.idle()
    let link = try #require(await fixture.mails().last?.link)
    #expect(link.hasSuffix("&tenantId=\(tenant)"), "\(link)")
    let code = try await fixture.mailedCode()
    let shown = try await fixture.send(
      "/__/auth/action", [], method: "GET",
      query: [("mode", "resetPassword"), ("oobCode", code), ("tenantId", tenant)])
    #expect(shown.status == 200 && shown.text.contains("ann@example.com"), "\(shown.text)")
  }

  @Test("deleting a tenant ends its users, sessions and tokens; the project and other tenants are not affected")
  func deletion() async throws {
    let fixture = try IdentityFixture()
    let (one, other) = (try await Self.make(fixture), try await Self.make(fixture))
    let own = try await fixture.signUp("ann@example.com")
    let (gone, stays) = (
      try await Self.signUp(fixture, "ann@example.com", in: one),
      try await Self.signUp(fixture, "ann@example.com", in: other)
    )
    let credential = try #require(fixture.accounts.tenants?.find(one)).keys.verifyIDToken(
      gone.idToken, nowSeconds: fixture.nowSeconds)
    #expect(fixture.directory.accounts(of: credential)?.tenantID == one)
    let answer = try await fixture.post("\(Self.tenants)/\(one)", method: "DELETE", authority: Self.administrator)
    #expect(answer.status == 200 && fixture.revocations == [.tenant(id: one)])
    // No tenant accepts its tokens any more, and neither does the project.
    #expect(fixture.directory.accounts(of: credential) == nil)
    #expect(fixture.directory.accounts(ofToken: gone.idToken) === fixture.accounts)
    #expect(try await Self.lookup(fixture, gone.idToken).error == "INVALID_ID_TOKEN")
    #expect(try await Self.lookup(fixture, gone.idToken, in: one).error == "TENANT_NOT_FOUND")
    // The error at which SDKs sign the user out.
    #expect(try await fixture.refresh(gone.refreshToken).error == "USER_NOT_FOUND")
    #expect(try await Self.lookup(fixture, stays.idToken).status == 200)
    #expect(try await fixture.lookup(own.idToken).status == 200)
    #expect(try await Self.signIn(fixture, "ann@example.com", in: one).error == "TENANT_NOT_FOUND")
  }

  @Test("operations under way in a deleted tenant leave no records")
  func deletedMeanwhile() async throws {
    let fixture = try IdentityFixture()
    let tenant = try await Self.make(fixture)
    let accounts = try #require(fixture.accounts.tenants?.find(tenant))
    let answer = try await fixture.post("\(Self.tenants)/\(tenant)", method: "DELETE", authority: Self.administrator)
    #expect(answer.status == 200)
    let change: @Sendable (inout AccountTransaction) throws(AccountError) -> Void = {
      (transaction: inout AccountTransaction) throws(AccountError) in
      try transaction.insert(UserRecord(uid: "late", createdAtMilliseconds: 1))
    }
    await #expect(throws: AccountError(.tenantNotFound)) { try await accounts.store.transact(change) }
    accounts.store.saveLock("late", AccountLock(failures: 1, lockedUntilSeconds: 9, lastFailureSeconds: 1))
    _ = try await fixture.signUp("ann@example.com")
    #expect(!fixture.accounts.store.view.hasTenants)
  }

  @Test("Security 83: a service account's token is refused operator requests, with and without a tenant")
  func serviceAccounts() async throws {
    let fixture = try IdentityFixture()
    let tenant = try await Self.make(fixture)
    _ = try await Self.signUp(fixture, "ann@example.com", in: tenant)
    let made = try await fixture.post(
      "/hearth/v1/serviceAccounts:create", ["name": "backend"], authority: Self.administrator)
    let account = try #require(made.json["email"]?.string, "\(made.text)")
    for operation in ["users:export", "users:checkPasswords", "users:revoke", "tokens:standing", "audit:tail"] {
      for body: JSON in [["tenantId": .string(tenant)], [:]] {
        let answer = try await fixture.post("/hearth/v1/\(operation)", body, authority: .administrator(account))
        #expect(answer.error?.hasPrefix("PERMISSION_DENIED") == true, "\(operation): \(answer.text)")
      }
    }
    // Operations of admin SDKs on a tenant's users succeed.
    let users = try await fixture.post(
      "/v1/projects/demo-test/tenants/\(tenant)/accounts:batchGet", method: "GET", authority: .administrator(account))
    #expect(users.json["users"]?.array?.count == 1, "\(users.text)")
  }

  @Test("wrong passwords in one tenant lock no account of the same address in another")
  func throttled() async throws {
    let fixture = try IdentityFixture()
    let (one, other) = (try await Self.make(fixture), try await Self.make(fixture))
    for tenant in [one, other] { #expect(try await Self.signUp(fixture, "ann@example.com", in: tenant).status == 200) }
    var last: String?
    for _ in 0..<200 where last?.hasPrefix("TOO_MANY_ATTEMPTS") != true {
      last = try await fixture.post(
        "accounts:signInWithPassword",
        ["email": "ann@example.com", "password": "wrong wrong", "tenantId": .string(one)]
      ).error
    }
    #expect(last?.hasPrefix("TOO_MANY_ATTEMPTS") == true)
    #expect(try await Self.signIn(fixture, "ann@example.com", in: other).status == 200)
  }

  @Test("an emulator creates a named tenant with all settings enabled, and deletes the users of one tenant alone")
  func emulated() async throws {
    let fixture = try IdentityFixture.emulator()
    // Naming a tenant creates it only for local clients and administrators.
    for tenant: JSON in ["tenant-of-a-test", "another-tenant"] {
      _ = try await fixture.app(
        "accounts:createAuthUri",
        ["tenantId": tenant, "identifier": "a@b.example", "continueUri": "http://localhost"])
    }
    let made = try await Self.signUp(fixture, "ann@example.com", in: "tenant-of-a-test")
    #expect(made.status == 200, "\(made.text)")
    let other = try await Self.signUp(fixture, "ann@example.com", in: "another-tenant")
    let own = try await fixture.signUp("ann@example.com")
    let answer = try await fixture.post(
      "/emulator/v1/projects/demo-test/tenants/tenant-of-a-test/accounts", method: "DELETE", isFromLoopback: true)
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try await Self.lookup(fixture, made.idToken).status == 400)
    #expect(try await Self.lookup(fixture, other.idToken).status == 200)
    #expect(try await fixture.lookup(own.idToken).status == 200)
    // As in Firebase, no administrator manages the users of a disabled tenant.
    let path = "/v1/projects/demo-test/tenants/another-tenant"
    _ = try await fixture.owner("/v2/projects/demo-test/tenants/another-tenant", ["disableAuth": true], method: "PATCH")
    #expect(try await fixture.owner(path + "/accounts:batchGet", method: "GET").error == "PROJECT_DISABLED")
    // An invalid tenant ID creates no tenant.
    #expect(try await Self.signUp(fixture, "ann@example.com", in: "../x").error == "TENANT_NOT_FOUND")
  }
}
