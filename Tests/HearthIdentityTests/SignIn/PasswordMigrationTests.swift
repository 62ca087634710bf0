import Foundation
import HearthEngine
import HearthPlugin
import HearthTestKit
import HearthTree
import Synchronization
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

/// An external system with one user, which records its requests.
private final class ExternalSystem: PasswordChecker {
  typealias Answer = @Sendable (PasswordCheck) async throws -> PasswordCheckAnswer

  let name = "old-shop"
  private let kept = Mutex<[PasswordCheck]>([])
  private let script: Mutex<Answer>

  static let user: ForeignAccount = {
    var account = ForeignAccount(email: "Ann@Example.com", uid: "shop-17", isEmailVerified: true)
    account.displayName = "Ann"
    account.customClaims = ["customer": 17]
    return account
  }()

  static func plain(_ question: PasswordCheck) -> PasswordCheckAnswer {
    question.email == "ann@example.com" && question.password == "old secret" ? .user(user) : .wrong
  }

  init(_ answer: @escaping Answer = { plain($0) }) { script = Mutex(answer) }

  var questions: [PasswordCheck] { kept.withLock { $0 } }
  func does(_ answer: @escaping Answer) { script.withLock { $0 = answer } }

  func check(_ question: PasswordCheck) async throws -> PasswordCheckAnswer {
    kept.withLock { $0.append(question) }
    let answer = script.withLock { $0 }
    return try await answer(question)
  }
}

@Suite("Users whose passwords an external system holds")
struct PasswordMigrationTests {
  private static let wrong = "INVALID_LOGIN_CREDENTIALS"
  private static let undecided = "BLOCKING_FUNCTION_ERROR_RESPONSE : old-shop could not check the password."

  private static func fixture(
    _ old: ExternalSystem, hooks: [any DecidingHook] = [], configure: (inout AccountsConfiguration) -> Void = { _ in }
  ) throws -> IdentityFixture {
    let fixture = try IdentityFixture(hooks: hooks, configure: configure)
    var plugins = PluginSet()
    plugins.passwordCheckers = [old]
    fixture.accounts.setFurtherPlugins(plugins)
    return fixture
  }

