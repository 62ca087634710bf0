import Foundation
import HearthPlugin
import HearthTestKit
import HearthTree
import Synchronization
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

/// A claims source with claims from the test, which records its requests.
private final class ScriptedClaims: ClaimsSource {
  typealias Say = @Sendable (ClaimsRequest) async throws -> JSON

  let name: String
  private let kept = Mutex<[ClaimsRequest]>([])
  private let script: Mutex<Say>

  init(_ name: String = "plans", _ say: @escaping Say) {
    self.name = name
    script = Mutex(say)
  }

  var requests: [ClaimsRequest] { kept.withLock { $0 } }
  func says(_ say: @escaping Say) { script.withLock { $0 = say } }

  func claims(for request: ClaimsRequest) async throws -> ClaimsAnswer {
    kept.withLock { $0.append(request) }
    let say = script.withLock { $0 }
    return ClaimsAnswer(claims: try await say(request))
  }
}

@Suite("Claims that plugins add to tokens")
struct TokenClaimsTests {
  private struct Unavailable: Error {}
  private static let undecided = "BLOCKING_FUNCTION_ERROR_RESPONSE : plans could not provide the claims of the token."

  private static func fixture(
    _ sources: any ClaimsSource..., hooks: [any DecidingHook] = [],
    configure: (inout AccountsConfiguration) -> Void = { _ in }
  ) throws -> IdentityFixture {
    let fixture = try IdentityFixture(hooks: hooks, configure: configure)
    var plugins = PluginSet()
    plugins.claimsSources = sources
    fixture.accounts.context.plugins.setFurther(plugins)
    return fixture
  }

  @Test("Each token has the plugin's current claims, which override the account's claims and not the session's")
  func claims() async throws {
    let hook = ScriptedHook { event in
      guard event.moment == .beforeSignIn else { return .allow() }
      var changes = HookChanges(sessionClaims: ["c": "session"])
      changes.customClaims = .set(["a": "account", "b": "account", "c": "account"])
      return .allow(changes)
    }
    let source = ScriptedClaims { _ in ["b": "plugin", "c": "plugin", "plan": "gold"] }
    let fixture = try Self.fixture(source, hooks: [hook])
    let answer = try await fixture.signUp("a@b.example")
    func said(_ token: String) throws -> [String?] {
      let claims = try fixture.claims(token)
      return ["a", "b", "c", "plan"].map { claims[$0]?.string }
    }
    #expect(try said(answer.idToken) == ["account", "plugin", "session", "gold"])
    let first = try #require(source.requests.first)
    #expect(first.occasion == .signIn && first.signInProvider == "password" && first.user.email == "a@b.example")
    #expect(first.claims == ["a": "account", "b": "account", "c": "session"])
    source.says { _ in ["plan": "silver"] }
    let refreshed = try await fixture.refresh(answer.refreshToken)
    #expect(try said(refreshed.idToken) == ["account", "account", "session", "silver"])
    #expect(source.requests.map(\.occasion) == [.signIn, .refresh])
    source.says { _ in .object([]) }
    #expect(try said(try await fixture.refresh(refreshed.refreshToken).idToken)[3] == nil)
    // None of them is stored.
    #expect(fixture.user(answer.localID)?.customAttributes?.contains("plan") == false)
    // A session that continues after a change of password requests claims again, and keeps its own.
    source.says { _ in ["plan": "new"] }
    let changed = try await fixture.update(
      try await fixture.signIn("a@b.example").idToken, ["password": "another secret", "returnSecureToken": true])
    #expect(try said(changed.idToken) == ["account", "account", "session", "new"])
  }

  @Test("While the plugin fails, sign-ups and refreshes fail and change nothing; afterwards the session continues")
  func failure() async throws {
    let source = ScriptedClaims { _ in .object([]) }
    let fixture = try Self.fixture(source) { $0.refresh.rotates = true }
    let answer = try await fixture.signUp("a@b.example")
    source.says { _ in throw Unavailable() }
    let refused = try await fixture.signUp("c@d.example")
    #expect(refused.status == 503 && refused.error == Self.undecided)
    #expect(fixture.accounts.store.view.userCount == 1)
    #expect(fixture.accountsFixture.notices.contains { $0.text.contains("plans, called for claims, failed") })
    let unavailable = try await fixture.refresh(answer.refreshToken)
    // Without JSON, so that SDKs treat it as a bad connection and keep the session.
    #expect(unavailable.status == 503 && JSON(parsing: unavailable.response.body) == nil)
    #expect(try await fixture.refresh("hearth_refresh_made-up").error == "INVALID_REFRESH_TOKEN")
    source.says { _ in ["plan": "gold"] }
    #expect(try fixture.claims(try await fixture.refresh(answer.refreshToken).idToken)["plan"] == .string("gold"))
  }

  @Test("Invalid claims prevent the token")
  func badAnswers() async throws {
    let half = JSON.string(String(repeating: "x", count: 600))
    let hook = ScriptedHook { event in
      var changes = HookChanges()
      if event.moment == .beforeCreate { changes.customClaims = .set(["a": half]) }
      return .allow(changes)
    }
    let source = ScriptedClaims { _ in .null }
    let fixture = try Self.fixture(source, hooks: [hook])
    for claims in [.null, [1], "text", ["sub": "root"], ["firebase": [:]], ["b": half]] as [JSON] {
      source.says { _ in claims }
      #expect(try await fixture.signUp("a@b.example").error == Self.undecided, "\(claims)")
    }
    #expect(fixture.accounts.store.view.userCount == 0)
    // The plugin's claim replaces the account's claim of the same name and size, so the claims stay within their limit.
    source.says { _ in ["a": half] }
    #expect(try await fixture.signUp("a@b.example").status == 200)
  }

  @Test("Plugins are called in order, each with the claims of the plugins before it")
  func several() async throws {
    let first = ScriptedClaims("first") { _ in ["a": 1, "b": 1] }
    let second = ScriptedClaims("second") { _ in ["b": 2] }
    let fixture = try Self.fixture(first, second)
    let claims = try fixture.claims(try await fixture.anonymous().idToken)
    #expect(claims["a"] == .int(1) && claims["b"] == .int(2))
    #expect(second.requests.first?.claims == ["a": 1, "b": 1] && second.requests.first?.signInProvider == "anonymous")
    fixture.accounts.context.plugins.setFurther(PluginSet())
    #expect(try fixture.claims(try await fixture.anonymous().idToken)["a"] == nil)
    #expect(first.requests.count == 1, "a removed plugin is not asked")
  }
}
