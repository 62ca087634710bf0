import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// Tests of event streams with a query.
@Suite struct StreamQueryTests {
  private static let rules = """
    {"rules": {
      "list": {".read": true, ".write": true, ".indexOn": "n"},
      "pages": {".read": "query.limitToLast <= 2", ".write": true}
    }}
    """

  @Test func `a stream with a query sends the window and its changes`() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      _ = try test.answer("PUT", "/list.json", #"{"a":{"n":1},"b":{"n":2},"c":{"n":3}}"#)
      let stream = try test.stream("/list.json?orderBy=%22n%22&limitToLast=2")
      #expect(try stream.next() == #"put|{"path":"/","data":{"b":{"n":2},"c":{"n":3}}}"#)
      // Below the window: no event follows.
      _ = try test.answer("PUT", "/list/a/n.json", "0")
      _ = try test.answer("PUT", "/list/c/text.json", "\"x\"")
      #expect(try stream.next() == #"put|{"path":"/c/text","data":"x"}"#)
      _ = try test.answer("PUT", "/list/d.json", #"{"n":9}"#)
      let entered = try stream.next()
      #expect(entered.hasPrefix(#"patch|{"path":"/","data":{"#) && entered.hasSuffix("}}"))
      #expect(entered.contains(#""d":{"n":9}"#) && entered.contains(#""b":null"#))
      _ = try test.answer("DELETE", "/list/d.json")
      let left = try stream.next()
      #expect(left.contains(#""d":null"#) && left.contains(#""b":{"n":2}"#))
      let keys = try test.stream("/list.json?orderBy=%22$key%22&startAt=%22b%22")
      #expect(try keys.next() == #"put|{"path":"/","data":{"b":{"n":2},"c":{"n":3,"text":"x"}}}"#)
      let empty = try test.stream("/list.json?orderBy=%22$key%22&startAt=%22x%22")
      #expect(try empty.next() == #"put|{"path":"/","data":null}"#)
    }
  }

  @Test func `rules see the query of a stream`() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let accept = ["Accept": "text/event-stream"]
      #expect(try test.http("GET", "/pages.json", headers: accept).status == 401)
      #expect(try test.http("GET", "/pages.json?orderBy=%22$key%22&limitToLast=3", headers: accept).status == 401)
      let stream = try test.stream("/pages.json?orderBy=%22$key%22&limitToLast=2")
      #expect(try stream.next() == #"put|{"path":"/","data":null}"#)
      _ = try test.answer("PUT", "/pages/p.json", "1")
      #expect(try stream.next().contains(#"1"#))
    }
  }
}