  @Test(
    "A password of the external system signs in and creates an account, and the system is not asked again")
  func migration() async throws {
    let (old, hook) = (ExternalSystem(), ScriptedHook())
    // Migration is allowed also when sign-up is not.
    let fixture = try Self.fixture(old, hooks: [hook]) { $0.allowsSignUp = false }
    let answer = try await fixture.signIn("ANN@example.com", "old secret")
    #expect(answer.status == 200 && answer.localID == "shop-17", "\(answer.text)")
    #expect(old.questions.map(\.email) == ["ann@example.com"] && old.questions.first?.uid == nil)
    #expect(hook.moments == [.beforeCreate, .beforeSignIn] && hook.events.allSatisfy { $0.isNewUser })
    let claims = try fixture.claims(answer.idToken)
    #expect(
      claims["customer"] == .int(17) && claims["email_verified"] == .bool(true) && claims["name"] == .string("Ann"))
    let user = try #require(fixture.user("shop-17"))
    #expect(user.email == "ann@example.com" && user.password?.hash.hasPrefix("$scrypt$") == true)
    #expect(
      fixture.accounts.store.view.auditTail(limit: 10).contains {
        $0.fields["detail"]?.string == "password, known to old-shop"
      })
    #expect(try await fixture.signIn("ann@example.com", "old secret").localID == "shop-17")
    #expect(old.questions.count == 1)
    // A wrong password takes as long as an unknown address, and the external system receives no further data.
    #expect(try await fixture.signIn("ann@example.com", "wrong").error == Self.wrong)
    let second = try #require(old.questions.last)
    #expect(old.questions.count == 2 && second.email.hasSuffix("@hearth.invalid") && second.password != "wrong")
    #expect(!"\(second)".contains(second.password) && second.uid == nil)
  }

  @Test(
    "A wrong password gets the same answer with and without an account: after one request, or at once without protection"
  )
  func evenness() async throws {
    let old = ExternalSystem()
    let fixture = try Self.fixture(old)
    _ = try await fixture.signUp("here@example.com")
    for email in ["here@example.com", "ann@example.com", "nobody@example.com"] {
      let count = old.questions.count
      #expect(try await fixture.signIn(email, "wrong one").error == Self.wrong)
      #expect(old.questions.count == count + 1)
    }
    let open = try Self.fixture(old) { $0.protectsFromEnumeration = false }
    _ = try await open.signUp("here@example.com")
    let count = old.questions.count
    #expect(try await open.signIn("here@example.com", "wrong one").error == "INVALID_PASSWORD")
    #expect(old.questions.count == count)
    #expect(try await open.signIn("ann@example.com", "wrong one").error == "EMAIL_NOT_FOUND")
  }

  @Test("A failing plugin is reported for every password that is not local, and the attempts count")
  func failure() async throws {
    struct Unavailable: Error {}
    let old = ExternalSystem { _ in throw Unavailable() }
    let fixture = try Self.fixture(old) { $0.limits.accountFailuresFree = 3 }
    _ = try await fixture.signUp("here@example.com")
    for email in ["here@example.com", "ann@example.com"] {
      for _ in 0..<3 {
        let answer = try await fixture.signIn(email, "old secret")
        #expect(answer.status == 503 && answer.error == Self.undecided)
      }
      #expect(try await fixture.signIn(email, "old secret").error?.hasPrefix("TOO_MANY_ATTEMPTS") == true)
    }
    #expect(old.questions.count == 6, "what is locked asks nobody")
    #expect(fixture.accountsFixture.notices.contains { $0.text.contains("old-shop") })
    #expect(fixture.accountsFixture.notices.allSatisfy { !$0.text.contains("old secret") && !$0.text.contains("ann@") })
    // A user with a local password needs no plugin.
    _ = try await fixture.signUp("other@example.com")
    #expect(try await fixture.signIn("other@example.com").status == 200)
    #expect(fixture.accounts.store.view.userCount == 2)
  }

  @Test("An invalid answer of the plugin is refused")
  func badAnswers() async throws {
    let old = ExternalSystem()
    let fixture = try Self.fixture(old) { $0.limits.accountFailuresFree = 100 }
    var accounts = [ForeignAccount(email: "anne@example.com"), ForeignAccount(email: "")]
    for claims in [["sub": "root"], [1], ["a": .string(String(repeating: "x", count: 1_000))]] as [JSON] {
      var account = ExternalSystem.user
      account.customClaims = claims
      accounts.append(account)
    }
    var account = ExternalSystem.user
    account.uid = "a\u{0}b"
    accounts.append(account)
    account = ExternalSystem.user
    account.displayName = String(repeating: "x", count: 1_025)
    accounts.append(account)
    for account in accounts {
      old.does { _ in .user(account) }
      let answer = try await fixture.signIn("ann@example.com", "old secret")
      #expect(answer.error == Self.undecided, "\(account)")
    }
    #expect(fixture.accounts.store.view.userCount == 0)
  }

  @Test("Deleted and disabled accounts stay so despite the external system's answer")
  func gone() async throws {
    let old = ExternalSystem()
    let fixture = try Self.fixture(old)
    _ = try await fixture.signIn("ann@example.com", "old secret")
    try await fixture.change("shop-17") { $0.isDisabled = true }
    #expect(try await fixture.signIn("ann@example.com", "old secret").error == "USER_DISABLED")
    #expect(old.questions.count == 1)
    try await fixture.accounts.changes.deletion.delete(uid: "shop-17", client: fixture.accountsFixture.client())
    #expect(try await fixture.signIn("ann@example.com", "old secret").error == Self.wrong)
    #expect(old.questions.last?.email.hasSuffix("@hearth.invalid") == true)
    // The external system has changed the user's address meanwhile.
    old.does { _ in .user(ForeignAccount(email: "ann@new.example", uid: "shop-17")) }
    #expect(try await fixture.signIn("ann@new.example", "old secret").error == Self.wrong)
    #expect(fixture.accounts.store.view.userCount == 0)
    // The user may sign up again; the account inherits nothing from the deleted one.
    let back = try await fixture.signUp("ann@example.com", "another secret")
    #expect(back.status == 200 && back.localID != "shop-17")
    #expect(try await fixture.signIn("ann@example.com", "old secret").error == Self.wrong)
  }

  @Test("A changed address does not sign in with its former value, and no account gets another's uid")
  func taken() async throws {
    let old = ExternalSystem()
    let fixture = try Self.fixture(old)
    _ = try await fixture.signIn("ann@example.com", "old secret")
    try await fixture.change("shop-17") { $0.email = "ann@new.example" }
    #expect(try await fixture.signIn("ann@example.com", "old secret").error == Self.wrong)
    old.does { _ in .user(ForeignAccount(email: "eve@example.com", uid: "shop-17")) }
    #expect(try await fixture.signIn("eve@example.com", "x").error == Self.wrong)
    #expect(fixture.accountsFixture.notices.contains { $0.text.contains("another account has or had") })
    #expect(fixture.user("shop-17")?.email == "ann@new.example" && fixture.accounts.store.view.userCount == 1)
  }

  @Test("Two concurrent first sign-ins create one account, and both succeed; a wrong password beside them fails")
  func parallel() async throws {
    let gate = Gate()
    let old = ExternalSystem { question in
      await gate.pass()
      return question.password == "guess" ? .wrong : ExternalSystem.plain(question)
    }
    let fixture = try Self.fixture(old)
    async let one = fixture.signIn("ann@example.com", "old secret")
    async let two = fixture.signIn("ann@example.com", "old secret")
    async let three = fixture.signIn("ann@example.com", "guess")
    await gate.reached(3)
    gate.open()
    let answers = try await [one, two, three]
    #expect(answers.map(\.status) == [200, 200, 400])
    #expect(answers.prefix(2).allSatisfy { $0.localID == "shop-17" })
    #expect(fixture.accounts.store.view.userCount == 1)
  }

  @Test("A sign-in that a hook refuses changes no account, and the next one calls the plugin again")
  func refusedByHook() async throws {
    let (old, hook) = (ExternalSystem(), ScriptedHook { _ in .deny(message: "The shop is closed.") })
    let fixture = try Self.fixture(old, hooks: [hook])
    #expect(try await fixture.signIn("ann@example.com", "old secret").error?.contains("closed") == true)
    #expect(fixture.accounts.store.view.userCount == 0)
    hook.does { _ in .allow() }
    #expect(try await fixture.signIn("ann@example.com", "old secret").localID == "shop-17")
    #expect(old.questions.count == 2)
  }

  @Test(
    "An account imported without its password is migrated; the plugin is not asked about other accounts without one")
  func imported() async throws {
    let old = ExternalSystem { $0.password == "old secret" ? .user(ForeignAccount(email: $0.email)) : .wrong }
    let fixture = try Self.fixture(old)
    let elsewhere = StoredPassword(hash: StoredPassword.elsewhereHash, updatedAtMilliseconds: 1)
    func add(_ uid: String, _ password: StoredPassword?) async throws {
      try await fixture.accounts.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
        var user = UserRecord(uid: uid, createdAtMilliseconds: 1)
        user.email = "\(uid)@example.com"
        user.password = password
        user.customAttributes = #"{"role":"ed"}"#
        try transaction.insert(user)
      }
    }
    for uid in ["ann", "bob", "cid"] { try await add(uid, elsewhere) }
    try await add("dan", nil)
    #expect(try await fixture.signIn("dan@example.com", "old secret").error == Self.wrong)
    #expect(old.questions.last?.email.hasSuffix("@hearth.invalid") == true)
    #expect(try await fixture.signIn("ann@example.com", StoredPassword.elsewhereHash).error == Self.wrong)
    #expect(old.questions.last?.uid == "ann")
    let answer = try await fixture.signIn("ann@example.com", "old secret")
    #expect(answer.localID == "ann")
    #expect(try fixture.claims(answer.idToken)["role"] == .string("ed"))
    #expect(fixture.user("ann")?.password?.hash.hasPrefix("$scrypt$") == true)
    let count = old.questions.count
    #expect(try await fixture.signIn("ann@example.com", "old secret").status == 200)
    #expect(old.questions.count == count)
    // Another user's uid, a disabled account, and one with another password.
    old.does { _ in .user(ForeignAccount(email: "bob@example.com", uid: "eve")) }
    #expect(try await fixture.signIn("bob@example.com", "old secret").error == Self.wrong)
    old.does { .user(ForeignAccount(email: $0.email)) }
    try await fixture.change("bob") { $0.isDisabled = true }
    #expect(try await fixture.signIn("bob@example.com", "old secret").error == "USER_DISABLED")
    try await fixture.change("cid") { $0.password = nil }
    #expect(try await fixture.signIn("cid@example.com", "old secret").error == Self.wrong)
    for uid in ["bob", "cid"] {
      try await fixture.accounts.changes.deletion.delete(uid: uid, client: fixture.accountsFixture.client())
      #expect(try await fixture.signIn("\(uid)@example.com", "old secret").error == Self.wrong)
    }
    #expect(fixture.accounts.store.view.userCount == 2)
  }
}
