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

@Suite("Blocking hooks")
struct HookTests {
  private static let everything: HookChanges = {
    var changes = HookChanges(sessionClaims: ["tier": "session", "s": 1])
    changes.displayName = .set("N")
    changes.photoURL = .set("https://p.example/1")
    changes.isEmailVerified = true
    changes.customClaims = .set(["role": "ed", "tier": "user"])
    return changes
  }()

  @Test(
    "Changes of beforeCreate are passed to beforeSignIn and stored with the first session; its session claims are ignored"
  )
  func creation() async throws {
    let hook = ScriptedHook { $0.moment == .beforeCreate ? .allow(Self.everything) : .allow() }
    let fixture = try IdentityFixture(hooks: [hook])
    let answer = try await fixture.signUp("a@b.example")
    #expect(answer.json["displayName"] == "N")
    #expect(hook.moments == [.beforeCreate, .beforeSignIn])
    #expect(Set(hook.events.map(\.id)).count == 2)
    let second = try #require(hook.events.last)
    #expect(second.isNewUser && second.user.displayName == "N" && second.user.isEmailVerified)
    #expect(second.user.customClaims == ["role": "ed", "tier": "user"])
    #expect(second.user.identities.map(\.providerID) == ["password"])
    let user = try #require(fixture.user(answer.localID))
    #expect(user.photoURL == "https://p.example/1" && user.isEmailVerified)
    let claims = try fixture.claims(answer.idToken)
    #expect(claims["tier"] == .string("user") && claims["s"] == nil && claims["name"] == .string("N"))
  }

  @Test("Changes of beforeSignIn are stored, and its session claims take precedence and survive a refresh")
  func signIn() async throws {
    let hook = ScriptedHook()
    let fixture = try IdentityFixture(hooks: [hook])
    let uid = try await fixture.signUp("a@b.example").localID
    hook.forget()
    hook.does { _ in .allow(Self.everything) }
    let answer = try await fixture.signIn("a@b.example")
    #expect(hook.moments == [.beforeSignIn])
    #expect(hook.events.first?.isNewUser == false)
    #expect(fixture.user(uid)?.displayName == "N")
    let claims = try fixture.claims(try await fixture.refresh(answer.refreshToken).idToken)
    #expect(claims["tier"] == .string("session") && claims["s"] == .int(1) && claims["role"] == .string("ed"))
    #expect(hook.moments == [.beforeSignIn], "a refresh asks nobody")
    hook.does { _ in
      var changes = HookChanges()
      changes.displayName = .cleared
      changes.photoURL = .cleared
      changes.customClaims = .cleared
      return .allow(changes)
    }
    let cleared = try fixture.claims(try await fixture.signIn("a@b.example").idToken)
    #expect(cleared["role"] == nil && cleared["tier"] == nil && cleared["name"] == nil)
    #expect(fixture.user(uid)?.displayName == nil && fixture.user(uid)?.photoURL == nil)
  }

  @Test(
    "A new account is stored after both hooks allowed it; a refusal stores none",
    arguments: HookEvent.Moment.allCases)
  func nothingLeft(refusing moment: HookEvent.Moment) async throws {
    let hook = ScriptedHook()
    let fixture = try IdentityFixture(hooks: [hook])
    hook.does { [fixture] event in
      #expect(fixture.accounts.store.view.userCount == 0)
      #expect(fixture.accounts.store.view.user(email: "a@b.example") == nil)
      if event.moment == moment { throw HookFailure.deadlineExceeded }
      return .allow()
    }
    let refused = try await fixture.signUp("a@b.example")
    #expect(refused.status == 503)
    #expect(refused.error == "BLOCKING_FUNCTION_ERROR_RESPONSE : Cloud function deadline exceeded.")
    #expect(fixture.accounts.store.view.userCount == 0)
    hook.does { _ in .allow() }
    #expect(try await fixture.signUp("a@b.example").status == 200)
  }

  @Test("Of two sign-ups with one address the second waits for a hanging hook, and is refused without a hook call")
  func parallel() async throws {
    let gate = Gate()
    let hook = ScriptedHook { event in
      if event.moment == .beforeCreate { await gate.pass() }
      return .allow()
    }
    let fixture = try IdentityFixture(hooks: [hook])
    async let one = fixture.signUp("a@b.example")
    await gate.reached(1)
    async let two = fixture.signUp("a@b.example")
    await Self.untilWaiting(1, in: fixture)
    gate.open()
    let answers = try await [one, two]
    #expect(answers.map(\.status) == [200, 400])
    #expect(answers.compactMap(\.error) == ["EMAIL_EXISTS"])
    #expect(hook.moments == [.beforeCreate, .beforeSignIn])
    #expect(fixture.accounts.store.view.userCount == 1)
  }

