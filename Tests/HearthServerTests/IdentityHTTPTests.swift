import HearthAccounts
import HearthTestKit
import HearthTree
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthIdentity
@testable import HearthServer
@testable import HearthTransport

@Suite struct IdentityHTTPTests {
  private static let open = #"{"rules":{".read":true,".write":true}}"#

  @Test("Security 58: a preflight allows the SDKs' headers, and never credentials")
  func preflight() async throws {
    try await TestServer.with { test throws in
      let wanted = "content-type,x-client-version,x-firebase-gmpid,content_type"
      for target in ["/identitytoolkit.googleapis.com/v1/accounts:signUp", "/v2/demo/auth/password", "/v1/token"] {
        let answer = try test.http(
          "OPTIONS", target,
          headers: [
            "Origin": "https://app.example", "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": wanted, "Access-Control-Request-Private-Network": "true",
          ])
        #expect(answer.status == 204 && answer.body.isEmpty, "\(target)")
        #expect(answer.headers["access-control-allow-origin"] == "https://app.example")
        #expect(answer.headers["access-control-allow-headers"] == wanted)
        #expect(answer.headers["access-control-allow-methods"]?.contains("POST") == true)
        #expect(answer.headers["access-control-allow-private-network"] == "true")
        #expect(answer.headers["access-control-max-age"] == "3600" && answer.headers["vary"] == "Origin")
        #expect(answer.headers["access-control-allow-credentials"] == nil)
      }
      let odd = try test.http(
        "OPTIONS", "/v1/token", headers: ["Origin": "https://a, https://b", "Access-Control-Request-Headers": "a<b"])
      #expect(odd.headers["access-control-allow-origin"] == "*")
      #expect(odd.headers["access-control-allow-headers"] == nil)
    }
  }

