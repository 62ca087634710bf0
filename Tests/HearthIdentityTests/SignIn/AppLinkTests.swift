import Foundation
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite("Mailed links that open apps") struct AppLinkTests {
  private static let app: [JSON.Member] = [
    .init("continueUrl", "https://localhost/x?a=1&b=2"), .init("canHandleCodeInApp", true),
    .init("iOSBundleId", "org.example.app"),
  ]

  private func link(_ fixture: IdentityFixture, _ type: String, _ members: [JSON.Member]) async throws -> String {
    let answer = try await fixture.administer(
      "accounts:sendOobCode",
      .object(
        [
          .init("requestType", .string(type)), .init("email", "a@b.example"), .init("newEmail", "new@b.example"),
          .init("returnOobLink", true),
        ] + members))
    return try #require(answer.json["oobLink"]?.string, "\(answer.text)")
  }

  @Test("An app gets the link inside another one, with the path that apps register, on the requested domain")
  func forApps() async throws {
    let fixture = try IdentityFixture { $0.pageDomains = ["app.example.com"] }
    _ = try await fixture.signUp("a@b.example")
    for type in ["PASSWORD_RESET", "VERIFY_EMAIL", "EMAIL_SIGNIN", "VERIFY_AND_CHANGE_EMAIL"] {
      for (domain, host) in [("", "auth.example.com"), ("app.example.com", "app.example.com")] {
        let outer = try await link(fixture, type, Self.app + [.init("linkDomain", .string(domain))])
        let parts = try #require(URLComponents(string: outer))
        #expect(parts.host == host && parts.path == "/__/auth/links" && parts.queryItems?.count == 1, "\(outer)")
        let inner = try #require(parts.queryItems?.first { $0.name == "link" }?.value)
        #expect(inner.hasPrefix("https://\(host)/__/auth/action?mode="))
        let items = URLComponents(string: inner)?.queryItems
        #expect(items?.first { $0.name == "continueUrl" }?.value == "https://localhost/x?a=1&b=2")
        #expect(items?.first { $0.name == "oobCode" }?.value?.isEmpty == false)
      }
    }
    _ = try await fixture.sendCode("EMAIL_SIGNIN", .object([.init("email", "a@b.example")] + Self.app))
    #expect(await fixture.mails().last?.link?.hasPrefix("https://auth.example.com/__/auth/links?link=https%3A") == true)
  }

  @Test("A browser gets the plain link, and so does every client of an emulator")
  func plain() async throws {
    for members in [
      [], Array(Self.app.dropLast()), Array(Self.app.dropLast()) + [.init("androidPackageName", "")],
      [Self.app[0], .init("canHandleCodeInApp", false), Self.app[2]],
    ] {
      let fixture = try IdentityFixture()
      _ = try await fixture.signUp("a@b.example")
      #expect(try await link(fixture, "PASSWORD_RESET", members).hasPrefix("https://auth.example.com/__/auth/action?"))
    }
    let emulator = try IdentityFixture { $0.isEmulator = true }
    _ = try await emulator.signUp("a@b.example")
    #expect(try await link(emulator, "PASSWORD_RESET", Self.app).contains("/emulator/action?"))
  }

  @Test("Without an app the browser is redirected to the inner link, and to no other")
  func page() async throws {
    let fixture = try IdentityFixture { $0.pageDomains = ["app.example.com"] }
    func open(_ links: [String], method: String = "GET") async throws -> IdentityResponse {
      try await fixture.send(
        "/__/auth/links", [], method: method, query: links.map { (name: "link", value: $0) }
      ).response
    }
    func location(_ response: IdentityResponse) -> String? { response.headers.first { $0.name == "Location" }?.value }
    for origin in ["https://auth.example.com", "https://app.example.com"] {
      let link = "\(origin)/__/auth/action?mode=signIn&oobCode=x"
      let response = try await open([link])
      #expect(response.status == 303 && location(response) == link)
    }
    let good = "https://auth.example.com/__/auth/action?mode=signIn"
    for links in [
      [], [""], [good, good], ["https://evil.example/__/auth/action?mode=signIn"],
      ["https://auth.example.com.evil.example/__/auth/action?x"],
      ["https://auth.example.com@evil.example/__/auth/action?"],
      ["https://auth.example.com/__/auth/action/../../x?"], ["http://auth.example.com/__/auth/action?x"],
      ["//auth.example.com/__/auth/action?x"], ["javascript:alert(1)"], ["\(good)\r\nSet-Cookie: a=b"],
      ["\(good)\u{202E}"],
      ["https://auth.example.com/__/auth/links?link=x"],
    ] {
      let response = try await open(links)
      #expect(response.status == 400 && location(response) == nil, "\(links)")
    }
    #expect(try await open([good], method: "POST").status == 405)
  }
}