  @Test("Two concurrent first sign-ins at a provider create one account, and both succeed")
  func parallelFederated() async throws {
    let gate = Gate()
    let hook = ScriptedHook { event in
      if event.moment == .beforeCreate { await gate.pass() }
      return .allow()
    }
    let fixture = try IdentityFixture(hooks: [hook])
    async let one = fixture.federated("g1~a@b.example~yes")
    await gate.reached(1)
    async let two = fixture.federated("g1~a@b.example~yes")
    await Self.untilWaiting(1, in: fixture)
    gate.open()
    let answers = try await [one, two]
    #expect(answers.map(\.status) == [200, 200])
    #expect(answers[0].localID == answers[1].localID)
    #expect(hook.moments.filter { $0 == .beforeCreate }.count == 1)
    #expect(hook.events.map(\.isNewUser).sorted { $0 && !$1 } == [true, true, false])
    #expect(fixture.accounts.store.view.userCount == 1)
  }

  @Test("A sign-in that waited for a refused sign-up calls the hook like any other")
  func refusedFirst() async throws {
    let gate = Gate()
    let asked = Mutex(0)
    let hook = ScriptedHook { event in
      guard event.moment == .beforeCreate else { return .allow() }
      let number = asked.withLock { asked in
        asked += 1
        return asked
      }
      await gate.pass()
      return number == 1 ? .deny(message: "not you") : .allow()
    }
    let fixture = try IdentityFixture(hooks: [hook])
    async let one = fixture.signUp("a@b.example")
    await gate.reached(1)
    async let two = fixture.signUp("a@b.example")
    await Self.untilWaiting(1, in: fixture)
    gate.open()
    let answers = try await [one, two]
    #expect(answers.map(\.status) == [400, 200])
    #expect(answers[0].error?.hasPrefix("BLOCKING_FUNCTION_ERROR_RESPONSE") == true)
    #expect(fixture.accounts.store.view.userCount == 1)
  }

