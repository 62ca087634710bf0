import Foundation
import HearthCrypto
import HearthTree
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer

@Suite struct ExplainServerTests {
  static let rules = """
    {"rules": {
      "open": {".read": true, ".write": true},
      "mine": {"$uid": {
        ".read": "auth.uid == $uid && root.child('open').exists()",
        ".write": "auth.uid == $uid", ".validate": "newData.val() > 5"}}
    }}
    """

  private static func counting(_ options: inout HearthServer.Options) { options.countsRules = true }

  /// Returns the trace IDs of the denials in the log, oldest first.
  private func traces(_ test: TestServer) -> [String] {
    test.log.lines.filter { $0.contains("denied") }.compactMap { line in
      line.split(separator: " ").first { $0.hasPrefix("trace=") }.map { String($0.dropFirst(6)) }
    }
  }

  @Test("a denial in the log is decided again by its trace id, for administrators alone")
  func byTrace() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let ann = try test.token(uid: "ann")
      #expect(try test.http("GET", "/mine/bob.json?auth=\(ann)").status == 401)
      #expect(try test.http("PUT", "/mine/ann.json?auth=\(ann)", "3").status == 401)
      // Later changes of the data do not matter: the denial is explained with the data of its time.
      #expect(try test.http("PUT", "/open.json", "1").status == 200)
      let traces = traces(test)
      try #require(traces.count == 2)
      let admin = "auth=\(try test.secret)"
      let read = try #require(
        JSON(parsing: try test.http("GET", "/.settings/denials/\(traces[0]).json?\(admin)").body.utf8))
      #expect(read["explanation"]?["allowed"]?.bool == false)
      #expect(read["explanation"]?["rule"]?["path"]?.string == "/mine/$uid")
      #expect(read["explanation"]?["decisive"]?["text"]?.string == "auth.uid == $uid")
      #expect(read["text"]?.string?.contains("^^^^^^^^^^^^^^^^\n") == true)
      let write = try #require(
        JSON(parsing: try test.http("GET", "/.settings/denials/\(traces[1]).json?\(admin)").body.utf8))
      #expect(write["explanation"]?["outcome"]?.string == "invalid")
      #expect(write["explanation"]?["decisive"]?["text"]?.string == "newData.val() > 5")
      for credential in ["", "?auth=\(ann)"] {
        #expect(try test.http("GET", "/.settings/denials/\(traces[0]).json\(credential)").status == 401)
      }
      #expect(try test.http("GET", "/.settings/denials/none.json?\(admin)").status == 404)
      #expect(try test.http("PUT", "/.settings/denials/\(traces[0]).json?\(admin)", "1").status == 405)
    }
  }

  @Test("with the option on, the results of each part of the rules are counted, for administrators")
  func coverage() async throws {
    try await TestServer.with(rules: Self.rules, configure: Self.counting) { test throws in
      let (ann, admin) = (try test.token(uid: "ann"), "auth=\(try test.secret)")
      for name in ["ann", "bob", "eve"] { _ = try test.http("GET", "/mine/\(name).json?auth=\(ann)") }
      let answer = try test.http("GET", "/.inspect/coverage.json?\(admin)")
      let rules = try #require(JSON(parsing: answer.body.utf8)?["rules"]?.array)
      let read = try #require(rules.first { $0["path"]?.string == "/mine/$uid" && $0["kind"]?.string == "read" })
      let first = try #require(read["expression"]?["operands"]?.array?.first)
      #expect(first["text"]?.string == "auth.uid == $uid")
      let page = try test.http("GET", "/.inspect/coverage?\(admin)")
      #expect(
        page.headers["content-type"] == "text/html; charset=utf-8"
          && page.body.lowercased().hasPrefix("<!doctype html>"))
      #expect((first["counts"]?["true"]?.int, first["counts"]?["false"]?.int) == (1, 2))
      for credential in ["", "?auth=\(ann)"] {
        for name in ["coverage.json", "coverage"] {
          #expect(try test.http("GET", "/.inspect/\(name)\(credential)").status == 401)
        }
      }
      // Deployed rules start with counts of zero.
      #expect(try test.http("PUT", "/.settings/rules.json?\(admin)", Self.rules).status == 200)
      let fresh = try test.http("GET", "/.inspect/coverage.json?\(admin)").body
      #expect(JSON(parsing: fresh.utf8)?["rules"]?.array?[0]["expression"]?["counts"]?["total"]?.int == 0)
    }
    try await TestServer.with(rules: Self.rules) { test throws in
      #expect(try test.http("GET", "/.inspect/coverage.json?auth=\(try test.secret)").status == 404)
    }
    try await TestServer.with(rules: Self.rules, isEmulator: true) { test throws in
      #expect(try test.http("GET", "/.inspect/coverage.json?ns=default").status == 200)
    }
  }
}
