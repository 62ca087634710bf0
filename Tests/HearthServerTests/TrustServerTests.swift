import HearthAccounts
import HearthPlugin
import HearthTestKit
import HearthTree
import Testing

@testable import HearthGateway
@testable import HearthServer

/// A verifier of a trusted issuer that accepts `ext_AUDIENCE_NAME` as the user NAME.
private struct TestIssuerVerifier: IssuerTokenVerifier {
  let issuer: TrustedIssuer
  var name: String { "issuer \(issuer.issuer)" }
  var selection: TokenSelection { TokenSelection(opaquePrefixes: ["ext_\(issuer.audiences[0])_"]) }
  var revision: String { "\(issuer.databases ?? [])" }

  func verify(_ question: TokenQuestion) async throws -> TokenAnswer {
    var token = VerifiedToken(uid: String(question.token.split(separator: "_").last ?? ""))
    token.databases = issuer.databases
    token.cacheSeconds = 3_600
    return .verified(token)
  }
}

/// Tests of trust that is limited to databases, and that changes while the server runs.
@Suite struct TrustServerTests {
  private static let rules = #"{"rules": {"users": {"$uid": {".read": "auth.uid == $uid"}}}}"#

  private static func with(
    databases: [String]? = nil, _ body: (TestServer) async throws -> Void
  ) async throws {
    try await TestServer.with(rules: rules) { options in
      options.plugins.issuerVerifiers = { $0.all.map(TestIssuerVerifier.init) }
      var issuer = TrustedIssuer(issuer: "https://a.example", audiences: ["api"], uidPrefix: "")
      issuer.databases = databases
      options.accounts.trust.issuers = [issuer]
      // Changes are checked like a file, which cannot have the hashes of tests.
      options.accounts.passwordCost = .small
    } _: { test in
      try await body(test)
    }
  }

  private static func set(_ test: TestServer, _ body: String) throws -> (status: Int, json: JSON?) {
    let answer = try test.http(
      "POST", "/hearth/v1/trust:set", body,
      headers: ["Authorization": "Bearer \(try test.adminToken)", "Content-Type": "application/json"])
    return (answer.status, JSON(parsing: answer.body.utf8))
  }

  private static func listener(_ test: TestServer) throws -> LiveSocket {
    let socket = try test.socket()
    socket.request("auth", #"{"cred":"ext_api_ann"}"#)
    #expect(try socket.next().hasPrefix(#"r 1 ok {"auth":{"uid":"ann""#))
    socket.request("q", #"{"p":"/users/ann","h":""}"#)
    #expect(try socket.next() == "r 2 ok {}")
    return socket
  }

  private static func expectEnd(_ socket: LiveSocket) throws {
    #expect(try socket.next() == #"ac {"s":"expired_token","d":"Auth token is expired."}"#)
    #expect(try socket.next() == #"c {"p":"users/ann"}"#)
  }

  @Test func `Security 98: a token opens the databases of its issuer only`() async throws {
    try await Self.with(databases: ["shop"]) { test in
      let headers = ["Authorization": "Bearer \(try test.adminToken)", "Content-Type": "application/json"]
      let made = try test.http(
        "POST", "/.settings/databases.json",
        String(decoding: (["name": "shop", "rules": .string(Self.rules)] as JSON).text(), as: UTF8.self),
        headers: headers)
      #expect(made.status == 200, "\(made.body)")
      // The outcome is the same before and after the token is in the cache.
      for _ in 0..<2 {
        #expect(try test.http("GET", "/users/ann.json?ns=shop&auth=ext_api_ann").status == 200)
        #expect(try test.http("GET", "/users/ann.json?auth=ext_api_ann").status == 401)
      }
      let bearer = ["Authorization": "Bearer ext_api_ann", "Accept": "text/event-stream"]
      #expect(try test.http("GET", "/users/ann.json", headers: bearer).status == 401)
      let (other, shop) = (try test.socket(), try test.socket("ns=shop"))
      other.request("auth", #"{"cred":"ext_api_ann"}"#)
      #expect(try other.next().hasPrefix("r 1 invalid_token"))
      shop.request("auth", #"{"cred":"ext_api_ann"}"#)
      #expect(try shop.next().hasPrefix(#"r 1 ok {"auth":{"uid":"ann""#))
      #expect(test.log.lines.contains { $0.contains("is not trusted for the database default") })
    }
  }

  @Test func `Security 99: tokens of an issuer that is not trusted any more are revoked at once, with a receipt`()
    async throws
  {
    try await Self.with { test in
      let socket = try Self.listener(test)
      let before = try #require(try Self.set(test, "{}").json)
      #expect(before["issuers"]?.array?.first?["issuer"]?.string == "https://a.example")
      #expect(try Self.set(test, #"{"issuers": []}"#).status == 200)
      try Self.expectEnd(socket)
      #expect(try test.http("GET", "/users/ann.json?auth=ext_api_ann").status == 401)
      let receipts = try test.http(
        "GET", "/.settings/receipts.json?wait=20&revocation=1",
        headers: ["Authorization": "Bearer \(try test.adminToken)"])
      let receipt = try #require(JSON(parsing: receipts.body.utf8)?["receipts"]?.array?.first)
      #expect(receipt["revocation"]?["issuer"]?.string == "https://a.example")
      #expect(receipt["signedOut"]?.int == 1 && receipt["cancelled"]?.int == 1)
      // A new issuer is trusted without a restart, and the list of the file comes back.
      #expect(
        try Self.set(test, #"{"firebaseProjects": ["my-app"], "issuers": null}"#).json?["issuers"]?.array?.count == 1)
      #expect(try test.http("GET", "/users/bob.json?auth=ext_my-app_bob").status == 200)
      _ = try Self.listener(test)
    }
  }

  @Test func `a change of one issuer signs out its users only, and changes survive a restart`() async throws {
    try await Self.with { test in
      #expect(try Self.set(test, #"{"firebaseProjects": ["my-app"]}"#).status == 200)
      let socket = try Self.listener(test)
      let other = try test.socket()
      other.request("auth", #"{"cred":"ext_my-app_bob"}"#)
      #expect(try other.next().hasPrefix(#"r 1 ok {"auth":{"uid":"bob""#))
      #expect(try Self.set(test, #"{"firebaseProjects": [{"id": "my-app", "databases": ["shop"]}]}"#).status == 200)
      #expect(try other.next() == #"ac {"s":"expired_token","d":"Auth token is expired."}"#)
      socket.request("g", #"{"p":"/users/ann"}"#)
      #expect(try socket.next() == "r 3 ok null")
      #expect(try Self.set(test, #"{"firebaseProjects": ["My App"]}"#).status == 400)
      #expect(try Self.set(test, #"{"trustedHosts": ["127.0.0.1"]}"#).status == 400)
      await test.server.stop()
      let again = try await TestServer(in: test) { options in
        options.plugins.issuerVerifiers = { $0.all.map(TestIssuerVerifier.init) }
        options.accounts.passwordCost = .small
      }
      #expect(try again.http("GET", "/users/bob.json?auth=ext_my-app_bob").status == 401)
      #expect(try again.http("GET", "/users/bob.json?ns=shop&auth=ext_my-app_bob").status == 404)
      await again.server.stop()
    }
  }
}
