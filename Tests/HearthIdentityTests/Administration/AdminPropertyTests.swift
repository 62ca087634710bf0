import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite struct AdminPropertyTests {
  private static let names = [
    "localId", "localIds", "email", "emailVerified", "phoneNumber", "password", "rawPassword", "displayName",
    "photoUrl",
    "disabled", "disableUser", "customAttributes", "validSince", "createdAt", "lastLoginAt", "lastSignedInAt",
    "lastRefreshAt", "passwordUpdatedAt", "providerUserInfo", "providerId", "rawId", "linkProviderUserInfo",
    "deleteAttribute", "deleteProvider", "mfa", "mfaInfo", "enrollments", "phoneInfo", "totpInfo", "sharedSecretKey",
    "mfaEnrollmentId", "enrolledAt", "users", "allowOverwrite", "sanityCheck", "hashAlgorithm", "signerKey", "rounds",
    "memoryCost", "passwordHash", "salt", "saltSeparator", "hearth", "argon2Parameters", "hashType", "maxResults",
    "nextPageToken", "limit", "offset", "sortBy", "order", "expression", "idToken", "validDuration", "from", "anchor",
    "sequence", "hash", "name", "kind", "kid", "id", "federatedUserId", "force", "initialEmail", "tenantId", "token",
  ]
  private static let texts = [
    "", "a", "bob", "bob@example.com", "+15550001", "SCRYPT", "HEARTH", "BCRYPT", "ARGON2_ID", "jxspr8Ki", "{}", "[1]",
    "{\"a\":1}", "\u{0}", "\u{301}", "2024-05-31T12:00:00Z", "9223372036854775807", "-1", "EMAIL", "google.com",
    "$scrypt$ln=20,r=32,p=16$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA", "JBSWY3DPEHPK3PXPJBSWY3DP",
  ]

  private static func value(_ random: inout SeededRandom, depth: Int) -> JSON {
    func pick<Element>(_ elements: [Element]) -> Element { elements[Int(random.next() % UInt64(elements.count))] }
    switch random.next() % (depth > 0 ? 9 : 6) {
    case 0: return .null
    case 1: return .bool(random.next() % 2 == 0)
    case 2: return .int(pick([0, 1, -1, 8, 1_000, .max, .min, 1_795_262_400]))
    case 3: return .double(pick([0.5, 1e300, -1e19]))
    case 4, 5: return .string(pick(texts))
    case 6: return .array((0..<random.next() % 4).map { _ in value(&random, depth: depth - 1) })
    default:
      return .object(
        (0..<random.next() % 6).map { _ in
          let name = pick(names)
          return JSON.Member(name, value(&random, depth: depth - 1))
        })
    }
  }

  @Test(
    "Security 60: any request of an administrator gets a response of the protocol, and the audit trail stays valid")
  func anything() async throws {
    let fixture = try AdminFixture(keys: AdminFixture.newKeys()) { $0.isEmulator = true }
    var random = SeededRandom(seed: 11)
    let operations = [
      "status", "users:export", "users:revoke", "tokens:standing", "serviceAccounts:list", "serviceAccounts:disable",
      "keys:list",
      "keys:remove", "secrets:list", "secrets:remove", "audit:tail", "audit:verify",
    ]
    for round in 0..<1_500 {
      let members = (0..<1 + random.next() % 8).map { _ in
        let name = Self.names[Int(random.next() % UInt64(Self.names.count))]
        return JSON.Member(name, Self.value(&random, depth: 3))
      }
      let call = try fixture.call("{}", isFromLoopback: true).with(.object(members))
      let accounts = fixture.accounts
      do throws(AccountError) {
        switch round % 9 {
        case 0: _ = try await UserEndpoints(accounts: accounts).create(call)
        case 1: _ = try await UserEndpoints(accounts: accounts).update(call.adding("localId", .string("bob")))
        case 2: _ = try await UserEndpoints(accounts: accounts).lookup(call)
        case 3, 4:
          let user = Self.value(&random, depth: 3).members ?? []
          let users = JSON.array([.object([JSON.Member("localId", .string("u\(round)"))] + user), .object(members)])
          _ = try await ImportEndpoints(accounts: accounts).create(call.adding("users", users))
        case 5: _ = try await BatchEndpoints(accounts: accounts).get(call)
        case 6: _ = try await BatchEndpoints(accounts: accounts).query(call)
        case 7: _ = try await UserEndpoints(accounts: accounts).createSessionCookie(call)
        default: _ = try await fixture.perform(operations[round / 9 % operations.count], call)
        }
      } catch {
        #expect(error.code != .internalError && error.code != .unavailable, "round \(round): \(error.message)")
      }
      if round == 10 { _ = try? await fixture.create(#"{"localId": "bob", "email": "bob@example.com"}"#) }
    }
    #expect(fixture.accounts.store.view.userCount > 50)
    #expect(try await fixture.administrate("audit:verify")["isWhole"] == .bool(true))
    #expect(!fixture.accountsFixture.notices.contains { $0.level == .error })
  }
}
