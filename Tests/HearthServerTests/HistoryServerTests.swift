import Foundation
import HearthDatabase
import HearthTree
import LiveServerKit
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer

@Suite struct HistoryServerTests {
  static let rules = """
    {"rules": {
      "open": {".read": true, ".write": true},
      "mine": {"$uid": {".read": "auth.uid == $uid && root.child('open/gate').val() == 1", ".write": "auth.uid == $uid"}},
      "late": {".read": "now < 1000"}
    }}
    """

  private static func keeping(_ options: inout HearthServer.Options) {
    options.history = HistoryRetention(ageMilliseconds: .max)
    options.recordsAuthors = true
  }

  private func header(_ name: String, _ response: LiveResponse) -> String? {
    response.headers.first { $0.key.lowercased() == name.lowercased() }?.value
  }

  private func override(_ auth: String) -> String {
    "&auth_variable_override=" + (auth.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
  }

  @Test("history is readable only by administrators, regardless of the rules")
  func reading() async throws {
    try await TestServer.with(rules: Self.rules, configure: Self.keeping) { test throws in
      let admin = "auth=\(try test.secret)"
      let ann = try test.token(uid: "ann")
      for value in 1...3 { #expect(try test.http("PUT", "/open/gate.json", "\(value)").status == 200) }
      #expect(try test.http("PUT", "/mine/ann.json?auth=\(ann)", #"{"b":{"n":2},"a":{"n":1}}"#).status == 200)
      #expect(try test.http("PUT", "/mine/ann.json?auth=\(ann)", "null").status == 200)
      let first = try test.http("GET", "/open.json?\(admin)&at=1")
      #expect(first.status == 200 && first.body == #"{"gate":1}"#)
      #expect(header("X-Hearth-Position", first) == "1" && header("X-Hearth-Time", first) != nil)
      #expect(try test.answer("GET", "/open/gate.json?\(admin)&at=0") == "200 null")
      #expect(try test.answer("GET", "/mine/ann.json?\(admin)&at=4&shallow=true") == #"200 {"a":true,"b":true}"#)
      #expect(
        try test.answer("GET", "/mine/ann.json?\(admin)&at=4&orderBy=%22%24key%22&limitToFirst=1")
          == #"200 {"a":{"n":1}}"#)
      #expect(try test.answer("GET", "/open/gate.json?\(admin)&at=0%20seconds%20ago") == "200 3")
      for credential in ["", "&auth=\(ann)"] {
        #expect(try test.http("GET", "/open.json?at=2\(credential)").status == 401)
        #expect(try test.http("GET", "/.settings/history.json?path=/open\(credential)").status == 401)
      }
      let before = try test.http("GET", "/open.json?\(admin)&at=99")
      #expect(before.status == 400 && before.body.contains("the last one is 5"))
      #expect(try test.http("GET", "/open.json?\(admin)&at=10%20fortnights").body.contains("column 4"))
      #expect(try test.http("PUT", "/open.json?\(admin)&at=2", "1").status == 400)
      #expect(
        try test.http("GET", "/open.json?\(admin)&at=2", headers: ["Accept": "text/event-stream"]).status == 400)
    }
  }

  @Test("a request as another user is decided by the rules of that time, with the reason")
  func actingAsAnotherUser() async throws {
    try await TestServer.with(rules: Self.rules, configure: Self.keeping) { test throws in
      let admin = "auth=\(try test.secret)"
      let ann = try test.token(uid: "ann")
      #expect(try test.http("PUT", "/mine/ann.json?auth=\(ann)", "7").status == 200)
      for value in 1...2 { #expect(try test.http("PUT", "/open/gate.json", "\(value)").status == 200) }
      #expect(try test.http("PUT", "/.settings/rules.json?\(admin)", #"{"rules": {".read": true}}"#).status == 200)
      let auth = override(#"{"uid":"ann"}"#)
      #expect(try test.answer("GET", "/mine/ann.json?\(admin)&at=2\(auth)") == "200 7")
      let refused = try test.http("GET", "/mine/ann.json?\(admin)&at=3\(auth)")
      #expect(refused.status == 401)
      let answer = try #require(JSON(parsing: refused.body.utf8))
      #expect(answer["error"]?.string == "Permission denied")
      #expect(answer["explanation"]?["decisive"]?["text"]?.string?.contains("open/gate") == true)
      #expect(answer["text"]?.string?.contains("^^^") == true)
      #expect(try test.answer("GET", "/mine/ann.json?\(admin)&at=4\(auth)") == "200 7")
      // Decided with the clock of that time.
      #expect(try test.http("GET", "/late.json?\(admin)&at=1\(auth)").status == 401)
      // A hypothetical read is not logged as a denial.
      #expect(!test.log.lines.contains { $0.contains("denied") })
    }
  }

  @Test("the changes of a location are listed with their authors, a page at a time")
  func changes() async throws {
    try await TestServer.with(rules: Self.rules, configure: Self.keeping) { test throws in
      let admin = "auth=\(try test.secret)"
      let ann = try test.token(uid: "ann")
      #expect(try test.http("PUT", "/mine/ann.json?auth=\(ann)", "7").status == 200)
      #expect(try test.http("PUT", "/open/x.json", "1").status == 200)
      #expect(try test.http("PUT", "/mine/ann.json?\(admin)", #"{".value":8,".priority":"p"}"#).status == 200)
      let large = "\"" + String(repeating: "x", count: 70_000) + "\""
      #expect(try test.http("PUT", "/mine/ann.json?auth=\(ann)", large).status == 200)
      let target = "/.settings/history.json?\(admin)&path=/mine/ann"
      let all = try #require(JSON(parsing: try test.http("GET", target).body.utf8))
      let changes = try #require(all["changes"]?.array)
      #expect(changes.map { $0["position"]?.int } == [4, 3, 1])
      #expect(changes[0]["toIsLarge"]?.bool == true && changes[0]["from"]?[".priority"]?.string == "p")
      #expect(changes[1]["by"]?["isAdministrator"]?.bool == true && changes[1]["from"]?.int == 7)
      #expect(changes[2]["by"]?["uid"]?.string == "ann" && changes[2]["by"]?["address"]?.string == "machine")
      #expect(changes[2]["from"] == .null && changes[2]["to"]?.int == 7)
      #expect(all["oldest"]?.int == 0 && all["before"] == nil)
      let page = try #require(JSON(parsing: try test.http("GET", target + "&limit=1&before=4").body.utf8))
      #expect(page["changes"]?.array?.map { $0["position"]?.int } == [3])
      #expect(page["before"]?.int == 3)
      for bad in ["limit=0", "limit=1001", "before=-1", "before=x", "path=/a/.priority"] {
        #expect(try test.http("GET", "/.settings/history.json?\(admin)&\(bad)").status == 400, "\(bad)")
      }
      #expect(try test.http("PUT", target, "1").status == 405)
    }
  }

  @Test(
    "without history only the current state is readable, and authors are unknown",
    .disabled(if: TestServer.isPaged))
  func off() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let admin = "auth=\(try test.secret)"
      #expect(try test.http("PUT", "/open/x.json", "1").status == 200)
      #expect(try test.answer("GET", "/open/x.json?\(admin)&at=1") == "200 1")
      let all = try #require(JSON(parsing: try test.http("GET", "/.settings/history.json?\(admin)").body.utf8))
      #expect(all["changes"]?.array?.count == 1 && all["changes"]?.array?.first?["by"] == nil)
    }
  }
}
