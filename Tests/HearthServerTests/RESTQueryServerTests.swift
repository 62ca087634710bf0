import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

@Suite struct RESTQueryServerTests {
  static let rules = """
    {"rules": {
      "scores": {".read": true, ".write": true, ".indexOn": ["points", ".value", "a/b"]},
      "bare": {".read": true, ".write": true},
      "mine": {".read": "query.orderByChild == 'owner' && query.equalTo == 'ann'", ".write": true,
        ".indexOn": "owner"},
      "pages": {".read": "query.orderByKey && query.limitToFirst <= 2", ".write": true}
    }}
    """

  private static func error(_ text: String) -> String { "{\n  \"error\" : \"\(text)\"\n}" }

  private static let scores =
    #"{"ann":{"points":5},"bob":{"points":7},"cy":{"points":5},"dan":{"points":"x"},"eve":{"n":1}}"#

  @Test("a filtered read returns the children within its bounds")
  func filters() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      #expect(try test.http("PUT", "/scores.json", Self.scores).status == 200)
      func keys(_ filter: String) throws -> String {
        let answer = try test.http("GET", "/scores.json?orderBy=\"points\"&\(filter)")
        guard answer.status == 200 else { return "\(answer.status) \(answer.body)" }
        return answer.body.split(separator: "\"").filter { $0.allSatisfy(\.isLetter) && (2...3).contains($0.count) }
          .joined(separator: " ")
      }
      #expect(try keys("limitToFirst=2") == "ann eve")
      #expect(try keys("limitToLast=2") == "bob dan")
      #expect(try keys("equalTo=5") == "ann cy")
      #expect(try keys("equalTo=5,\"cy\"") == "cy")
      #expect(try keys("startAt=5,\"b\"&endAt=7") == "bob cy")
      #expect(try keys("startAfter=5") == "bob dan")
      #expect(try keys("startAfter=5,\"ann\"&limitToFirst=1") == "cy")
      #expect(try keys("startAfter=5,\"[MIN_NAME]\"&limitToFirst=1") == "ann")
      #expect(try keys("endBefore=7") == "ann cy eve")
      #expect(try keys("equalTo=null") == "eve")
      #expect(try keys("startAt=\"w\"") == "dan")
      #expect(try keys("startAt=8&endAt=9") == "")
      #expect(try test.answer("GET", "/scores.json?orderBy=\"points\"&startAt=8&endAt=9") == "200 null")
      #expect(try test.answer("GET", "/scores/ann/points.json?orderBy=\"$priority\"&limitToFirst=1") == "200 null")
      #expect(try test.answer("GET", "/scores/ann.json?orderBy=\"$key\"&startAt=\"q\"") == "200 null")
      #expect(
        try test.answer("GET", "/scores/ann.json?orderBy=\"$key\"&startAt=\"a\"&print=pretty")
          == "200 {\n  \"points\" : 5\n}")
    }
  }

  @Test("arrays are made of the result, and priorities order it")
  func forms() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      #expect(try test.http("PUT", "/bare.json", #"[{".value":"a",".priority":3},"b","c","d"]"#).status == 200)
      #expect(try test.answer("GET", "/bare.json?orderBy=\"$key\"&limitToLast=3") == #"200 [null,"b","c","d"]"#)
      #expect(try test.answer("GET", "/bare.json?orderBy=\"$key\"&startAt=\"3\"") == #"200 {"3":"d"}"#)
      #expect(try test.answer("GET", "/bare.json?orderBy=\"$priority\"&limitToLast=1") == #"200 ["a"]"#)
      #expect(
        try test.answer("GET", "/bare.json?orderBy=\"$priority\"&startAt=3&format=export")
          == #"200 {"0":{".value":"a",".priority":3}}"#)
      #expect(try test.answer("GET", "/bare/0/.priority.json") == "200 3")
    }
  }

  @Test("an order without an index is refused, also for administrators")
  func indexes() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      func text(_ index: String, _ path: String) -> String {
        "400 "
          + Self.error(#"Index not defined, add \".indexOn\": \"\#(index)\", for path \"\#(path)\", to the rules"#)
      }
      let admin = "auth=\(try test.secret)"
      for credential in ["", admin] {
        #expect(
          try test.answer("GET", "/bare.json?orderBy=\"points\"&\(credential)") == text("points", "/bare"))
        #expect(
          try test.answer("GET", "/bare/x.json?orderBy=\"$value\"&limitToFirst=1&\(credential)")
            == text(".value", "/bare/x"))
        #expect(try test.answer("GET", "/bare.json?orderBy=\"$key\"&\(credential)") == "200 null")
        #expect(try test.answer("GET", "/bare.json?orderBy=\"$priority\"&\(credential)") == "200 null")
        #expect(try test.answer("GET", "/scores.json?orderBy=\"$value\"&\(credential)") == "200 null")
        #expect(try test.answer("GET", "/scores.json?orderBy=\"a/b\"&\(credential)") == "200 null")
      }
      // A client without read permission does not learn whether an index exists.
      #expect(
        try test.answer("GET", "/secret.json?orderBy=\"x\"") == "401 \(Self.error("Permission denied"))")
    }
  }

  @Test("rules see the query")
  func rules() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      #expect(try test.http("PUT", "/mine.json", #"{"a":{"owner":"ann"},"b":{"owner":"bob"}}"#).status == 200)
      #expect(try test.answer("GET", "/mine.json?orderBy=\"owner\"&equalTo=\"ann\"") == #"200 {"a":{"owner":"ann"}}"#)
      let denied = "401 \(Self.error("Permission denied"))"
      #expect(try test.answer("GET", "/mine.json?orderBy=\"owner\"&equalTo=\"bob\"") == denied)
      #expect(try test.answer("GET", "/mine.json") == denied)
      #expect(try test.http("PUT", "/pages.json", #"{"a":1,"b":2,"c":3}"#).status == 200)
      #expect(try test.answer("GET", "/pages.json?orderBy=\"$key\"&limitToFirst=2") == #"200 {"a":1,"b":2}"#)
      #expect(try test.answer("GET", "/pages.json?orderBy=\"$key\"&limitToFirst=3") == denied)
      #expect(try test.answer("GET", "/pages.json?shallow=true&limitToFirst=2") == #"200 {"a":true,"b":true}"#)
      #expect(test.log.lines.contains { $0.hasPrefix("info denied") && $0.contains("path=/pages") })
    }
  }

  @Test("tools read a location page by page")
  func pages() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let bodies = (0..<7).map { "\"k\($0)\":{\"x\":\($0)}" } + ["\"10\":1", "\"9\":2", "\"a b\":3"]
      #expect(try test.http("PUT", "/bare.json", "{\(bodies.joined(separator: ","))}").status == 200)
      var (pages, last): ([String], String) = ([], "")
      while true {
        let after = last.isEmpty ? "" : "&startAfter=\(last.split(separator: " ").joined(separator: "+"))"
        let page = try test.http("GET", "/bare.json?shallow=true&limitToFirst=3\(after)&timeout=1min").body
        pages.append(page)
        guard page != "null", pages.count < 10 else { break }
        last = String(page.split(separator: "\"")[page.split(separator: "\"").count - 2])
      }
      #expect(
        pages == [
          #"{"9":true,"10":true,"a b":true}"#, #"{"k0":true,"k1":true,"k2":true}"#,
          #"{"k3":true,"k4":true,"k5":true}"#, #"{"k6":true}"#, "null",
        ])
      #expect(
        try test.answer("GET", "/bare.json?shallow=true&limitToFirst=1&startAfter=\"a+b\"") == #"200 {"k0":true}"#)
      #expect(
        try test.answer("GET", "/bare.json?shallow=true&limitToLast=1&print=pretty") == "200 {\n  \"k6\" : true\n}")
      #expect(try test.answer("GET", "/bare/k0/x.json?shallow=true&limitToFirst=1") == "200 0")
      #expect(try test.answer("GET", "/bare/k0/x.json?shallow=true") == "200 0")
      #expect(try test.http("PUT", "/bare.json", "[1,2]").status == 200)
      #expect(try test.answer("GET", "/bare.json?shallow=true") == #"200 {"0":true,"1":true}"#)
    }
  }

  @Test("each query result has its own ETag")
  func tags() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      #expect(try test.http("PUT", "/bare.json", #"{"a":1,"b":2}"#).status == 200)
      let target = "/bare.json?orderBy=\"$key\"&limitToFirst=1"
      let first = try test.http("GET", target, headers: ["X-Firebase-ETag": "true"])
      let tag = try #require(first.headers["etag"])
      #expect(try test.http("PUT", "/bare/b.json", "3").status == 200)
      #expect(try test.http("GET", target, headers: ["If-None-Match": tag]).status == 304)
      #expect(try test.http("PUT", "/bare/a.json", "3").status == 200)
      let changed = try test.http("GET", target, headers: ["If-None-Match": tag])
      #expect(changed.status == 200 && changed.headers["etag"] != tag && changed.headers["etag"] != nil)
      let none = try test.http("GET", "/bare.json?orderBy=\"$key\"&startAt=\"x\"", headers: ["X-Firebase-ETag": "true"])
      #expect(none.headers["etag"] == "null_etag")
    }
  }

  @Test("many children are filtered outside the event loop, with the same result")
  func large() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let children = (0..<3_000).map { "\"c\($0)\":{\"points\":\($0 * 7 % 3_000)}" }.joined(separator: ",")
      #expect(try test.http("PUT", "/scores.json?print=silent", "{\(children)}").status == 204)
      #expect(
        try test.answer("GET", "/scores.json?orderBy=\"points\"&limitToLast=1&callback=f")
          == #"200 f({"c857":{"points":2999}});"#)
      let shallow = try test.http("GET", "/scores.json?shallow=true&limitToLast=2000")
      #expect(shallow.body.split(separator: ",").count == 2_000)
      #expect(try test.http("HEAD", "/scores.json?orderBy=\"points\"&limitToLast=1").headers["content-length"] == "24")
    }
  }
}
