import HearthTree
import NIOCore
import NIOHTTP1
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// Tests of routing: the responder for a request, and the form in which the transport refuses one.
@Suite struct RouteTests {
  private static func request(_ method: HTTPMethod, _ target: String) throws -> HTTPRequest {
    HTTPRequest(
      method: method, target: target, headers: ["Host": "localhost", "Origin": "https://app.example"],
      peer: Peer(address: try SocketAddress(ipAddress: "127.0.0.1", port: 1), isEncrypted: false))
  }

  private static func text(_ response: HTTPResponse) -> String { String(buffer: response.body) }

  @Test(
    "Security 62: also when memory is short, lookup and refresh answer without JSON",
    arguments: [
      "/identitytoolkit.googleapis.com/v1/accounts:lookup?key=k", "/securetoken.googleapis.com/v1/token?key=k",
    ])
  func overload(target: String) async throws {
    try await TestServices.with { test throws in
      let request = try Self.request(.POST, target)
      for (failure, status) in [
        (HTTPFailure.overloaded, 503), (.internalError, 500), (.timeout, 408), (.unreachable, 503),
        (.outcomeUnknown, 503), (.unrelayable, 502),
      ] {
        let response = test.site.response(to: failure, for: request)
        #expect(response.status.code == status)
        #expect(JSON(parsing: Self.text(response).utf8) == nil, "clients take JSON for a word about their user")
        let mayBeDone = failure == .outcomeUnknown || failure == .unrelayable
        #expect(response.headers.contains { $0.name == "Retry-After" } != mayBeDone, "nobody is told to do it twice")
        #expect(response.headers.contains { $0 == ("Access-Control-Allow-Origin", "https://app.example") })
      }
      let malformed = test.site.response(to: .malformed, for: request)
      #expect(JSON(parsing: Self.text(malformed).utf8)?["error"]?["errors"]?.array?.count == 1)
    }
  }

  @Test("data requests are refused in the form of REST, page requests in sentences for people")
  func otherPlaces() async throws {
    try await TestServices.with { test throws in
      let data = test.site.response(to: .overloaded, for: try Self.request(.PUT, "/a.json"))
      #expect(JSON(parsing: Self.text(data).utf8)?["error"]?.string != nil)
      let page = test.site.response(to: .overloaded, for: try Self.request(.POST, "/__/auth/action"))
      #expect(page.status == .serviceUnavailable && Self.text(page).hasPrefix("<!DOCTYPE html>"))
      #expect(JSON(parsing: Self.text(test.site.response(to: .malformed, for: nil)).utf8)?["error"]?.string != nil)
    }
  }

  @Test("the port has every route except that of plugins, and the local socket those for programs")
  func listeners() async throws {
    try await TestServices.with { test throws in
      let all = test.routes.rows.map(\.name)
      #expect(test.routes.list(for: .port).routes.map(\.name) == all.filter { $0 != "plugins" })
      let inFolder = [
        "health", "plugins", "console links", "erasures", "cluster", "what nodes decide together",
        "receipts of another node",
        "identity endpoints",
      ]
      #expect(test.routes.list(for: .folder).routes.map(\.name) == inFolder)
      #expect(test.routes.list(for: .console).routes.isEmpty)
      #expect(Set(all).count == all.count, "a row is known by its name")
    }
  }

  @Test("a console with its own address is served only there, and serves nothing else")
  func consoleByItself() async throws {
    var options = ConsoleOptions()
    options.address = .init(host: "127.0.0.1", port: 0)
    try await TestServices.with(console: options) { test throws in
      #expect(test.routes.list(for: .console).routes.map(\.name) == ["console"])
      #expect(!test.routes.list(for: .port).routes.contains { $0.name == "console" })
      let answer = test.routes.list(for: .console).response(to: .overloaded, for: try Self.request(.GET, "/a.json"))
      #expect(JSON(parsing: Self.text(answer).utf8)?["error"]?.string != nil)
    }
  }

  @Test("each request is answered by the first route that it matches, and by REST when there is none")
  func order() async throws {
    try await TestServices.with { test throws in
      let rows = test.routes.rows
      for (target, name) in [
        ("/__/firebase/init.json", "web app configuration"), ("/.lp?start=t", "long polls"),
        ("/__/auth/action?mode=x", "pages of mailed links"), ("/__/auth/handler", "pages of mailed links"),
        ("/identitytoolkit.googleapis.com/v1/accounts:lookup", "identity endpoints"),
        ("/securetoken.googleapis.com/v1/token", "identity endpoints"), ("/a.json", nil), ("/", "health"),
        ("/.ready", "health"), ("/.health/live", "health"), ("/.health/ready?x", "health"), ("/.health", nil),
        ("/.metrics", nil), ("/.console", "console"), ("/.console/", "console"),
        ("/.console/api/session", "console"), ("/.consoles", nil), ("/.settings/console.json", "console links"),
        ("/.lp.json", nil), ("/.settings/rules.json", nil),
      ] as [(String, String?)] {
        let request = try Self.request(.GET, target)
        #expect(rows.first { $0.responder(RoutedRequest(request)) != nil }?.name == name, "\(target)")
      }
    }
  }

  @Test("paths without a route on a listener belong to the database")
  func folder() async throws {
    try await TestServices.with { test throws in
      let page = try Self.request(.POST, "/__/auth/action")
      let refusal = test.routes.list(for: .folder).response(to: .overloaded, for: page)
      #expect(JSON(parsing: Self.text(refusal).utf8)?["error"]?.string != nil)
      #expect(Self.text(test.site.response(to: .overloaded, for: page)).hasPrefix("<!DOCTYPE html>"))
    }
  }

  @Test("the path ends at the first question mark")
  func queries() throws {
    // The question mark and an accent after it look like one character.
    let request = try Self.request(.GET, "/v1/token?\u{301}key=k?a")
    #expect(request.path == "/v1/token")
    #expect(String(decoding: Array(request.query), as: UTF8.self) == "\u{301}key=k?a")
    #expect(try Self.request(.GET, "/a").query.isEmpty)
  }
}
