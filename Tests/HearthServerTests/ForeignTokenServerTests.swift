import HearthAccounts
import HearthCrypto
import HearthPlugin
import HearthTestKit
import HearthTree
import Synchronization
import Testing

@testable import HearthGateway
@testable import HearthServer

/// A verifier that accepts `sess_NAME` as the user NAME, and refuses other tokens or leaves them undecided.
private final class TestVerifier: TokenVerifier {
  struct Down: Error {}

  private struct State {
    var asked: [String] = []
    var isHolding = false
    var held: [CheckedContinuation<Void, Never>] = []
    var cacheSeconds: Int64 = 0
    var lifeSeconds: Int64 = 3_600
  }

  private let state = Mutex(State())
  let name = "sessions"
  let selection = TokenSelection(issuers: ["https://id.example/*"], opaquePrefixes: ["sess_", "open_"])

  var asked: [String] { state.withLock { $0.asked } }
  func remember(seconds: Int64) { state.withLock { $0.cacheSeconds = seconds } }
  func live(seconds: Int64) { state.withLock { $0.lifeSeconds = seconds } }
  /// Withholds answers from now on.
  func hold() { state.withLock { $0.isHolding = true } }
  /// Gives the withheld answers, and all later ones at once.
  func release() {
    let held = state.withLock { state in
      defer { (state.isHolding, state.held) = (false, []) }
      return state.held
    }
    for one in held { one.resume() }
  }

  func verify(_ question: TokenQuestion) async throws -> TokenAnswer {
    await withCheckedContinuation { waiting in
      let isHeld = state.withLock { state in
        state.asked.append(question.token)
        if state.isHolding { state.held.append(waiting) }
        return state.isHolding
      }
      if !isHeld { waiting.resume() }
    }
    guard question.token.hasPrefix("sess_") else {
      if question.token == "open_down" { throw Down() }
      return .refused(TokenRefusal(question.token == "open_old" ? .expired : .invalid))
    }
    var token = VerifiedToken(uid: String(question.token.dropFirst(5)))
    token.claims = .object([.init("roles", .object([.init("editor", .bool(true))]))])
    token.signInProvider = "oidc.sessions"
    state.withLock {
      token.cacheSeconds = $0.cacheSeconds
      token.expiresAtSeconds = question.nowSeconds + $0.lifeSeconds
    }
    return .verified(token)
  }
}

/// Tests of tokens from other issuers at every entry point that accepts the server's own.
@Suite struct ForeignTokenServerTests {
  private static let rules = """
    {"rules": {
      "users": {"$uid": {".read": "auth.uid == $uid", ".write": "auth.uid == $uid"}},
      "edited": {".read": "auth.token.roles.editor == true && auth.provider == 'oidc.sessions'
        && auth.token.firebase.sign_in_provider == 'oidc.sessions' && auth.token.sub == auth.uid"}}}
    """

  private static func with(
    _ body: (TestServer, TestVerifier) async throws -> Void
  ) async throws {
    let verifier = TestVerifier()
    let test = try await TestServer(rules: rules) { $0.plugins.verifiers = [verifier] }
    do { try await body(test, verifier) } catch {
      await test.server.stop()
      throw error
    }
    await test.server.stop()
  }

  /// Returns a signed-in socket with a listen to its user's data.
  private static func visitor(_ test: TestServer, _ uid: String) throws -> LiveSocket {
    let socket = try test.socket()
    socket.request("auth", "{\"cred\":\"sess_\(uid)\"}")
    #expect(try socket.next().hasPrefix("r 1 ok {\"auth\":{\"uid\":\"\(uid)\",\"provider\":\"oidc.sessions\""))
    socket.request("q", "{\"p\":\"/users/\(uid)\",\"h\":\"\"}")
    #expect(try socket.next() == "r 2 ok {}")
    return socket
  }

  private static func expectEnd(_ socket: LiveSocket, _ uid: String) throws {
    #expect(try socket.next() == #"ac {"s":"expired_token","d":"Auth token is expired."}"#)
    #expect(try socket.next() == "c {\"p\":\"users/\(uid)\"}")
  }

