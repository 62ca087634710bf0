import Foundation
import HearthTree
import LiveServerKit
import Synchronization
import Testing

@testable import HearthClient

@Suite struct AuthTokenTests {
  @Test(
    "a token is refreshed shortly before it expires, once for any number of callers, and not earlier",
    arguments: NetworkCondition.reliable)
  func oneRefresh(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let user = try await fixture.auth.signInAnonymously().user
      let first = try await user.getIDToken()
      fixture.clock.advance(seconds: 3600 - 301)
      #expect(try await user.getIDToken() == first && fixture.transport.count("token") == 0)
      fixture.clock.advance(seconds: 2)
      let tokens = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<20 { group.addTask { try await user.getIDToken() } }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(fixture.transport.count("token") == 1 && tokens.count == 1)
      #expect(try await user.getIDToken() == tokens.first)
    }
  }

  @Test("a forced refresh during a fetch gets the fetched token", arguments: NetworkCondition.reliable)
  func forcedTogether(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let user = try await fixture.auth.signInAnonymously().user
      fixture.transport.hold("token")
      async let a = user.getIDToken(forcingRefresh: true)
      async let b = user.getIDToken(forcingRefresh: true)
      async let c = user.idTokenForcingRefresh(true)
      try await AuthFixture.until { fixture.transport.count("token") == 1 }
      fixture.transport.hold(nil)
      _ = try await (a, b, c)
      #expect((1...3).contains(fixture.transport.count("token")))
      let counted = fixture.transport.count("token")
      _ = try await user.getIDToken(forcingRefresh: true)
      #expect(fixture.transport.count("token") == counted + 1)
    }
  }

  @Test("a password change and a simultaneous refresh do not end the session", arguments: NetworkCondition.reliable)
  func refreshBesidePasswordChange(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let user = try await fixture.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
      fixture.transport.hold("accounts:update")
      async let change: Void = user.updatePassword(to: "secret2")
      try await AuthFixture.until { fixture.transport.count("accounts:update") == 1 }
      async let token = user.getIDToken(forcingRefresh: true)
      fixture.transport.hold(nil)
      _ = try await (change, token)
      #expect(fixture.auth.currentUser === user)
      _ = try await user.getIDToken(forcingRefresh: true)
    }
  }

  @Test("while a connection listens, tokens are renewed before they expire, until the session ends")
  func automatic() async throws {
    let (clock, transport) = (ManualClock(), CountingTransport(ScriptedTransport(FakeService().answer)))
    let auth = AuthFixture.auth(port: 1, transport: transport, clock: clock)
    let told = Mutex<[DatabaseCredential?]>([])
    let handle = auth.addCredentialListener { credential in told.withLock { $0.append(credential) } }
    let user = try await auth.signInAnonymously().user
    for round in 1...3 {
      try await AuthFixture.until { !clock.wakes.isEmpty }
      #expect(clock.wakes == [user.tokens.refreshAt])
      clock.advance(seconds: 3300)
      try await AuthFixture.until { told.withLock { $0.count } == round + 1 }
      #expect(transport.count("token") == round)
      #expect(told.withLock { $0.last??.token } == user.tokens.idToken)
    }
    #expect(told.withLock { Set($0.map { $0?.token }).count == 4 && $0.allSatisfy { $0?.userID == "u" } })
    try auth.signOut()
    try await AuthFixture.until { told.withLock { $0.count } == 5 && clock.wakes.isEmpty }
    #expect(told.withLock { $0.last == .some(nil) })
    auth.removeCredentialListener(handle)
    try await auth.signInAnonymously()
    #expect(clock.wakes.isEmpty && told.withLock { $0.count } == 5)
  }

  @Test("an unreachable server is retried after half a minute, and later with longer delays")
  func retries() async throws {
    let isDown = Mutex(false)
    let server = FakeService()
    let clock = ManualClock()
    let transport = CountingTransport(
      ScriptedTransport { request in
        if isDown.withLock({ $0 }) { throw AuthErrorCode.networkError.error() }
        return try server.answer(request)
      })
    let auth = AuthFixture.auth(port: 1, transport: transport, clock: clock)
    _ = auth.addCredentialListener { _ in }
    try await auth.signInAnonymously()
    isDown.withLock { $0 = true }
    var pauses: [TimeInterval] = []
    for _ in 0..<7 {
      try await AuthFixture.until { !clock.wakes.isEmpty }
      let pause = try #require(clock.wakes.first).timeIntervalSince(clock.now)
      pauses.append(pause)
      clock.advance(seconds: pause)
    }
    #expect(pauses == [3300, 30, 60, 120, 240, 480, 960])
    #expect(auth.currentUser != nil)
    try await AuthFixture.until { !clock.wakes.isEmpty }
    isDown.withLock { $0 = false }
    clock.advance(seconds: 960)
    try await AuthFixture.until { clock.wakes.first.map { $0.timeIntervalSince(clock.now) == 3300 } ?? false }
  }

  @Test(
    "tokens with a lifetime of a few minutes are not refreshed without a pause",
    arguments: ["300", "60", "1", "0", "-5", "x"])
  func shortLives(life: String) async throws {
    let server = FakeService()
    server.life.withLock { $0 = life }
    let clock = ManualClock()
    let auth = AuthFixture.auth(port: 1, transport: ScriptedTransport(server.answer), clock: clock)
    _ = auth.addCredentialListener { _ in }
    try await auth.signInAnonymously()
    try await AuthFixture.until { !clock.wakes.isEmpty }
    let pause = try #require(clock.wakes.first).timeIntervalSince(clock.now)
    #expect(pause == ["300": 150, "60": 30, "x": 3300][life] ?? 1)
  }

  @Test("a clock that was set back does not extend the use of an old token", arguments: NetworkCondition.reliable)
  func clockSetBack(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let user = try await fixture.auth.signInAnonymously().user
      fixture.clock.advance(seconds: -7200)
      _ = try await user.getIDToken()
      #expect(fixture.transport.count("token") == 1)
    }
  }

  @Test(
    "a connection gets the user's token, and none after the session has ended", arguments: NetworkCondition.reliable)
  func provider(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      #expect(try await credential(fixture.auth) == nil)
      let user = try await fixture.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
      let given = try #require(try await credential(fixture.auth))
      #expect(given.token == user.tokens.idToken && given.userID == user.uid)
      #expect(!"\(given)\(String(reflecting: given))".contains(given.token))
      let other = try fixture.another()
      try await other.signIn(withEmail: "ada@example.com", password: "secret1")
      try await user.delete()
      #expect(try await credential(fixture.auth) == nil)
      #expect(try await credential(other, forcing: true) == nil)
    }
  }

  private func credential(_ auth: Auth, forcing: Bool = false) async throws -> DatabaseCredential? {
    try await withCheckedThrowingContinuation { continuation in
      auth.credential(forcingRefresh: forcing) { continuation.resume(with: $0) }
    }
  }
}

/// A fake account service with one guest, for behaviour that a real one does not have.
final class FakeService: Sendable {
  let life = Mutex("3600")
  private let count = Mutex(0)

  @Sendable func answer(_ request: AuthRequest) throws -> AuthAnswer {
    let number = count.withLock { count in
      count += 1
      return count
    }
    let claims = Data(#"{"sub":"u","n":\#(number)}"#.utf8).base64EncodedString()
    let token = "e30.\(claims.replacing("=", with: "")).x"
    let life = life.withLock { $0 }
    let text =
      switch request.url.lastPathComponent {
      case "accounts:lookup": #"{"users":[{"localId":"u"}]}"#
      case "token": #"{"id_token":"\#(token)","refresh_token":"r","expires_in":"\#(life)"}"#
      default: #"{"idToken":"\#(token)","refreshToken":"r","expiresIn":"\#(life)","localId":"u"}"#
      }
    return AuthAnswer(status: 200, body: Array(text.utf8))
  }
}
