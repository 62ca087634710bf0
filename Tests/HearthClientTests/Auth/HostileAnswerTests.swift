import Foundation
import HearthTree
import LiveServerKit
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HearthClient

@Suite struct HostileAnswerTests {
  @Test(
    "an invalid response signs no user in",
    arguments: [
      (200, ""), (200, "null"), (200, "[]"), (200, "{}"), (200, "<html>"), (200, #"{"idToken":1,"refreshToken":2}"#),
      (200, #"{"idToken":"","refreshToken":"r","expiresIn":"3600"}"#), (200, #"{"idToken":"a"}"#),
      (200, String(repeating: "[", count: 100_000)), (200, "{\"idToken\":\"" + String(repeating: "a", count: 100_000)),
      (200, #"{"mfaPendingCredential":"x"}"#), (200, #"{"needConfirmation":true}"#), (204, ""), (302, ""), (404, "{}"),
      (400, #"{"error":{"message":7}}"#), (400, #"{"error":{"message":"WHAT_IS_THIS : \u0007\u001b[2Jboo"}}"#),
      (400, #"{"error":{"message":"USER_DISABLED : no","errors":"x"}}"#), (503, "busy"), (429, "{}"),
    ])
  func answers(status: Int, body: String) async throws {
    let transport = ScriptedTransport { _ in AuthAnswer(status: status, body: Array(body.utf8)) }
    let auth = AuthFixture.auth(port: 1, transport: transport)
    do {
      try await auth.signInAnonymously()
      Issue.record("signed in")
    } catch {
      let code = try #require(AuthErrorCode(error))
      #expect(
        [.internalError, .networkError, .userDisabled, .secondFactorRequired, .accountExistsWithDifferentCredential]
          .contains(code))
      #expect(code == .networkError || status != 503)
      let text = error.localizedDescription
      #expect(text.count < 500 && text.unicodeScalars.allSatisfy { $0.value >= 32 })
    }
    #expect(auth.currentUser == nil)
  }

  @Test(
    "a response with another account than the token's, several, or none, signs no user in",
    arguments: [
      #"{"users":[{"localId":"other"}]}"#, #"{"users":[{"localId":"u"},{"localId":"u"}]}"#, #"{"users":[]}"#, "{}",
      #"{"users":[{"localId":""}]}"#, #"{"users":[7]}"#,
    ])
  func otherAccount(lookup: String) async throws {
    let server = FakeService()
    let transport = ScriptedTransport { request in
      guard request.url.lastPathComponent == "accounts:lookup" else { return try server.answer(request) }
      return AuthAnswer(status: 200, body: Array(lookup.utf8))
    }
    let auth = AuthFixture.auth(port: 1, transport: transport)
    #expect(await authCode { try await auth.signInAnonymously() } == .internalError)
    #expect(auth.currentUser == nil)
  }

  @Test("unusual numbers and texts of an account are read without harm")
  func strangeFields() async throws {
    let server = FakeService()
    let transport = ScriptedTransport { request in
      guard request.url.lastPathComponent == "accounts:lookup" else { return try server.answer(request) }
      let body = #"""
        {"users":[{"localId":"u","createdAt":"99999999999999999999","lastLoginAt":1e300,"photoUrl":"::://","email":7,
        "emailVerified":"yes","providerUserInfo":[{},null,{"providerId":""},{"providerId":"google.com","rawId":5}]}]}
        """#
      return AuthAnswer(status: 200, body: Array(body.utf8))
    }
    let auth = AuthFixture.auth(port: 1, transport: transport)
    let user = try await auth.signInAnonymously().user
    #expect(user.metadata.creationDate == nil && user.email == nil && !user.isEmailVerified)
    #expect(user.providerData.map(\.providerID) == ["google.com"])
    for claims in [#"{"sub":"u","exp":1e308,"iat":"x","auth_time":-1e308}"#, #"{"sub":"u"}"#] {
      let token = "e30.\(Data(claims.utf8).base64EncodedString().replacing("=", with: "")).x"
      #expect(try AuthTokenResult(token).signInProvider.isEmpty)
    }
    for token in ["", ".", "..", "a.b", "a.b.c", "a.!!!.c", "a.bnVsbA.c"] {
      #expect(throws: NSError.self) { try AuthTokenResult(token) }
    }
  }

  @Test("a refresh with another account's token is refused and keeps the session")
  func otherTokens() async throws {
    let server = FakeService()
    let transport = ScriptedTransport { request in
      guard request.url.lastPathComponent == "token" else { return try server.answer(request) }
      let claims = Data(#"{"sub":"other"}"#.utf8).base64EncodedString().replacing("=", with: "")
      return AuthAnswer(
        status: 200, body: Array(#"{"id_token":"e30.\#(claims).x","refresh_token":"r2","expires_in":"3600"}"#.utf8))
    }
    let auth = AuthFixture.auth(port: 1, transport: transport)
    let user = try await auth.signInAnonymously().user
    let before = user.tokens
    #expect(await authCode { _ = try await user.getIDToken(forcingRefresh: true) } == .internalError)
    #expect(user.tokens == before && auth.currentUser === user)
  }

  @Test("an overloaded server does not end the session")
  func overload() async throws {
    let server = FakeService()
    let transport = ScriptedTransport { request in
      guard request.url.lastPathComponent == "token" else { return try server.answer(request) }
      return AuthAnswer(status: 503, body: Array("try again".utf8))
    }
    let auth = AuthFixture.auth(port: 1, transport: transport)
    let user = try await auth.signInAnonymously().user
    #expect(await authCode { _ = try await user.getIDToken(forcingRefresh: true) } == .networkError)
    #expect(auth.currentUser === user)
  }

  @Test("an answer longer than any session, a redirect and silence end a request")
  func sockets() async throws {
    let limit = URLSessionTransport.answerBytesMax
    let long = "HTTP/1.1 200 OK\r\nContent-Length: \(limit + 1)\r\n\r\n" + String(repeating: " ", count: limit + 1)
    let endless = "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: " ", count: 2 * limit)
    let target = try await OneAnswerServer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
    let redirect =
      "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:\(target.port)/\r\nContent-Length: 0\r\n\r\n"
    for (answer, code) in [
      (long, AuthErrorCode.internalError), (endless, .internalError), (redirect, .internalError), ("", .networkError),
      ("rubbish\r\n\r\n", .networkError), (nil, .networkError),
    ] as [(String?, AuthErrorCode)] {
      let server = try await OneAnswerServer(answer)
      let transport = URLSessionTransport(timeoutSeconds: answer == nil ? 0.2 : 30)
      let auth = AuthFixture.auth(port: server.port, transport: transport)
      #expect(
        await authCode { try await auth.signIn(withEmail: "a@example.com", password: "secret1") } == code,
        "\(answer?.prefix(20) ?? "silence")")
      try await server.stop()
    }
    #expect(target.connectionCount == 0)
    try await target.stop()
    #expect(await authCode { try await AuthFixture.auth(port: target.port).signInAnonymously() } == .networkError)
  }

  @Test("no password is sent to a server with an untrusted certificate")
  func certificates() async throws {
    try await AuthFixture.with(over: .tls) { fixture in
      let stranger = AuthFixture.auth(port: 1)
      try stranger.useServer(try #require(URL(string: fixture.route.address)))
      #expect(
        await authCode { try await stranger.createUser(withEmail: "ada@example.com", password: "secret1") }
          == .networkError)
      // The request had no effect: the address is free for a client that trusts the certificate.
      try await fixture.auth.createUser(withEmail: "ada@example.com", password: "secret1")
    }
  }

  @Test("interrupted and unanswered requests are network errors and do not end the session")
  func cutOff() async throws {
    try await AuthFixture.with(over: .faulty(seed: 1)) { fixture in
      let auth = AuthFixture.auth(port: fixture.route.port, transport: URLSessionTransport(timeoutSeconds: 1))
      while auth.currentUser == nil {
        let code = await authCode { try await auth.signInAnonymously() }
        try #require(code == nil || code == .networkError)
      }
      let user = try #require(auth.currentUser)
      for _ in 0..<20 {
        let code = await authCode { _ = try await user.getIDToken(forcingRefresh: true) }
        try #require(code == nil || code == .networkError)
        #expect(auth.currentUser === user)
      }
    }
  }

  @Test("no secret is in an error, a description or a dump")
  func secrecy() async throws {
    try await AuthFixture.with { fixture in
      let secrets = ["pass-word-1", "secret-token", "person:7"]
      let email = EmailAuthProvider.credential(withEmail: "ada@example.com", password: secrets[0])
      let oauth = OAuthProvider.credential(
        withProviderID: "nobody.example", idToken: secrets[1], rawNonce: secrets[1], accessToken: secrets[2])
      var said: [String] = []
      func say(_ value: Any) {
        var dumped = ""
        dump(value, to: &dumped)
        said += ["\(value)", String(reflecting: value), dumped]
      }
      for credential in [email, oauth] {
        do { try await fixture.auth.signIn(with: credential) } catch { say(error) }
        say(credential)
      }
      let down = AuthFixture.auth(port: 1)
      do { try await down.signIn(with: email) } catch { say(error) }
      let user = try await fixture.auth.signInAnonymously().user
      say(user)
      say(user.tokens)
      say(try await user.getIDTokenResult())
      for text in said {
        for secret in secrets + [user.tokens.idToken, user.tokens.refreshToken] { #expect(!text.contains(secret)) }
      }
      for line in fixture.test.log.lines { for secret in secrets { #expect(!line.contains(secret)) } }
    }
  }

  @Test("a custom server needs https, except on this machine")
  func servers() throws {
    let auth = AuthFixture.auth(port: 1)
    for text in ["http://hearth.example.com", "ftp://localhost", "hearth.example.com", "https://", "https://a/?b"] {
      #expect(throws: NSError.self) { try auth.useServer(try #require(URL(string: text))) }
    }
    for text in ["https://hearth.example.com", "http://localhost:9000", "http://127.0.0.1:9000"] {
      try auth.useServer(try #require(URL(string: text)))
    }
    let endpoint = try AuthEndpoint(server: try #require(URL(string: "https://hearth.example.com:8443")))
    #expect(
      endpoint.toolkitURL("accounts:signUp", key: "k&y").absoluteString
        == "https://hearth.example.com:8443/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k%26y")
    #expect(
      AuthEndpoint.google.tokenURL(key: "k").absoluteString == "https://securetoken.googleapis.com/v1/token?key=k")
    #expect(
      AuthEndpoint.google.toolkitURL("accounts:lookup", key: "k").absoluteString
        == "https://identitytoolkit.googleapis.com/v1/accounts:lookup?key=k")
  }
}

/// A server that gives every client the same answer and closes, or never answers.
final class OneAnswerServer: Sendable {
  private let channel: any Channel
  let port: Int
  private let count: Counter

  init(_ answer: String?) async throws {
    let count = Counter()
    self.count = count
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        count.value.withLock { $0 += 1 }
        return channel.pipeline.addHandler(Answer(answer))
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = channel.localAddress?.port ?? 0
  }

  var connectionCount: Int { count.value.withLock { $0 } }

  func stop() async throws { try await channel.close() }

  private final class Counter: Sendable {
    let value = Mutex(0)
  }

  private final class Answer: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    let answer: String?
    private let isAnswered = Atomic(false)

    init(_ answer: String?) { self.answer = answer }

    /// Ends the output alone: closing both directions while a part of the request is unread would reset the
    /// connection, and the client might lose the answer.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard let answer, !isAnswered.exchange(true, ordering: .relaxed) else { return }
      let channel = context.channel
      channel.writeAndFlush(ByteBuffer(string: answer)).whenComplete { _ in channel.close(mode: .output, promise: nil) }
    }
  }
}