  @Test("foreign tokens open sockets, requests and streams, and rules see the verified claims")
  func opensEveryDoor() async throws {
    try await Self.with { test, verifier throws in
      let socket = try Self.visitor(test, "ann")
      socket.request("p", #"{"p":"/users/ann","d":7}"#)
      #expect(try socket.next() == #"d {"p":"users/ann","d":7}"#)
      #expect(try socket.next() == #"r 3 ok """#)
      socket.request("gauth", #"{"cred":"sess_ann"}"#)
      #expect(try socket.next().hasPrefix(#"r 4 ok {"auth":{"uid":"ann""#))
      for target in ["/users/ann.json?auth=sess_ann", "/users/ann.json?access_token=sess_ann"] {
        #expect(try test.answer("GET", target) == "200 7")
      }
      let bearer = ["Authorization": "Bearer sess_ann"]
      #expect(try test.answer("GET", "/users/ann.json", headers: bearer) == "200 7")
      #expect(try test.answer("GET", "/edited.json", headers: bearer) == "200 null")
      #expect(try test.http("GET", "/users/bob.json", headers: bearer).status == 401)
      #expect(try test.answer("PUT", "/users/ann.json", "8", headers: bearer) == "200 8")
      let stream = try test.stream("/users/ann.json?auth=sess_ann")
      #expect(try stream.next() == #"put|{"path":"/","data":8}"#)
      // It grants no administrator rights.
      #expect(try test.http("GET", "/.settings/rules.json", headers: bearer).status == 401)
      #expect(try test.http("GET", "/users/ann.json?auth_variable_override=null", headers: bearer).status == 401)
      #expect(verifier.asked.allSatisfy { $0 == "sess_ann" })
    }
  }

  @Test("the server's own tokens, and tokens that no verifier names, are sent to no verifier")
  func ownTokensStay() async throws {
    try await Self.with { test, verifier throws in
      let user = try test.signUp("a@example.com")
      let mine = try test.token(uid: "ann")
      let wrong = [
        String(repeating: "a", count: 40), "hearth_admin_x", "owner", mine + "A", user["idToken"].dropLast(4) + "AAAA",
        "other_token", "a.b.c",
      ]
      for token in [mine, user["idToken"], try test.secret, try test.adminToken] + wrong {
        let status = try test.http("GET", "/users/ann.json", headers: ["Authorization": "Bearer \(token)"]).status
        #expect(status == (wrong.contains(token) || token == user["idToken"] ? 401 : 200), "\(token)")
      }
      #expect(verifier.asked.isEmpty)
    }
  }

  @Test("a verification is requested once while it may be cached")
  func remembered() async throws {
    try await Self.with { test, verifier throws in
      for count in 1...2 {
        #expect(try test.http("GET", "/users/ann.json?auth=sess_ann").status == 200)
        #expect(verifier.asked.count == count)
      }
      verifier.remember(seconds: 3_600)
      for _ in 0..<3 { #expect(try test.http("GET", "/users/ann.json?auth=sess_ann").status == 200) }
      #expect(verifier.asked.count == 3)
    }
  }

  @Test("refused, expired and undecided tokens are refused with a reason")
  func refused() async throws {
    try await Self.with { test, verifier throws in
      func refusal(_ token: String) throws -> String {
        let answer = try test.http("GET", "/a.json?auth=\(token)")
        return "\(answer.status) \(answer.body.split(separator: "\"")[3])"
      }
      #expect(try refusal("open_no") == "401 Could not parse auth token.")
      #expect(try refusal("open_old") == "401 Auth token is expired")
      #expect(try refusal("open_down") == "503 The plugin sessions could not check the credential.")
      let socket = try test.socket()
      socket.request("auth", #"{"cred":"open_no"}"#)
      #expect(try socket.next().hasPrefix("r 1 invalid_token"))
      socket.request("auth", #"{"cred":"open_old"}"#)
      #expect(try socket.next().hasPrefix("r 2 expired_token"))
      // A refusal would make clients forget their user; after this close they reconnect.
      socket.request("auth", #"{"cred":"open_down"}"#)
      #expect(try socket.next() == "close 1008")
      #expect(test.log.lines.contains { $0.contains("plugin sessions did not decide") })
      #expect(!test.log.lines.contains { line in verifier.asked.contains { line.contains($0) } })
    }
  }

  @Test("messages behind a token wait for its verification")
  func inOrder() async throws {
    try await Self.with { test, verifier throws in
      verifier.hold()
      let socket = try test.socket()
      socket.request("auth", #"{"cred":"sess_ann"}"#)
      socket.request("p", #"{"p":"/users/ann","d":1}"#)
      socket.request("unauth", "{}")
      socket.request("p", #"{"p":"/users/ann","d":2}"#)
      try await Polling.until { verifier.asked.count == 1 }
      verifier.release()
      #expect(try socket.next().hasPrefix(#"r 1 ok {"auth":{"uid":"ann""#))
      #expect(try socket.next() == #"r 2 ok """#)
      #expect(try socket.next().hasPrefix("r 3 ok"))
      #expect(try socket.next().hasPrefix("r 4 permission_denied"))
    }
  }

  @Test("a client that disconnects during its verification leaves no state")
  func leaves() async throws {
    try await Self.with { test, verifier throws in
      verifier.hold()
      do {
        let socket = try test.socket()
        socket.request("auth", #"{"cred":"sess_ann"}"#)
        try await Polling.until { verifier.asked.count == 1 }
      }
      verifier.release()
      let tokens = try #require(test.server.parts).services.accounts.own.sessions.foreignTokens
      #expect(try await Polling.until { tokens.waitingCount == 0 })
      #expect(try test.http("GET", "/users/ann.json?auth=sess_ann").status == 200)
    }
  }

  @Test("a revocation signs out the connections of the token, with cancels and a receipt, and no other connections")
  func revoked() async throws {
    try await Self.with { test, verifier throws in
      verifier.remember(seconds: 3_600)
      let (ann, bob) = (try Self.visitor(test, "ann"), try Self.visitor(test, "bob"))
      let stream = try test.stream("/users/ann.json?auth=sess_ann")
      #expect(try stream.next() == #"put|{"path":"/","data":null}"#)
      let accounts = try #require(test.server.parts).services.accounts.own
      let digest = Digest(sha256: "sess_ann".utf8).hex
      accounts.sessions.foreignTokens.revoke(TokenRevocation(digests: [digest]), of: "sessions")
      try Self.expectEnd(ann, "ann")
      #expect(try stream.next().hasPrefix("auth_revoked|"))
      bob.request("g", #"{"p":"/users/bob"}"#)
      #expect(try bob.next() == "r 3 ok null")
      let receipts = try test.http(
        "GET", "/.settings/receipts.json?wait=20&revocation=1",
        headers: ["Authorization": "Bearer \(try test.adminToken)"])
      let receipt = try #require(JSON(parsing: receipts.body.utf8)?["receipts"]?.array?.first)
      #expect(receipt["revocation"]?["kind"]?.string == "foreignTokens")
      #expect(receipt["revocation"]?["plugin"]?.string == "sessions")
      #expect(receipt["signedOut"]?.int == 2 && receipt["cancelled"]?.int == 2)
      // The cached result is dropped: the verifier is asked again.
      let count = verifier.asked.count
      #expect(try test.http("GET", "/users/ann.json?auth=sess_ann").status == 200)
      #expect(verifier.asked.count == count + 1)
      // Revokes by user, and then all tokens.
      ann.request("auth", #"{"cred":"sess_ann"}"#)
      #expect(try ann.next().hasPrefix("r 3 ok"))
      ann.request("q", #"{"p":"/users/ann","h":""}"#)
      #expect(try ann.next() == "r 4 ok {}")
      accounts.sessions.foreignTokens.revoke(TokenRevocation(uids: ["ann"]), of: "sessions")
      try Self.expectEnd(ann, "ann")
      accounts.sessions.foreignTokens.revoke(.everything, of: "sessions")
      try Self.expectEnd(bob, "bob")
    }
  }

  @Test("a revocation during a verification takes precedence", arguments: [true, false])
  func race(byUser: Bool) async throws {
    try await Self.with { test, verifier throws in
      verifier.hold()
      let socket = try test.socket()
      socket.request("auth", #"{"cred":"sess_ann"}"#)
      try await Polling.until { verifier.asked.count == 1 }
      let digest = Digest(sha256: "sess_ann".utf8).hex
      let revocation = byUser ? TokenRevocation(uids: ["ann"]) : TokenRevocation(digests: [digest])
      try #require(test.server.parts).services.accounts.own.sessions.foreignTokens.revoke(revocation, of: "sessions")
      verifier.release()
      #expect(try socket.next().hasPrefix("r 1 expired_token"))
      socket.request("auth", #"{"cred":"sess_ann"}"#)
      #expect(try socket.next().hasPrefix("r 2 ok"))
    }
  }

  @Test("the end of a foreign token signs out like the end of the server's own tokens")
  func ends() async throws {
    try await Self.with { test, verifier throws in
      let socket = try test.socket()
      // Longer when the machine is too busy to accept the token before it expires.
      for (number, seconds) in [2, 8, 32].enumerated() {
        verifier.live(seconds: Int64(seconds))
        socket.request("auth", #"{"cred":"sess_ann"}"#)
        let answer = try socket.next()
        if answer.hasPrefix("r \(number + 1) ok") { break }
        #expect(answer.hasPrefix("r \(number + 1) expired_token") && seconds < 32)
      }
      #expect(try socket.next() == #"ac {"s":"expired_token","d":"Auth token is expired."}"#)
    }
  }

  @Test("when the account with that uid is disabled, or its sessions are revoked, the token is refused")
  func accounts() async throws {
    try await Self.with { test, _ throws in
      #expect(try test.administer("accounts", #"{"localId":"ann"}"#).status == 200)
      let socket = try Self.visitor(test, "ann")
      #expect(try test.administer("accounts:update", #"{"localId":"ann","disableUser":true}"#).status == 200)
      try Self.expectEnd(socket, "ann")
      #expect(try test.http("GET", "/users/ann.json?auth=sess_ann").status == 401)
    }
  }

  @Test("a disabled verifier accepts no token")
  func switchedOff() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let accounts = try #require(test.server.parts).services.accounts.own
      var further = PluginSet()
      further.verifiers = [TestVerifier()]
      accounts.setFurtherPlugins(further)
      let socket = try Self.visitor(test, "ann")
      accounts.setFurtherPlugins(PluginSet())
      try Self.expectEnd(socket, "ann")
      #expect(try test.http("GET", "/users/ann.json?auth=sess_ann").status == 401)
    }
  }
}