  @Test("Waiting sign-ups of one address are bounded in number and time; other addresses do not wait")
  func boundedWait() async throws {
    let gate = Gate()
    let hook = ScriptedHook { event in
      if event.moment == .beforeCreate, event.user.email == "a@b.example" { await gate.pass() }
      return .allow()
    }
    let fixture = try IdentityFixture(hooks: [hook])
    async let first = fixture.signUp("a@b.example")
    await gate.reached(1)
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<NameReservations.waitersMax { group.addTask { try await fixture.signUp("a@b.example").status } }
      await Self.untilWaiting(NameReservations.waitersMax, in: fixture)
      #expect(try await fixture.signUp("a@b.example").status == 503)
      #expect(try await fixture.signUp("c@d.example").status == 200)
      fixture.accountsFixture.advance(milliseconds: NameReservations.waitMilliseconds)
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: 503, count: NameReservations.waitersMax))
    gate.open()
    #expect(try await first.status == 200)
    #expect(try await fixture.signUp("a@b.example").error == "EMAIL_EXISTS")
  }

  /// Waits until this many sign-ups wait for addresses that others have reserved.
  private static func untilWaiting(_ count: Int, in fixture: IdentityFixture) async {
    while fixture.accounts.sessions.admission.names.waiterCount < count { await Task.yield() }
  }

  @Test("An account that beforeCreate disables is stored disabled, without a call of beforeSignIn")
  func bornShut() async throws {
    let hook = ScriptedHook { _ in
      var changes = HookChanges()
      changes.isDisabled = true
      return .allow(changes)
    }
    let fixture = try IdentityFixture(hooks: [hook])
    #expect(try await fixture.signUp("a@b.example").error == "USER_DISABLED")
    #expect(hook.moments == [.beforeCreate])
    #expect(fixture.accounts.store.view.user(email: "a@b.example")?.isDisabled == true)
  }

  @Test("An account that beforeSignIn disables is stored disabled, and its tokens end")
  func shut() async throws {
    let hook = ScriptedHook()
    let fixture = try IdentityFixture(hooks: [hook])
    let old = try await fixture.signUp("a@b.example")
    hook.does { _ in
      var changes = HookChanges()
      changes.isDisabled = true
      return .allow(changes)
    }
    #expect(try await fixture.signIn("a@b.example").error == "USER_DISABLED")
    #expect(fixture.user(old.localID)?.isDisabled == true)
    #expect(try await fixture.refresh(old.refreshToken).error == "USER_DISABLED")
    #expect(fixture.revocationEvents == [.userDisabled])
    // A new account has no revocation.
    #expect(try await fixture.signUp("c@d.example").error == "USER_DISABLED")
  }

  @Test("An answer that violates the contract refuses the sign-in")
  func rules() async throws {
    let hook = ScriptedHook()
    let fixture = try IdentityFixture(hooks: [hook])
    func error(_ changes: HookChanges) async throws -> String? {
      hook.does { _ in .allow(changes) }
      let answer = try await fixture.signUp("a@b.example")
      #expect(fixture.accounts.store.view.userCount == 0)
      return answer.error
    }
    let long = String(repeating: "x", count: 990)
    var changes = HookChanges()
    changes.customClaims = .set(["sub": "root"])
    #expect(try await error(changes) == "FORBIDDEN_CLAIM : sub")
    changes.customClaims = .set([1])
    #expect(try await error(changes) == "INVALID_CLAIMS")
    changes.customClaims = .set(["a": .string(long + long)])
    #expect(try await error(changes) == "CLAIMS_TOO_LARGE")
    changes.customClaims = .set(["a": .string(long)])
    changes.sessionClaims = ["b": .string(long)]
    #expect(try await error(changes) == "CLAIMS_TOO_LARGE", "together they are too large")
    changes = HookChanges()
    changes.displayName = .set(String(repeating: "x", count: 1_025))
    #expect(
      try await error(changes)
        == "BLOCKING_FUNCTION_ERROR_RESPONSE : The function's displayName is longer than 1024 bytes.")
  }

  @Test("Separators in a denial do not split the client's error message")
  func separators() async throws {
    let fixture = try IdentityFixture(hooks: [ScriptedHook { _ in .deny(message: "no : not : you") }])
    #expect(try await fixture.signUp("a@b.example").error == "BLOCKING_FUNCTION_ERROR_RESPONSE : no: not: you")
    let away = try IdentityFixture(hooks: [ScriptedHook { _ in throw HookFailure.unreachable }])
    let answer = try await away.signUp("a@b.example")
    #expect(answer.status == 503)
    #expect(answer.error == "BLOCKING_FUNCTION_ERROR_RESPONSE : Cloud function could not be reached.")
  }

  @Test("Linking another provider calls beforeSignIn; linking an address and password calls no hook")
  func linking() async throws {
    let hook = ScriptedHook(wantedTokens: [.idToken])
    let fixture = try IdentityFixture(hooks: [hook])
    let anonymous = try await fixture.anonymous()
    hook.forget()
    hook.does { _ in .allow(HookChanges(sessionClaims: ["linked": true])) }
    let linked = try await fixture.federated("g1~a@b.example~yes", ["idToken": .string(anonymous.idToken)])
    #expect(hook.moments == [.beforeSignIn])
    let event = try #require(hook.events.first)
    #expect(event.signInMethod == "google.com" && !event.isNewUser)
    #expect(event.credential?.idToken == "g1~a@b.example~yes")
    #expect(try fixture.claims(linked.idToken)["linked"] == .bool(true))
    hook.forget()
    let body: JSON = [
      "idToken": .string(try await fixture.anonymous().idToken), "email": "c@d.example", "password": "correct horse",
    ]
    hook.forget()
    #expect(try await fixture.post("accounts:signUp", body).status == 200)
    #expect(hook.moments == [])
  }

  @Test("A provider's tokens are sent only to hooks that request them")
  func tokens() async throws {
    let (nosy, plain) = (ScriptedHook(wantedTokens: [.idToken, .accessToken]), ScriptedHook())
    let fixture = try IdentityFixture(hooks: [nosy, plain])
    let body = "id_token=g1~a@b.example~yes&access_token=AT&refresh_token=RT&expires_in=3599&providerId=google.com"
    _ = try await fixture.post(
      "accounts:signInWithIdp", ["requestUri": "http://localhost", "postBody": .string(body)])
    let told = try #require(nosy.events.first?.credential)
    #expect(told.idToken != nil && told.accessToken == "AT" && told.expiresInSeconds == 3599)
    #expect(told.refreshToken == nil)
    let little = try #require(plain.events.first?.credential)
    #expect(little.idToken == nil && little.accessToken == nil && little.expiresInSeconds == nil)
    #expect(!"\(told)".contains("AT"))
  }

  @Test("Hook requests hold no password, hash or token")
  func nothingSecret() async throws {
    let hook = ScriptedHook()
    let fixture = try IdentityFixture(hooks: [hook])
    let answer = try await fixture.signUp("a@b.example")
    _ = try await fixture.signIn("a@b.example")
    let hash = try #require(fixture.user(answer.localID)?.password?.hash)
    for event in hook.events {
      let text = String(decoding: try JSONEncoder().encode(event), as: UTF8.self)
      for secret in [hash, IdentityFixture.password, answer.refreshToken, answer.idToken] {
        #expect(!text.contains(secret))
      }
      #expect(try JSONDecoder().decode(HookEvent.self, from: Data(text.utf8)) == event)
    }
  }

  @Test(
    "Verdicts in JSON name the changed members",
    arguments: [
      (#"{"allow":{}}"#, HookVerdict.allow()),
      (#"{"deny":{"message":"no"}}"#, .deny(message: "no")),
      (#"{"allow":{"displayName":null,"disabled":true,"sessionClaims":{"a":1}}}"#, .allow(Self.some)),
    ])
  func json(text: String, verdict: HookVerdict) throws {
    #expect(try JSONDecoder().decode(HookVerdict.self, from: Data(text.utf8)) == verdict)
    let written = String(decoding: try JSONEncoder().encode(verdict), as: UTF8.self)
    #expect(try JSONDecoder().decode(HookVerdict.self, from: Data(written.utf8)) == verdict)
    for bad in ["{}", #"{"allow":{},"deny":{"message":""}}"#, #"{"deny":{}}"#, #"{"allow":{"disabled":1}}"#] {
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(HookVerdict.self, from: Data(bad.utf8)) }
    }
  }

  private static let some: HookChanges = {
    var changes = HookChanges(sessionClaims: ["a": 1])
    changes.displayName = .cleared
    changes.isDisabled = true
    return changes
  }()
}
