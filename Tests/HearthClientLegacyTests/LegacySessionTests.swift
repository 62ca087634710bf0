import Foundation
import HearthClient
import HearthTestKit
import HearthTree
import LiveServerKit
import Testing

@testable import HearthClientLegacy

extension LegacyTests {
  @Suite struct LegacySessionTests {
    // Without network conditions that cut: an account request is sent once, and a cut is reported to its app.
    @Test("creating, changing and removing accounts signs no user in", arguments: NetworkCondition.reliable)
    func accounts(over network: NetworkCondition) async throws {
      try await LegacyFixture.with(over: network) { fixture async throws in
        let ref = fixture.ref
        func code(_ work: (@escaping @Sendable (NSError?) -> Void) -> Void) async -> Int? { await called(work)?.code }
        let uid: String? = await called { done in
          ref.createUser(
            "ada@example.com", password: "secret1", withValueCompletionBlock: { done($1?["uid"] as? String) })
        }
        #expect(uid != nil && ref.authData == nil)
        #expect(
          await code { ref.createUser("ada@example.com", password: "secret1", withCompletionBlock: $0) }
            == FAuthenticationError.emailTaken.rawValue)
        #expect(await code { ref.createUser("nothing", password: "secret1", withCompletionBlock: $0) } == -5)
        #expect(
          await code {
            ref.changePasswordForUser("ada@example.com", fromOld: "wrong12", toNew: "secret2", withCompletionBlock: $0)
          } == -6)
        #expect(
          await code {
            ref.changePasswordForUser("ada@example.com", fromOld: "secret1", toNew: "secret2", withCompletionBlock: $0)
          } == nil)
        #expect(
          await code {
            ref.changeEmailForUser(
              "ada@example.com", password: "secret2", toNewEmail: "new@example.com", withCompletionBlock: $0)
          } == nil)
        #expect(await code { ref.resetPasswordForUser("new@example.com", withCompletionBlock: $0) } == nil)
        #expect(try await fixture.test.mailer.link(.resetPassword).contains("oobCode="))
        let (error, data): (NSError?, FAuthData?) = await called { done in
          ref.authUser("new@example.com", password: "secret2") { done(($0, $1)) }
        }
        #expect(error == nil && data?.uid == uid && data?.provider == "password" && ref.authData?.uid == uid)
        #expect(data?.providerData["email"] as? String == "new@example.com" && data?.auth["uid"] as? String == uid)
        #expect(try #require(data).expires.doubleValue > Date().timeIntervalSince1970)
        #expect(
          await code { ref.removeUser("new@example.com", password: "secret2", withCompletionBlock: $0) } == nil)
        #expect(ref.authData == nil)
        // No URL contained a password.
        #expect(!fixture.test.log.lines.contains { $0.contains("secret2") })
      }
    }

    // Without network conditions that cut: an account request is sent once, and a cut is reported to its app.
    @Test(
      "anonymous users, other providers, custom tokens and the secret sign in; the rules see the identity",
      arguments: NetworkCondition.reliable
    )
    func signIn(over network: NetworkCondition) async throws {
      try await LegacyFixture.with(
        over: network, rules: #"{"rules":{"$uid":{".write":"auth.uid===$uid"},"admin":{".read":false}}}"#
      ) {
        fixture in
        let ref = fixture.ref
        let guest: FAuthData? = await called { done in ref.authAnonymouslyWithCompletionBlock { done($1) } }
        let uid = try #require(guest?.uid)
        #expect(guest?.provider == "anonymous" && uid.hasPrefix("anonymous:"))
        let written: NSError? = await called { done in
          ref.childByAppendingPath(uid).setValue(1, withCompletionBlock: { e, _ in done(e) })
        }
        #expect(written == nil)
        let denied: NSError? = await called { done in
          ref.childByAppendingPath("other").setValue(1, withCompletionBlock: { e, _ in done(e) })
        }
        #expect(denied?.code == 1)
        let google: FAuthData? = await called { done in
          ref.authWithOAuthProvider("google", token: "person:7") { done($1) }
        }
        #expect(google?.uid == "google:7" && google?.providerData["displayName"] as? String == "Person 7")
        let unknown: Int? = await called { done in
          ref.authWithOAuthProvider("nobody", parameters: ["oauth_token": "x"]) { error, _ in done(error?.code) }
        }
        #expect(unknown == FAuthenticationError.invalidProvider.rawValue && ref.authData?.uid == "google:7")
        let token = try fixture.test.token(uid: "ada")
        let custom: FAuthData? = await called { done in ref.authWithCustomToken(token) { done($1) } }
        #expect(custom?.uid == "ada" && custom?.token == token && custom?.auth["uid"] as? String == "ada")
        let secret: FAuthData? = await called { done in
          ref.authWithCustomToken((try? fixture.test.secret) ?? "") { done($1) }
        }
        #expect(secret != nil && secret?.uid == nil && secret?.token == "" && secret?.provider == "custom")
        let reverse: Int? = await called { done in
          ref.makeReverseOAuthRequestTo("twitter") { error, json in done(json == nil ? error?.code : 0) }
        }
        #expect(reverse == FAuthenticationError.invalidArguments.rawValue)
      }
    }

    @Test(
      "observers are called with the user at once and at each change, and the cancel block at the end",
      arguments: NetworkCondition.all
    )
    func observers(over network: NetworkCondition) async throws {
      try await LegacyFixture.with(over: network) { fixture async throws in
        let ref = fixture.another()
        let heard = Calls<String?>()
        let handle = ref.observeAuthEventWithBlock { heard.add($0?.uid) }
        let token = try fixture.test.token(uid: "ada")
        let cancelled = Calls<Int>()
        let signedIn: Bool = await called { done in
          ref.authWithCredential(
            token, withCompletionBlock: { error, data in done(error == nil && data != nil) },
            withCancelBlock: { cancelled.add($0.code) })
        }
        #expect(signedIn)
        let refused: Int? = await called { done in ref.authWithCustomToken("rubbish") { error, _ in done(error?.code) }
        }
        #expect(refused == FAuthenticationError.invalidToken.rawValue)
        try await heard.wait(for: 3)
        try await cancelled.wait(for: 1)
        #expect(heard.all == [nil, "ada", nil] && ref.authData == nil)
        let again: FAuthData? = await called { done in ref.authWithCustomToken(token) { done($1) } }
        #expect(again?.uid == "ada")
        let out: NSError? = await called { done in ref.unauthWithCompletionBlock { done($0) } }
        #expect(out == nil && ref.authData == nil)
        ref.unauth()
        try await heard.wait(for: 5)
        ref.removeAuthEventObserverWithHandle(handle)
        _ = await called { done in ref.authWithCustomToken(token) { done($1?.uid) } }
        #expect(heard.all == [nil, "ada", nil, "ada", nil])
      }
    }

    @Test("an overtaken sign-in fails with an error; a session continues at the next start")
    func overtaken() async throws {
      let store = MemorySessionStore()
      let root = try #require(URLComponents(string: "http://127.0.0.1:1?ns=default"))
      func session() -> LegacySession {
        LegacySession(
          root: root, directory: URL(fileURLWithPath: "/nowhere"), queue: DispatchQueue(label: "test"), store: store)
      }
      // The token's claims are {"d":{"uid":"ada"},"iat":1}; the server's answer decides whether it is valid.
      let token = "e30.eyJkIjp7InVpZCI6ImFkYSJ9LCJpYXQiOjF9.x"
      let first = session()
      let codes = Calls<Int?>()
      first.signIn(token: "other", Callback(plain: { error, _ in codes.add(error?.code) }), cancel: nil)
      first.signIn(token: token, Callback(plain: { error, _ in codes.add(error?.code) }), cancel: nil)
      try await codes.wait(for: 1)
      #expect(codes.all == [FAuthenticationError.preempted.rawValue])
      let shown = DatabaseCredential(token: token, userID: "ada")
      first.connectionReported(
        .accepted(shown, auth: .object([JSON.Member("uid", .string("ada"))]), expiresSeconds: nil))
      try await codes.wait(for: 2)
      #expect(codes.all.last == .some(nil) && first.authData?.uid == "ada")
      let next = session()
      #expect(next.authData?.uid == "ada")
      next.connectionReported(.refused(shown, status: "expired_token", reason: "over"))
      #expect(next.authData == nil && session().authData == nil)
      #expect(!"\(FAuthData(LegacyCredential(token: token)))".contains(token))
    }
  }
}
