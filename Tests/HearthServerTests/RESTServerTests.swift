import HearthTree
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

@Suite struct RESTServerTests {
  static let rules = """
    {"rules": {
      "public": {".read": true, ".write": true},
      "written": {".write": true},
      "users": {"$uid": {
        ".read": "auth != null && auth.uid == $uid", ".write": "auth != null && auth.uid == $uid"}}
    }}
    """

  private static func error(_ text: String) -> String { "{\n  \"error\" : \"\(text)\"\n}" }

  @Test func everyMethodDoesItsWorkAndAnswersInItsWay() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      #expect(try test.answer("GET", "/public/a.json") == "200 null")
      #expect(try test.answer("PUT", "/public/a.json", #"{"x":1,"y":[1,null,3]}"#) == #"200 {"x":1,"y":[1,null,3]}"#)
      #expect(try test.answer("GET", "/public/a/x.json") == "200 1")
      #expect(
        try test.answer("PATCH", "/public.json", #"{"a/x":2,"a/y":null,"b":true}"#)
          == #"200 {"a/x":2,"a/y":null,"b":true}"#)
      #expect(try test.answer("GET", "/public.json") == #"200 {"a":{"x":2},"b":true}"#)
      #expect(try test.answer("GET", "/public.json?shallow=true") == #"200 {"a":true,"b":true}"#)
      #expect(try test.answer("GET", "/public/b.json?shallow=true") == "200 true")
      #expect(
        try test.answer("GET", "/public.json?print=pretty")
          == "200 {\n  \"a\" : {\n    \"x\" : 2\n  },\n  \"b\" : true\n}"
      )
      #expect(try test.answer("DELETE", "/public/a.json") == "200 null")
      #expect(try test.answer("PATCH", "/public/b.json", "null") == "200 null")
      #expect(try test.answer("PATCH", "/public.json", "{}") == "200 {}")
      #expect(try test.answer("GET", "/public.json") == "200 null")
      #expect(try test.answer("PUT", "/public/a.json?print=silent", "1") == "204 ")
      #expect(try test.answer("GET", "/public/a.json?print=silent") == "204 ")
      let head = try test.http("HEAD", "/public/a.json")
      #expect(head.status == 200 && head.headers["content-length"] == "1" && head.body.isEmpty)
    }
  }

  @Test func aPostMakesANameThatSortsByTime() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let names = try (0..<3).map { try test.http("POST", "/public/list.json", "\"m\($0)\"").body }
      #expect(names == names.sorted() && Set(names).count == 3)
      #expect(names.allSatisfy { $0.hasPrefix("{\"name\":\"-") && $0.utf8.count == 31 })
      let name = names[1].dropFirst(9).dropLast(2)
      #expect(try test.answer("GET", "/public/list/\(name).json") == "200 \"m1\"")
      #expect(try test.http("POST", "/public/list.json", "null").status == 200)
      #expect(
        try test.answer("POST", "/public/list/.priority.json", "1") == "400 \(Self.error("Invalid token in path"))")
    }
  }

  @Test func everyAnswerCanBeReadByBrowsersOfAnyOrigin() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      for target in ["/public.json", "/secret.json", "/a.b.json", "/public", "/"] {
        let answer = try test.http("GET", target)
        #expect(answer.headers["access-control-allow-origin"] == "*")
        #expect(answer.headers["content-type"] == "application/json; charset=utf-8")
        #expect(answer.headers["cache-control"] == "no-cache")
      }
      let preflight = try test.http(
        "OPTIONS", "/secret.json?auth=wrong",
        headers: ["Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "if-match,x-firebase-etag"])
      #expect(preflight.status == 200)
      #expect(preflight.headers["access-control-allow-headers"] == "if-match,x-firebase-etag")
      #expect(preflight.headers["access-control-allow-methods"] == "GET, PUT, POST, PATCH, DELETE")
      let hostile = try test.http("OPTIONS", "/a.json", headers: ["Access-Control-Request-Headers": "a;b=\"c\""])
      #expect(hostile.headers["access-control-allow-headers"] == nil)
    }
  }

  @Test func bodiesThatAreNoDataAreRefused() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let invalid = "400 \(Self.error("Invalid data; couldn't parse JSON object, array, or value."))"
      let merge =
        "400 \(Self.error("Invalid data; couldn't parse JSON object. Are you sending a JSON object with valid key names?"))"
      for body in ["x", "{\"a\":1", "{\"a.b\":1}", "{\"a\":1e400}", "\"\\ud800\"", "{\"\":1}", "1 2", "nul"] {
        #expect(try test.answer("PUT", "/public/a.json", body) == invalid, "\(body)")
      }
      for body in ["[1]", "5", "{\"a.b\":1}"] {
        #expect(try test.answer("PATCH", "/public/a.json", body) == merge, "\(body)")
      }
      #expect(try test.answer("PUT", "/public/a.json") == "400 \(Self.error("Error: No data supplied."))")
      #expect(try test.http("PUT", "/public/a.json", #"{".sv":"later"}"#).status == 400)
      #expect(try test.http("PATCH", "/public/a.json", #"{"a":1,"a/b":2}"#).status == 400)
      let deep = String(repeating: "{\"a\":", count: 31) + "1" + String(repeating: "}", count: 31)
      #expect(try test.http("PUT", "/public.json", deep).status == 200)
      #expect(try test.http("PUT", "/public/b.json", deep).status == 400)
      let key = String(repeating: "k", count: 768)
      #expect(try test.http("PUT", "/public.json", "{\"\(key)\":1}").status == 200)
      #expect(try test.http("PUT", "/public.json", "{\"\(key)k\":1}").status == 400)
    }
  }

  @Test func serverValuesAreEchoedResolved() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let echo = try test.answer("PUT", "/public/t.json", #"{".sv":"timestamp"}"#)
      #expect(echo.hasPrefix("200 1") && echo.utf8.count == 17)
      #expect(try test.answer("GET", "/public/t.json") == echo)
      #expect(try test.answer("PUT", "/public/n.json", #"{".sv":{"increment":2}}"#) == "200 2")
      #expect(try test.answer("PATCH", "/public.json", #"{"n":{".sv":{"increment":3}}}"#) == #"200 {"n":5}"#)
    }
  }

  @Test func prioritiesShowInExportFormOnly() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      #expect(
        try test.answer("PUT", "/public/a.json", #"{".value":1,".priority":"p"}"#)
          == #"200 {".value":1,".priority":"p"}"#)
      #expect(try test.answer("GET", "/public/a.json?format=export") == #"200 {".value":1,".priority":"p"}"#)
      #expect(try test.answer("GET", "/public/a/.priority.json") == "200 \"p\"")
      #expect(try test.answer("PUT", "/public/a/.priority.json", "7") == "200 7")
      #expect(try test.answer("GET", "/public.json?format=export") == #"200 {"a":{".value":1,".priority":7}}"#)
      #expect(try test.answer("GET", "/public.json") == #"200 {"a":1}"#)
    }
  }

  @Test("An administrator gets a checksum of the data at a path, and other callers do not")
  func checksumsAreForAdministrators() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      for path in ["a", "b"] {
        #expect(
          try test.http("PUT", "/public/\(path).json", #"{"n":{".value":1,".priority":"p"},"t":[true,2.5]}"#).status
            == 200)
      }
      let read = "format=checksum&auth=\(try test.secret)"
      let answer = try #require(JSON(parsing: try test.http("GET", "/public/a.json?\(read)").body.utf8))
      #expect(answer["values"]?.int == 4 && answer["checksum"]?.string?.utf8.count == 16)
      #expect(answer["position"]?.int == 2)
      let (other, part) = (
        try test.answer("GET", "/public/b.json?\(read)"), try test.answer("GET", "/public/a/n.json?\(read)")
      )
      #expect(other == "200 " + String(decoding: answer.text(), as: UTF8.self) && part != other)
      #expect(try test.answer("GET", "/none.json?\(read)").hasPrefix(#"200 {"checksum":"0000000000000000","values":0"#))
      #expect(try test.http("GET", "/public/a.json?format=checksum").status == 401)
    }
  }

  @Test func rulesDecideAndSayNothingElse() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let denied = "401 \(Self.error("Permission denied"))"
      #expect(try test.answer("GET", "/secret.json") == denied)
      #expect(try test.answer("PUT", "/secret.json", "1") == denied)
      #expect(try test.answer("GET", "/users/ann.json") == denied)
      let (ann, bob) = (try test.token(uid: "ann"), try test.token(uid: "bob"))
      #expect(try test.answer("PUT", "/users/ann.json?auth=\(ann)", "{\"n\":1}") == #"200 {"n":1}"#)
      #expect(try test.answer("GET", "/users/ann.json?auth=\(bob)") == denied)
      #expect(try test.answer("GET", "/users/ann.json", headers: ["Authorization": "Bearer \(ann)"]) == #"200 {"n":1}"#)
      let secret = try test.secret
      #expect(try test.answer("GET", "/users.json?auth=\(secret)") == #"200 {"ann":{"n":1}}"#)
      let asAnn = "auth_variable_override=%7B%22uid%22:%22ann%22%7D"
      #expect(try test.answer("GET", "/users/ann.json?auth=\(secret)&\(asAnn)") == #"200 {"n":1}"#)
      #expect(try test.answer("GET", "/users.json?auth=\(secret)&\(asAnn)") == denied)
      #expect(try test.answer("GET", "/users/ann.json?auth=\(secret)&auth_variable_override=null") == denied)
      #expect(try test.http("GET", "/users/ann.json?auth=\(bob)&\(asAnn)").status == 401)
      let line = "info denied database=default line=5:15 operation=read outcome=noGrant path=/users/ann "
      #expect(
        test.log.lines.contains {
          $0.hasPrefix(line) && $0.contains("rule=.read at /users/$uid") && $0.hasSuffix("uid=bob")
        })
      #expect(!test.log.lines.contains { $0.contains(secret) || $0.contains(ann) || $0.contains(bob) })
    }
  }

  @Test func aBrokenCredentialIsRefusedEvenForPublicData() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let broken = "401 \(Self.error("Could not parse auth token."))"
      #expect(try test.answer("GET", "/public.json?auth=nonsense") == broken)
      #expect(try test.answer("GET", "/public.json?auth=owner") == broken)
      #expect(try test.http("GET", "/public.json?access_token=x").status == 401)
      let unauthorized = "401 \(Self.error("Unauthorized request."))"
      #expect(try test.answer("GET", "/public.json", headers: ["Authorization": "Bearer owner"]) == unauthorized)
      #expect(try test.answer("GET", "/public.json", headers: ["Authorization": "Basic eDp5"]) == unauthorized)
    }
  }

  @Test func conditionalWritesCompareAndTellWhatIsThere() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let absent = try test.http("GET", "/public/a.json", headers: ["X-Firebase-ETag": "true"])
      #expect(absent.headers["etag"] == "null_etag")
      let made = try test.http("PUT", "/public/a.json?print=silent", "1", headers: ["If-Match": "null_etag"])
      #expect(made.status == 200 && made.body == "1")
      let tag = try #require(made.headers["etag"])
      let lost = try test.http("PUT", "/public/a.json", "2", headers: ["if-match": "null_etag"])
      #expect(lost.status == 412 && lost.body == "1" && lost.headers["etag"] == tag)
      #expect(try test.http("GET", "/public/a.json", headers: ["If-None-Match": tag]).status == 304)
      #expect(try test.http("DELETE", "/public/a.json", headers: ["If-Match": tag]).status == 200)
      let again = try test.http("GET", "/public/a.json", headers: ["If-None-Match": tag])
      #expect(again.status == 200 && again.headers["etag"] == "null_etag")
      #expect(try test.http("PATCH", "/public.json", "{}", headers: ["If-Match": tag]).status == 400)
      #expect(try test.http("POST", "/public.json", "1", headers: ["If-Match": tag]).status == 400)
      // A failed comparison does not return unreadable data either.
      #expect(try test.http("PUT", "/written/a.json", "1").status == 200)
      #expect(
        try test.answer("PUT", "/written/a.json", "2", headers: ["If-Match": "x"])
          == "401 \(Self.error("Permission denied"))")
    }
  }

  @Test func rulesAreReadAndReplacedByAdministratorsOnly() async throws {
    try await TestServer.with(rules: "{\n  // kept\n  \"rules\": {\".read\": false}\n}") { test throws in
      let target = "/.settings/rules.json"
      #expect(try test.http("GET", target).status == 401)
      #expect(try test.http("PUT", target, "{\"rules\":{\".read\":true}}").status == 401)
      #expect(try test.http("PUT", "\(target)?auth=\(try test.token(uid: "ann"))", "{\"rules\":{}}").status == 401)
      let admin = "auth=\(try test.secret)"
      #expect(try test.answer("GET", "\(target)?\(admin)") == "200 {\n  // kept\n  \"rules\": {\".read\": false}\n}")
      #expect(try test.answer("GET", "\(target)?\(admin)&format=strict") == #"200 {"rules":{".read":false}}"#)
      #expect(
        try test.answer("PUT", "\(target)?\(admin)", "{\"rules\":{\".read\":\"tr\"}}")
          == "400 \(Self.error("1:20: Unknown variable 'tr'.\\n"))")
      // An upload that is not JSON is refused with the message that test suites of rules expect.
      for upload in [target, "/.settings/rulesets.json"] {
        let method = upload == target ? "PUT" : "POST"
        #expect(
          try test.answer(method, "\(upload)?\(admin)", "invalid json %{!@[")
            == "400 \(Self.error("1:1: Parse error. Expected '{'.\\n"))")
      }
      #expect(
        try test.answer("PUT", "\(target)?\(admin)&dryRun=true", "{\"rules\":{\".read\":true}}")
          == #"200 {"status":"ok"}"#)
      #expect(try test.http("GET", "/a.json").status == 401)
      #expect(try test.answer("PUT", "\(target)?\(admin)", "{\"rules\":{\".read\":true}}") == #"200 {"status":"ok"}"#)
      #expect(try test.answer("GET", "/a.json") == "200 null")
      #expect(try test.http("POST", "\(target)?\(admin)", "{}").status == 405)
    }
  }

  @Test func databasesAreApartAndServeMakesThemByAnAdministratorsWord() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let unknown = try test.http("GET", "/public.json?ns=chat")
      #expect(unknown.status == 404)
      let admin = "auth=\(try test.secret)"
      #expect(
        try test.http("PUT", "/.settings/rules.json?ns=chat&\(admin)&dryRun=true", "{\"rules\":{}}").status == 200)
      #expect(try test.http("GET", "/public.json?ns=chat").status == 404)
      #expect(
        try test.http("PUT", "/.settings/rules.json?ns=chat&\(admin)", "{\"rules\":{\".read\":true}}").status == 200)
      #expect(try test.answer("PUT", "/x.json?ns=chat&\(admin)", "1") == "200 1")
      #expect(try test.answer("GET", "/x.json?ns=chat") == "200 1")
      #expect(try test.answer("GET", "/x.json?\(admin)") == "200 null")
      #expect(
        try test.answer("GET", "/.inspect/databases.json?\(admin)") == #"200 [{"name":"chat"},{"name":"default"}]"#)
      #expect(try test.http("GET", "/.inspect/databases.json").status == 401)
      for name in ["..%2Fx", "a.b", "%20", "default/.settings/rules.json", String(repeating: "n", count: 64)] {
        #expect(
          try test.http("PUT", "/.settings/rules.json?ns=\(name)&\(admin)", "{\"rules\":{}}").status == 404, "\(name)")
      }
    }
  }

  @Test func developmentMakesDatabasesOnFirstUse() async throws {
    try await TestServer.with(rules: Self.rules, mode: .dev) { test throws in
      #expect(try test.answer("PUT", "/public/x.json?ns=fresh", "1") == "200 1")
      #expect(try test.answer("GET", "/public/x.json?ns=fresh") == "200 1")
      #expect(try test.answer("GET", "/public/x.json") == "200 null")
    }
  }

  @Test func emulatorClientsAreAdministratorsInEmulatorModeOnly() async throws {
    try await TestServer.with(mode: .dev, isEmulator: true) { test throws in
      #expect(try test.answer("PUT", "/a.json", "1", headers: ["Authorization": "Bearer owner"]) == "200 1")
      #expect(try test.answer("GET", "/a.json?auth=owner") == "200 1")
      #expect(try test.answer("GET", "/.inspect/databases.json") == #"200 [{"name":"default"}]"#)
      // A request from a proxy does not count as local.
      for header in ["Forwarded", "Via", "X-Real-IP", "X-Forwarded-For", "x-forwarded-host", "X-Forwarded-Proto"] {
        let forwarded = ["Authorization": "Bearer owner", header: "192.0.2.1"]
        #expect(try test.http("GET", "/a.json", headers: forwarded).status == 401, "\(header)")
      }
    }
  }

  @Test func pathsWithoutTheSuffixAreNotData() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      #expect(try test.answer("GET", "/") == #"200 {"status":"ok"}"#)
      for method in ["PUT", "PATCH", "POST", "DELETE", "GET"] {
        #expect(try test.http(method, "/public/a", "1").status == 400, "\(method)")
      }
      #expect(try test.http("PUT", "/?ns=foo/.settings/rules.json", "{}").status == 401)
      #expect(try test.http("GET", "/.ws").status == 404)
    }
  }
}
