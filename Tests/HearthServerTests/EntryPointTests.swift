import HearthAccounts
import HearthCrypto
import HearthEngine
import HearthTree
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// Tests of the same policy at every entry point: socket, REST, identity interface, legacy host, administration.
@Suite struct EntryPointTests {
  private static let closed = #"{"rules":{".read":"auth != null",".write":false}}"#

  private static func listAccounts(_ test: TestServer, _ token: String, headers: [String: String] = [:]) throws -> Int {
    let all = ["Authorization": "Bearer \(token)"].merging(headers) { $1 }
    return try test.identity(
      "GET", "\(TestServer.identityHost)/v1/projects/hearth/accounts:batchGet?maxResults=1", headers: all
    ).status
  }

  @Test("Security 67: the token owner is refused by default")
  func ownerIsRefused() async throws {
    try await TestServer.with(rules: Self.closed) { test throws in
      for word in ["owner", "OWNER", "ya29.a0AfH6SMC"] { #expect(try Self.listAccounts(test, word) == 401) }
      #expect(try test.http("GET", "/a.json", headers: ["Authorization": "Bearer owner"]).status == 401)
      #expect(try test.http("GET", "/a.json?auth=owner").status == 401)
      let socket = try test.socket()
      socket.request("gauth", #"{"cred":"owner"}"#)
      #expect(try socket.next().hasPrefix("r 1 invalid_token"))
      #expect(try Self.listAccounts(test, try test.adminToken) == 200)
    }
  }

  @Test("Security 67: in emulator mode it is accepted from this machine alone, and not through a proxy on it")
  func ownerIsLocal() async throws {
    try await TestServer.with(rules: Self.closed, isEmulator: true) { test throws in
      for word in ["owner", "OWNER", "ya29.a0AfH6SMC"] { #expect(try Self.listAccounts(test, word) == 200) }
      #expect(try test.http("GET", "/a.json", headers: ["Authorization": "bEArEr OWNER"]).status == 200)
      let other = ["Authorization": "Bearer ya29.a0AfH6SMC"]
      #expect(try test.http("GET", "/a.json", headers: other).status == 200)
      #expect(try test.http("GET", "/a.json", headers: other.merging(["Via": "x"]) { $1 }).status == 401)
      for name in ["X-Forwarded-For", "X-Forwarded-Host", "Forwarded", "Via", "X-Real-IP"] {
        #expect(try Self.listAccounts(test, "owner", headers: [name: "127.0.0.1"]) == 401, "\(name)")
        let target = "/a.json?access_token=owner"
        #expect(try test.http("GET", target, headers: [name: "127.0.0.1"]).status == 401, "\(name)")
      }
      #expect(test.log.lines.contains { $0.contains("developer credential accepted") })
    }
  }

  @Test("Security 67: a peer on the local network gets no owner access in any mode")
  func ownerFromTheNetwork() async throws {
    try await TestServices.with(isEmulator: true) { test throws in
      let local = RequestOrigin(address: "127.0.0.1", isFromLoopback: true)
      let network = RequestOrigin(address: "192.168.1.5", isFromLoopback: false)
      let now = SystemClock.now
      #expect(test.authenticator.bearer("owner", from: local, now: now) == .verified(.emulatorOwner))
      for word in ["owner", "OWNER", "ya29.a0AfH6SMC"] {
        #expect(test.authenticator.bearer(word, from: network, now: now) == .refused)
      }
    }
  }

  @Test("a bearer token that is not an administrator's is refused, never ignored")
  func badBearers() async throws {
    try await TestServer.with { test throws in
      let user = try test.signUp("a@example.com")
      let tokens = [
        "ya29.anything", "", "x", user["idToken"], user["refreshToken"], try test.secret, try test.token(uid: "u"),
      ]
      for token in tokens { #expect(try Self.listAccounts(test, token) == 401, "\(token)") }
      #expect(try test.signIn("a@example.com", headers: ["Authorization": "Bearer wrong"]).status == 401)
      #expect(try test.signIn("a@example.com", headers: ["Authorization": "Basic eDp5"]).status == 200)
      let token = try test.adminToken
      #expect(
        try test.identity(
          "GET", "\(TestServer.identityHost)/v1/projects/hearth/accounts:batchGet?maxResults=1",
          headers: ["authorization": "bEaReR \(token)"]
        ).status == 200)
    }
  }

  @Test("credentials without access to data are refused by the database's interfaces")
  func crossUses() async throws {
    try await TestServer.with(rules: Self.closed) { test throws in
      let user = try test.signUp("a@example.com")
      let cookie = try test.app(
        "projects/hearth:createSessionCookie", #"{"idToken":"\#(user["idToken"])","validDuration":600}"#,
        headers: ["Authorization": "Bearer \(try test.adminToken)"])["sessionCookie"]
      #expect(!cookie.isEmpty)
      for token in [cookie, user["refreshToken"]] {
        #expect(try test.http("GET", "/a.json?auth=\(token)").status == 401)
        #expect(try test.http("GET", "/a.json", headers: ["Authorization": "Bearer \(token)"]).status == 401)
        let socket = try test.socket()
        socket.request("auth", #"{"cred":"\#(token)"}"#)
        #expect(try socket.next().hasPrefix("r 1 invalid_token"))
        #expect(try test.app("accounts:lookup", #"{"idToken":"\#(token)"}"#).code == "INVALID_ID_TOKEN")
      }
      #expect(try test.answer("GET", "/a.json?auth=\(user["idToken"])") == "200 null")
    }
  }

  @Test("Security 68: a disabled user is refused on every interface")
  func disabledEverywhere() async throws {
    try await TestServer.with(rules: Self.closed) { test throws in
      let user = try test.signUp("a@example.com")
      let legacy =
        "/v2/demo/auth/password?&email=a%40example.com&password=secret1&v=js-2.4.2&suppress_status_codes=true"
      let session = try test.identity("GET", legacy)["token"]
      #expect(try test.answer("GET", "/a.json?auth=\(session)") == "200 null")
      let disabled = try test.administer(
        "accounts:update", #"{"localId":"\#(user["localId"])","disableUser":true}"#)
      #expect(disabled.status == 200)
      #expect(try test.signIn("a@example.com").code == "USER_DISABLED")
      #expect(try test.identity("GET", legacy)["token"].isEmpty)
      #expect(try test.refresh(user["refreshToken"]).code == "USER_DISABLED")
      #expect(try test.app("accounts:lookup", #"{"idToken":"\#(user["idToken"])"}"#).code == "USER_DISABLED")
      for token in [user["idToken"], session] {
        #expect(try test.http("GET", "/a.json?auth=\(token)").status == 401)
        let socket = try test.socket()
        socket.request("auth", #"{"cred":"\#(token)"}"#)
        #expect(try socket.next() == #"r 1 expired_token "Auth token is expired.""#)
      }
    }
  }

  @Test("Security 68: wrong passwords are counted together on every interface and for every claimed address")
  func lockIsShared() async throws {
    try await TestServer.with {
      $0.accounts.limits.accountFailuresFree = 6
    } _: { test throws in
      _ = try test.signUp("a@example.com")
      _ = try test.signUp("b@example.com")
      let legacy = "/v2/demo/auth/password?&email=a%40example.com&password=wrong&v=js-2.4.2&suppress_status_codes=true"
      for number in 0..<4 {
        let spoofed = ["X-Forwarded-For": "203.0.113.\(number)", "X-Real-IP": "198.51.100.\(number)"]
        _ = try test.signIn("A@example.com", "wrong", headers: spoofed)
        _ = try test.identity("GET", legacy, headers: spoofed)
      }
      #expect(try test.signIn("a@example.com").code == "TOO_MANY_ATTEMPTS_TRY_LATER")
      let right = legacy.replacing("password=wrong", with: "password=secret1")
      let refused = try test.identity("GET", right, headers: ["X-Forwarded-For": "192.0.2.99"])
      #expect(refused.json["error"]?["code"]?.string == "LIMITS_EXCEEDED", "\(refused.text)")
      #expect(try test.signIn("b@example.com").status == 200)
    }
  }

  @Test("Security 19: behind a trusted proxy each client is counted separately")
  func proxiedClients() async throws {
    try await TestServer.with {
      $0.accounts.trustedProxies = ["127.0.0.1"]
      $0.accounts.limits.addressFailures = 3
    } _: { test throws in
      _ = try test.signUp("a@example.com")
      func tries(_ count: Int, from address: String, spoofing: String) throws -> [String] {
        try (0..<count).map { number in
          try test.signIn(
            "nobody\(number)@example.com", "wrong", headers: ["X-Forwarded-For": "\(spoofing)\(number), \(address)"]
          ).code
        }
      }
      let codes = try tries(6, from: "203.0.113.7", spoofing: "198.51.100.")
      #expect(codes.last == "TOO_MANY_ATTEMPTS_TRY_LATER", "\(codes)")
      #expect(
        try test.signIn("a@example.com", headers: ["X-Forwarded-For": "203.0.113.8"]).status == 200,
        "another client of the same proxy")
    }
  }

  @Test("any number of wrong secrets and tokens does not lock out a valid one, on any interface")
  func wrongSecrets() async throws {
    try await TestServer.with { test throws in
      let (secret, token) = (try test.secret, try test.token(uid: "u"))
      let wrong = [
        String(repeating: "w", count: 40), token.dropLast(4) + "AAAA", String(try test.adminToken.dropLast()) + "_",
      ]
      for round in 0..<20 {
        for credential in wrong {
          #expect(try test.http("GET", "/a.json?auth=\(credential)").status == 401)
        }
        _ = try test.identity(
          "POST", "/token", "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=a.b.\(round)",
          headers: ["Content-Type": "application/x-www-form-urlencoded"])
        _ = try test.app("accounts:signInWithCustomToken", #"{"token":"wrong \#(round)"}"#)
      }
      #expect(try test.http("GET", "/a.json?auth=\(secret)").status == 200)
      let socket = try test.socket()
      socket.request("auth", #"{"cred":"\#(secret)"}"#)
      #expect(try socket.next().hasPrefix("r 1 ok"))
      #expect(try test.administer("accounts:lookup", #"{"localId":["u"]}"#).status == 200)
      #expect(try test.app("accounts:signInWithCustomToken", #"{"token":"uid:u"}"#).status == 200)
    }
  }

  @Test("secrets can be disabled, and tokens signed by them stay valid")
  func secretsOff() async throws {
    try await TestServer.with(rules: Self.closed) {
      $0.acceptsRawSecrets = false
    } _: { test throws in
      #expect(try test.http("GET", "/a.json?auth=\(try test.secret)").status == 401)
      #expect(try test.http("GET", "/a.json?auth=\(try test.token(uid: "u"))").status == 200)
    }
  }

  @Test(
    "Security 29: a credential expires by the monotonic clock", arguments: [-3_600_000, 0, 3_600_000])
  func clockSteps(stepMilliseconds: Int64) async throws {
    try await TestServices.with { test throws in
      let origin = RequestOrigin(address: "127.0.0.1", isFromLoopback: true)
      let start = Instant(wallMilliseconds: 1_800_000_000_000, monotonicMilliseconds: 5_000)
      let token = try test.setup.keys.adminTokens.mint(
        nowSeconds: start.wallMilliseconds / 1000, lifetimeSeconds: 600, random: .system)
      let caller = try test.authenticator.caller(token, override: nil, from: origin, now: start)
      #expect(caller.principal.deadlineMonotonicMilliseconds == 605_000)
      // A step of the wall clock during a connection does not change its deadline; a credential sent afterwards is
      // checked with the new time.
      let stepped = Instant(
        wallMilliseconds: start.wallMilliseconds + stepMilliseconds, monotonicMilliseconds: 6_000)
      let again = try? test.authenticator.caller(token, override: nil, from: origin, now: stepped)
      #expect((again == nil) == (stepMilliseconds > 600_000))
    }
  }

  @Test("Security 67: nor is it accepted for a page of another site in a browser on this machine")
  func ownerFromAPage() async throws {
    try await TestServer.with(rules: Self.closed, isEmulator: true) { test throws in
      for origin in ["http://localhost:3000", "http://app.localhost", "http://127.0.0.1:5000", "http://[::1]:5000"] {
        #expect(try Self.listAccounts(test, "owner", headers: ["Origin": origin]) == 200, "\(origin)")
      }
      for origin in ["https://evil.example", "http://localhost.evil.example", "null", "http://127.0.0.1.evil.example"] {
        #expect(try Self.listAccounts(test, "owner", headers: ["Origin": origin]) == 401, "\(origin)")
        #expect(try test.http("GET", "/a.json?auth=owner", headers: ["Origin": origin]).status == 401, "\(origin)")
        let codes = try test.http("GET", "/emulator/v1/projects/hearth/oobCodes", headers: ["Origin": origin])
        #expect(codes.status == 404, "\(origin)")
        let socket = try test.socket("ns=default", headers: "Origin: \(origin)\r\n")
        socket.request("gauth", #"{"cred":"owner"}"#)
        #expect(try socket.next().hasPrefix("r 1 invalid_token"), "\(origin)")
      }
      // A host name that points to this machine gives an attacker's page and the server the same origin.
      let connection = try LiveConnection(port: test.port)
      connection.send(Array("GET /a.json?auth=owner HTTP/1.1\r\nHost: evil.example:9000\r\n\r\n".utf8))
      #expect(try connection.takeHead().first?.contains(" 401 ") == true)
    }
  }

  @Test("Security 28: an access token grants only its scopes")
  func scopes() async throws {
    try await TestServices.with { test throws in
      let origin = RequestOrigin(address: "127.0.0.1", isFromLoopback: true)
      let now = SystemClock.now
      func opens(_ scopes: AdminScopes) throws -> (database: Bool, accounts: Bool) {
        let token = try test.setup.keys.adminTokens.mint(
          nowSeconds: now.wallMilliseconds / 1000, scopes: scopes, random: .system)
        let caller = try? test.authenticator.caller(token, override: nil, from: origin, now: now)
        return (caller != nil, test.authenticator.bearer(token, from: origin, now: now) != .refused)
      }
      #expect(try opens(.all) == (true, true))
      #expect(try opens(.database) == (true, false))
      #expect(try opens(.identity) == (false, true))
      #expect(try opens([]) == (false, false))
    }
  }

  @Test("programs with expired access tokens do not lock out the operator's secret")
  func oldAccessTokens() async throws {
    try await TestServer.with { test throws in
      for _ in 0..<30 {
        let old = try AdminTokens.generate(random: .system)
        #expect(try test.http("GET", "/a.json?access_token=\(old)").status == 401)
      }
      #expect(try test.http("GET", "/a.json?auth=\(try test.secret)").status == 200)
    }
  }
}
