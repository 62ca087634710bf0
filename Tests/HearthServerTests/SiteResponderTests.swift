import HearthTree
import NIOCore
import NIOHTTP1
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// What the transport itself refuses, and in whose words.
@Suite struct SiteResponderTests {
  private static func request(_ method: HTTPMethod, _ target: String) throws -> HTTPRequest {
    HTTPRequest(
      method: method, target: target, headers: ["Host": "localhost", "Origin": "https://app.example"],
      peer: Peer(address: try SocketAddress(ipAddress: "127.0.0.1", port: 1), isEncrypted: false))
  }

  private static func text(_ response: HTTPResponse) -> String { String(buffer: response.body) }

  @Test(
    "Security 62: when memory is short, too, lookup and refresh answer without JSON",
    arguments: [
      "/identitytoolkit.googleapis.com/v1/accounts:lookup?key=k", "/securetoken.googleapis.com/v1/token?key=k",
    ])
  func overload(target: String) async throws {
    try await TestServices.with { test throws in
      let request = try Self.request(.POST, target)
      for (failure, status) in [(HTTPFailure.overloaded, 503), (.internalError, 500), (.timeout, 408)] {
        let response = test.site.response(to: failure, for: request)
        #expect(response.status.code == status)
        #expect(JSON(parsing: Self.text(response).utf8) == nil, "clients take JSON for a word about their user")
        #expect(response.headers.contains { $0.name == "Retry-After" })
        #expect(response.headers.contains { $0 == ("Access-Control-Allow-Origin", "https://app.example") })
      }
      let malformed = test.site.response(to: .malformed, for: request)
      #expect(JSON(parsing: Self.text(malformed).utf8)?["error"]?["errors"]?.array?.count == 1)
    }
  }

  @Test("data is refused in the words of REST, a page in words for people")
  func otherPlaces() async throws {
    try await TestServices.with { test throws in
      let data = test.site.response(to: .overloaded, for: try Self.request(.PUT, "/a.json"))
      #expect(JSON(parsing: Self.text(data).utf8)?["error"]?.string != nil)
      let page = test.site.response(to: .overloaded, for: try Self.request(.POST, "/__/auth/action"))
      #expect(page.status == .serviceUnavailable && Self.text(page).hasPrefix("<!DOCTYPE html>"))
      #expect(JSON(parsing: Self.text(test.site.response(to: .malformed, for: nil)).utf8)?["error"]?.string != nil)
    }
  }

  @Test("the path ends at the first question mark, whatever follows it")
  func queries() throws {
    // The mark and an accent behind it look like one character.
    let request = try Self.request(.GET, "/v1/token?\u{301}key=k?a")
    #expect(request.path == "/v1/token")
    #expect(String(decoding: Array(request.query), as: UTF8.self) == "\u{301}key=k?a")
    #expect(try Self.request(.GET, "/a").query.isEmpty)
  }
}