  @Test("every response forbids caching, type sniffing and referrers")
  func headers() async throws {
    try await TestServer.with { test throws in
      let done = try test.app(
        "accounts:signUp", #"{"returnSecureToken":true}"#, headers: ["Origin": "https://app.example"])
      let refused = try test.signIn("nobody@example.com")
      #expect(done.status == 200 && !done["idToken"].isEmpty && !done["refreshToken"].isEmpty)
      #expect(refused.code == "INVALID_LOGIN_CREDENTIALS")
      for answer in [done, refused] {
        #expect(answer.headers["content-type"] == "application/json; charset=utf-8")
        #expect(answer.headers["cache-control"] == "no-store")
        #expect(answer.headers["x-content-type-options"] == "nosniff")
        #expect(answer.headers["referrer-policy"] == "no-referrer")
        #expect(answer.headers["access-control-allow-credentials"] == nil)
      }
      #expect(done.headers["access-control-allow-origin"] == "https://app.example")
      #expect(done.headers["x-request-id"] != refused.headers["x-request-id"])
    }
  }

  @Test("paths that only resemble identity routes are data paths")
  func dataPaths() async throws {
    try await TestServer.with(rules: Self.open) { test throws in
      for path in ["/v1/accounts.json", "/v2/demo/users.json", "/v2/demo/users/a/b.json", "/token.json"] {
        #expect(try test.answer("PUT", path, "1") == "200 1")
        #expect(try test.answer("GET", path) == "200 1")
      }
    }
  }

  @Test("Security 60: an oversized body is refused before it is read; an import may be larger")
  func bodyLimits() async throws {
    try await TestServer.with { test throws in
      let limit = IdentityBody.sizeBytesMax
      func body(_ count: Int) -> String {
        let frame = #"{"returnSecureToken":true,"x":""}"#
        return #"{"returnSecureToken":true,"x":""# + String(repeating: "a", count: count - frame.utf8.count) + "\"}"
      }
      #expect(try test.app("accounts:signUp", body(limit)).status == 200)
      let long = try test.app("accounts:signUp", body(limit + 1))
      #expect(long.status == 413 && long.json["error"]?["code"]?.int == 413)
      #expect(long.headers["connection"] == "close")
      // Without a content length the body is counted as it arrives.
      let connection = try LiveConnection(port: test.port)
      connection.send(
        Array(
          "POST /v1/accounts:signUp?key=k HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
      let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0x61, count: 65_536) + Array("\r\n".utf8)
      for _ in 0..<5 { connection.send(chunk) }
      #expect(try connection.takeHead().first == "HTTP/1.1 413 Payload Too Large")
      // An import of that length does not fail because of its size.
      let users = #"{"users":[{"localId":"u","photoUrl":""# + String(repeating: "a", count: limit) + #""}]}"#
      #expect(try test.administer("accounts:batchCreate", users).status != 413)
    }
  }

  @Test("a malformed request is refused in the form of the identity protocol")
  func unreadable() async throws {
    try await TestServer.with { test throws in
      for (target, body) in [("/v1/accounts:signUp?key=%FF", "{}"), ("/v1/accounts:signUp?key=k", "{")] {
        let answer = try test.identity("POST", target, body, headers: ["Host": "identitytoolkit.googleapis.com"])
        #expect(answer.status == 400, "\(target)")
      }
      let broken = try test.app("accounts:signUp", "{\"a\":")
      #expect(broken.status == 400 && broken.json["error"]?["errors"]?.array?.count == 1)
      #expect(broken.json["error"]?["message"]?.string != nil)
    }
  }

  @Test("Security 62: with too many requests in progress, lookup and refresh answer 503 without JSON")
  func overload() async throws {
    let slow = SlowProvider()
    try await TestServer.with {
      $0.plugins.providers = [slow]
      $0.identityRequestsMax = 1
    } _: { test throws in
      let waiting = Task.detached { try test.app("accounts:signUp", "{\"returnSecureToken\":true}") }
      #expect(try await Polling.until { slow.askedCount > 0 })
      let lookup = try test.app("accounts:lookup", #"{"idToken":"x"}"#, headers: ["Origin": "https://app.example"])
      for answer in [lookup, try test.refresh("x")] {
        #expect(answer.status == 503 && answer.headers["retry-after"] == "5")
        #expect(answer.headers["content-type"] == "text/plain; charset=utf-8")
        #expect(JSON(parsing: answer.text.utf8) == nil, "clients take JSON for a word about their user")
      }
      #expect(lookup.headers["access-control-allow-origin"] == "https://app.example")
      #expect(
        test.log.lines.count { $0.contains("too many concurrent identity requests") } == 1, "told once, not for each")
      slow.open()
      #expect(try await waiting.value.status == 200)
      // The memory is released after the answer.
      var again = try test.app("accounts:lookup", #"{"idToken":"x"}"#)
      try await Polling.until {
        again = try test.app("accounts:lookup", #"{"idToken":"x"}"#)
        return again.status != 503
      }
      #expect(again.code == "INVALID_ID_TOKEN")
    }
  }

  @Test("Security 65: a failing plugin denies, and its message is not disclosed")
  func brokenPlugin() async throws {
    try await TestServer.with {
      $0.plugins.providers = [BrokenProvider(), TestPasswords()]
      $0.plugins.mailer = BrokenMailer()
    } _: { test throws in
      let answer = try test.app("accounts:signUp", #"{"returnSecureToken":true}"#)
      #expect(answer.status >= 400 && answer["idToken"].isEmpty)
      for word in ["SELECT", "/srv", "swift", "Broken"] { #expect(!answer.text.contains(word)) }
      // The response to a failed mail equals that to an unknown address.
      #expect(try test.signUp("m@example.com").status == 200)
      let request = #"{"requestType":"PASSWORD_RESET","email":"EMAIL"}"#
      let known = try test.app("accounts:sendOobCode", request.replacing("EMAIL", with: "m@example.com"))
      let unknown = try test.app("accounts:sendOobCode", request.replacing("EMAIL", with: "n@example.com"))
      #expect(known.status == unknown.status)
    }
  }

  @Test("Security 59: a callback that is not a function name is refused")
  func callbacks() async throws {
    try await TestServer.with { test throws in
      let target = "/v2/demo/auth/anonymous?&v=js-2.4.2&transport=json&suppress_status_codes=true&callback="
      let good = try test.http("GET", target + "cb.x$_1")
      #expect(good.headers["content-type"]?.hasPrefix("application/javascript") == true)
      #expect(good.body.hasPrefix("/**/cb.x$_1(") && good.headers["x-content-type-options"] == "nosniff")
      for name in ["alert(1)//", "a%3Cscript%3E", "a%0Ab", "1a", "", "a%00", String(repeating: "a", count: 129)] {
        let answer = try test.http("GET", target + name)
        #expect(answer.headers["content-type"]?.contains("javascript") != true, "\(name)")
        #expect(!answer.body.contains("<script>") && !answer.body.contains("alert(1)"), "\(name)")
      }
    }
  }

  @Test("the configuration of web apps comes from the settings, not from the request")
  func webConfiguration() async throws {
    try await TestServer.with { test throws in
      let answer = try test.identity("GET", "/__/firebase/init.json", headers: ["X-Forwarded-Host": "evil.example"])
      #expect(answer["projectId"] == "hearth" && answer["authDomain"] == "auth.example.com")
      #expect(answer["databaseURL"] == "https://auth.example.com/?ns=default")
      #expect(!answer["apiKey"].isEmpty && !answer.text.contains("evil"))
      #expect(try test.identity("POST", "/__/firebase/init.json", "{}").status == 405)
    }
  }
}
