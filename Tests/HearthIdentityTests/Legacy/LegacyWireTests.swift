import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite struct LegacyWireTests {
  @Test("errors come with status 200 to clients that cannot read another, and with 400 to the others")
  func status() async throws {
    let fixture = try AdminFixture()
    let path = "/auth/password?&email=ann@example.com&password=wrong12"
    let suppressed = await fixture.legacy("GET", path + "&suppress_status_codes=true")
    let plain = await fixture.legacy("GET", path)
    #expect(suppressed.status == 200 && plain.status == 400)
    #expect(suppressed.body == plain.body)
    let json = try #require(JSON(parsing: plain.body))
    #expect(json["error"]?["message"]?.string?.isEmpty == false && json["error"]?["details"] == .null)
    #expect(plain.contentType.hasPrefix("application/json"))
  }

  @Test("a malformed request is refused with the status that its client can read")
  func malformed() async throws {
    let fixture = try AdminFixture()
    let broken = await fixture.legacy(
      "POST", "/users?suppress_status_codes=true", contentType: "application/json", body: "{")
    #expect(broken.status == 200 && JSON(parsing: broken.body)?.legacyCode == "INVALID_ARGUMENTS")
    #expect(await fixture.legacy("POST", "/users", contentType: "application/json", body: "{").status == 400)
  }

  @Test("requests with real HTTP methods, as forms and as JSON, have the same effect")
  func realVerbs() async throws {
    let fixture = try AdminFixture()
    let form = "application/x-www-form-urlencoded"
    let made = await fixture.legacy(
      "POST", "/users?transport=json", contentType: form, body: "email=ann%2Bx%40example.com&password=se+cret1")
    #expect(made.status == 200)
    let changed = await fixture.legacy(
      "PUT", "/users/ann%2Bx%40example.com/password", contentType: "application/json; charset=utf-8",
      body: #"{"oldPassword": "se cret1", "newPassword": "secret2"}"#)
    #expect(changed.status == 200)
    #expect(try await fixture.canSignIn("ann+x@example.com", "secret2"))
    let removed = await fixture.legacy(
      "DELETE", "/users/ann%2Bx%40example.com?_method=delete&password=secret2")
    #expect(removed.status == 200)
    #expect(fixture.accounts.store.view.userCount == 0)
  }

  @Test("a body takes precedence over a query, and an address in the path over both")
  func precedence() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.legacyUser("ann@example.com", "secret1")
    _ = try await fixture.legacyUser("bob@example.com", "secret2")
    let form = "application/x-www-form-urlencoded"
    let signedIn = await fixture.legacy(
      "GET", "/auth/password?email=ann@example.com&password=wrong12", contentType: form,
      body: "email=bob%40example.com&password=secret2")
    #expect(JSON(parsing: signedIn.body)?["password"]?["email"] == .string("bob@example.com"))
    let removed = await fixture.legacy(
      "DELETE", "/users/bob@example.com?email=ann@example.com&password=secret2", contentType: form,
      body: "email=ann@example.com")
    #expect(removed.status == 200)
    #expect(fixture.accounts.store.view.user(email: "ann@example.com") != nil)
    #expect(fixture.accounts.store.view.user(email: "bob@example.com") == nil)
  }

  @Test("a JSONP response is valid in old browsers: no line separator is unescaped")
  func lineSeparators() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(
      #"{"email": "ann@example.com", "password": "secret1", "photoUrl": "a\u2028b\u2029c\u20AC"}"#)
    let answer = await fixture.legacy("GET", "/auth/password?email=ann@example.com&password=secret1&callback=f")
    let text = String(decoding: answer.body, as: UTF8.self)
    #expect(text.contains(#""a\u2028b\u2029c€""#) && text.hasPrefix("/**/f({") && text.hasSuffix(");"))
    #expect(!text.unicodeScalars.contains { $0 == "\u{2028}" || $0 == "\u{2029}" })
  }

  @Test("Security 59: a JSONP response is wrapped in a valid function name only")
  func callbacks() async throws {
    let fixture = try AdminFixture()
    let good = await fixture.legacy("GET", "/auth/session?callback=fb.cb$_1&email=x")
    #expect(good.status == 200)
    #expect(good.contentType == "application/javascript; charset=utf-8")
    let text = String(decoding: good.body, as: UTF8.self)
    #expect(text.hasPrefix("/**/fb.cb$_1({") && text.hasSuffix("});"))
    for name in [
      "alert(1)//", "a%28", "%3Cscript%3E", "", "1a", "a%20b", "a%5Bb%5D", "a%00", "é", "a-b", ".a",
      String(repeating: "a", count: 129),
    ] {
      let refused = await fixture.legacy("GET", "/auth/session?callback=\(name)")
      #expect(refused.status == 400, "\(name)")
      #expect(refused.contentType.hasPrefix("application/json"))
      #expect(!String(decoding: refused.body, as: UTF8.self).contains("alert"))
    }
  }

  @Test("sign-in by popup or redirect is answered by a page without a redirect")
  func pages() async throws {
    let fixture = try AdminFixture()
    for path in [
      "/auth/facebook?transport=redirect&requestId=r&redirectTo=https://evil.example",
      "/auth/facebook?transport=popup", "/auth/channel",
    ] {
      let page = await fixture.legacy("GET", path)
      #expect(page.status == 501 && page.contentType.hasPrefix("text/html"))
      #expect(!String(decoding: page.body, as: UTF8.self).contains("evil"))
      #expect(!page.headers.contains { $0.name.lowercased() == "location" })
    }
    let session = await fixture.legacy("GET", "/auth/session?requestId=r&requestKey=k")
    #expect(JSON(parsing: session.body)?.legacyCode == "INVALID_ARGUMENTS")
  }

  @Test(
    "invalid requests of this interface are refused without a failure",
    arguments: [
      "/users/a/b/c/d",
      "/auth/password/x", "/auth/password?_method=PATCH", "/users?_method=", "/users", "/users?_method=post",
      "/users/ann@example.com/phone?_method=PUT", "/auth//token",
    ])
  func hostile(_ path: String) async throws {
    let fixture = try AdminFixture()
    for method in ["GET", "POST", "PUT", "DELETE", "HEAD"] {
      for (type, body) in [
        (nil, ""), ("application/json", "{"), ("application/json", "[1]"), ("application/json", #"{"email": [1]}"#),
        ("application/x-www-form-urlencoded", "a=%f&=&&"),
      ] as [(String?, String)] {
        let response = await fixture.legacy(method, path, contentType: type, body: body)
        #expect(response.status == 400)
        #expect(JSON(parsing: response.body)?.legacyCode == "INVALID_ARGUMENTS")
      }
    }
    #expect(fixture.accounts.store.view.userCount == 0)
  }

  @Test(
    "other paths belong to the database",
    arguments: ["", "/", "/nothing", "/users/%zz?_method=DELETE", "/users/%ff?_method=DELETE"])
  func foreignPaths(_ path: String) async throws {
    let fixture = try AdminFixture()
    for method in ["GET", "POST", "PUT", "DELETE"] { #expect(await fixture.legacy(method, path).status == 0) }
  }
}
