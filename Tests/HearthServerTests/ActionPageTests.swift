import Foundation
import HearthAccounts
import HearthCrypto
import HearthTree
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

@Suite struct ActionPageTests {
  /// Returns a link's target on this server, without the origin, which names another machine.
  private static func target(_ link: String) -> String {
    let origin = "https://auth.example.com"
    #expect(link.hasPrefix(origin + "/"))
    return String(link.dropFirst(origin.count))
  }

  private static func mailedLink(
    _ test: TestServer, _ type: String, email: String = "a@example.com", more: String = ""
  ) async throws -> String {
    let answer = try test.app(
      "accounts:sendOobCode", #"{"requestType":"\#(type)","email":"\#(email)"\#(more)}"#)
    #expect(answer.status == 200, "\(answer.text)")
    return target(try await test.mailer.link(type == "EMAIL_SIGNIN" ? .emailSignIn : .resetPassword))
  }

  private static func post(_ test: TestServer, _ body: String) throws -> LiveResponse {
    try test.http(
      "POST", "/emulator/action", body, headers: ["Content-Type": "application/x-www-form-urlencoded"])
  }

  @Test("Security 40: opening an action page does not use its code")
  func looking() async throws {
    try await TestServer.with { test throws in
      _ = try test.signUp("a@example.com")
      let target = try await Self.mailedLink(test, "PASSWORD_RESET")
      for method in ["HEAD", "GET", "HEAD", "GET", "GET"] {
        let page = try test.http(method, target)
        #expect(page.status == 200)
        guard method == "GET" else { continue }
        #expect(page.body.contains("<form method=\"post\" action=\"") && page.body.contains("a@example.com"))
      }
      // A password in the link is ignored.
      #expect(try test.http("GET", target + "&newPassword=stolen1").status == 200)
      #expect(try test.signIn("a@example.com").status == 200)
      let done = try Self.post(test, "mode=resetPassword&oobCode=\(code(of: target))&newPassword=fresh-pass")
      #expect(done.status == 200 && done.body.contains("Your password was changed"))
      #expect(try test.signIn("a@example.com").code == "INVALID_LOGIN_CREDENTIALS")
      #expect(try test.signIn("a@example.com", "fresh-pass").status == 200)
      #expect(try test.http("GET", target).status == 400)
      #expect(try Self.post(test, "mode=resetPassword&oobCode=\(code(of: target))&newPassword=again-1").status == 400)
    }
  }

  @Test("the pages need no script, load no resources, and send no referrer")
  func policy() async throws {
    try await TestServer.with { test throws in
      _ = try test.signUp("a@example.com")
      for target in [try await Self.mailedLink(test, "PASSWORD_RESET"), "/__/auth/action?mode=x", "/__/auth/handler"] {
        let page = try test.http("GET", target)
        #expect(page.headers["content-type"] == "text/html; charset=utf-8")
        #expect(page.headers["referrer-policy"] == "no-referrer" && page.headers["cache-control"] == "no-store")
        #expect(page.headers["x-frame-options"] == "DENY" && page.headers["x-content-type-options"] == "nosniff")
        let policy = try #require(page.headers["content-security-policy"])
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-") && !policy.contains("unsafe"))
        let style = try #require(page.body.split(separator: "<style>").last?.split(separator: "</style>").first)
        let hash = Data(Digest(sha256: style.utf8).bytes).base64EncodedString()
        #expect(policy.contains("'sha256-\(hash)'"), "a browser would not use the style")
        #expect(!page.body.contains("<script") && !page.body.contains("src=") && !page.body.contains(" style="))
      }
    }
  }

  @Test("a too short password is requested again, and the code stays valid")
  func weakPassword() async throws {
    try await TestServer.with { test throws in
      _ = try test.signUp("a@example.com")
      let code = code(of: try await Self.mailedLink(test, "PASSWORD_RESET"))
      for password in ["", "&newPassword=", "&newPassword=12345"] {
        let page = try Self.post(test, "mode=resetPassword&oobCode=\(code)\(password)")
        #expect(page.status == 200 && page.body.contains("class=\"problem\"") && page.body.contains("<form"))
      }
      #expect(try Self.post(test, "mode=resetPassword&oobCode=\(code)&newPassword=123456").status == 200)
      #expect(try test.signIn("a@example.com", "123456").status == 200)
    }
  }

  @Test("a page accepts only codes and forms of its kind")
  func wrongKind() async throws {
    try await TestServer.with { test throws in
      let user = try test.signUp("a@example.com")
      _ = try test.app(
        "accounts:sendOobCode", #"{"requestType":"VERIFY_EMAIL","idToken":"\#(user["idToken"])"}"#)
      let target = Self.target(try await test.mailer.link(.verifyEmail))
      let code = code(of: target)
      for mode in ["recoverEmail", "verifyAndChangeEmail", "resetPassword"] {
        #expect(try Self.post(test, "mode=\(mode)&oobCode=\(code)&newPassword=123456").status == 400)
        #expect(try test.http("GET", "/emulator/action?mode=\(mode)&oobCode=\(code)").status == 400)
      }
      for body in ["", "mode=verifyEmail", "oobCode=\(code)", "mode=verifyEmail&mode=resetPassword&oobCode=\(code)"] {
        #expect(try Self.post(test, body).status == 400, "\(body)")
      }
      #expect(try test.http("PUT", target, "x").status == 405)
      #expect(try Self.post(test, "mode=verifyEmail&oobCode=\(code)").body.contains("Your address is confirmed"))
      let lookup = try test.app("accounts:lookup", #"{"idToken":"\#(user["idToken"])"}"#)
      #expect(lookup.json["users"]?.array?.first?["emailVerified"]?.bool == true)
    }
  }

  @Test("request parameters never become markup")
  func escaping() async throws {
    let (evil, escaped) = (
      "\"><script>alert('1')</script>&", "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;"
    )
    #expect(HTMLText.escaped(evil) == escaped)
    try await TestServer.with {
      $0.accounts.mail.appName = evil
    } _: { test throws in
      _ = try test.signUp("a@example.com")
      let target = try await Self.mailedLink(test, "PASSWORD_RESET")
      let page = try test.http("GET", target + "&tenantId=%22%3E%3Cscript%3E&continueUrl=%22%3E%3Cscript%3E")
      #expect(page.status == 200 && page.body.contains(escaped))
      #expect(!page.body.contains("<script"))
    }
  }

  @Test(
    "Security 41: a continue URL leads to allowed hosts only",
    arguments: [
      "https://evil.example/", "//evil.example", "javascript:alert(1)", "https://app.example@evil.example/",
      "https://app.example.evil.example/", "https://app.example./", "https://xn--pp-xja.example/",
      "https://APP.example%2eevil/", "data:text/html,x", "http://evil.example\\@app.example/", "https:app.example",
      "/path",
      "https://app.example\u{0}.evil/", "https://app.example%00.evil/", "https:///evil.example",
    ])
  func refusedContinueURL(url: String) async throws {
    try await TestServer.with { test throws in
      _ = try test.signUp("a@example.com")
      let member = JSON.object([.init("continueUrl", .string(url))]).text().dropFirst().dropLast()
      let refused = try test.app(
        "accounts:sendOobCode",
        #"{"requestType":"PASSWORD_RESET","email":"a@example.com",\#(String(decoding: member, as: UTF8.self))}"#)
      #expect(["UNAUTHORIZED_DOMAIN", "INVALID_CONTINUE_URI"].contains(refused.code), "\(refused.text)")
      // Nor is it a link when the URL is inserted into a mailed link.
      let target = try await Self.mailedLink(test, "PASSWORD_RESET")
      let encoded = url.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      let body = "mode=resetPassword&oobCode=\(code(of: target))&newPassword=123456&continueUrl=\(encoded)"
      let done = try Self.post(test, body)
      #expect(done.status == 200 && !done.body.contains("href="))
    }
  }

  @Test("Security 41: an allowed continue URL is a link, without a redirect")
  func allowedContinueURL() async throws {
    try await TestServer.with { test throws in
      _ = try test.signUp("a@example.com")
      let target = try await Self.mailedLink(
        test, "EMAIL_SIGNIN", more: #","continueUrl":"https://app.example/finish?a=1#top","canHandleCodeInApp":true"#)
      let page = try test.http("GET", target)
      #expect(page.status == 200 && page.headers["location"] == nil && !page.body.contains("http-equiv"))
      let link = "href=\"https://app.example/finish?a=1&amp;mode=signIn&amp;oobCode=\(code(of: target))"
      #expect(page.body.contains(link) && page.body.contains("#top\""))
      #expect(page.body.contains("rel=\"noreferrer noopener\""))
      let finished = try test.app(
        "accounts:signInWithEmailLink", #"{"email":"a@example.com","oobCode":"\#(code(of: target))"}"#)
      #expect(finished.status == 200, "the page has not used the code up")
    }
  }

  @Test("Security 42: no header of a request becomes part of a mailed link")
  func hostPoisoning() async throws {
    try await TestServer.with { test throws in
      _ = try test.signUp("a@example.com")
      let connection = try LiveConnection(port: test.port)
      let body = #"{"requestType":"PASSWORD_RESET","email":"a@example.com"}"#
      connection.send(
        Array(
          """
          POST \(TestServer.identityHost)/v1/accounts:sendOobCode?key=k HTTP/1.1\r
          Host: evil.example\r
          X-Forwarded-Host: evil.example\r
          X-Forwarded-Proto: http\r
          Forwarded: host=evil.example\r
          Origin: https://evil.example\r
          Content-Type: application/json\r
          Content-Length: \(body.utf8.count)\r
          \r
          \(body)
          """.utf8))
      #expect(try connection.takeHead().first?.contains(" 200 ") == true)
      let link = try await test.mailer.link(.resetPassword)
      #expect(link.hasPrefix("https://auth.example.com/"))
      #expect(test.mailer.messages.allSatisfy { !($0.text + $0.html + ($0.link ?? "")).contains("evil") })
    }
  }

  @Test("the handler pages are served under both of their names, and only other pages may embed the frame")
  func handlers() async throws {
    try await TestServer.with { test throws in
      for path in ["/emulator/auth/handler", "/__/auth/handler"] {
        let page = try test.http("GET", path)
        #expect(page.status == 400 && page.body.contains("This page opens from an app"))
      }
      for path in ["/emulator/auth/iframe", "/__/auth/iframe"] {
        let page = try test.http("GET", path)
        #expect(page.status == 200 && page.headers["x-frame-options"] == nil && page.body.contains("gapi"))
        #expect(page.headers["content-security-policy"]?.contains("frame-ancestors 'self' ") == true)
        #expect(page.headers["access-control-allow-origin"] == nil)
      }
    }
  }
}
