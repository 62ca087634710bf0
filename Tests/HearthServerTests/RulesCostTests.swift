import Dispatch
import ServerTestKit
import Synchronization
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// Tests of the cost that expensive rules and large writes of one client have for other clients.
@Suite struct RulesCostTests {
  private final class Answer: Sendable {
    let status = Mutex<Int?>(nil)
  }

  @Test func oddRulesAreTakenAsByTheServiceAndTheLogWarns() async throws {
    try await TestServer.with(rules: "{\"rules\":{}}") { test throws in
      let rules = """
        {"rules": {"text": {".write": "newData.val().matches(/^.*a.{0,1000}b.{0,1000}c$/)"},
          "$x": {"$x": {".write": "$x == 'inner'"}}}}
        """
      let admin = "auth=\(try test.secret)"
      #expect(try test.answer("PUT", "/.settings/rules.json?\(admin)", rules) == #"200 {"status":"ok"}"#)
      let warnings = test.log.lines.filter { $0.hasPrefix("warning rules: ") }
      #expect(warnings.count == 2)
      #expect(warnings.first?.hasPrefix("warning rules: 1:54: This regular expression is expensive") == true)
      #expect(warnings.last?.hasPrefix("warning rules: 2:10: Wildcard '$x' is also used above") == true)
      #expect(try test.answer("PUT", "/outer/inner.json", "1") == "200 1")
      #expect(try test.http("PUT", "/inner/outer.json", "1").status == 401)
      // A request that once blocked all clients for half a minute.
      #expect(try test.http("PUT", "/text.json", "\"\(String(repeating: "ab", count: 500_000))c\"").status == 401)
      #expect(try test.answer("PUT", "/text.json", "\"abc\"") == "200 \"abc\"")
    }
  }

  @Test func smallWritesGoOnWhileALargeOneIsDecided() async throws {
    let sum = Array(repeating: "newData.val() != 7", count: 200).joined(separator: " && ")
    let rules = "{\"rules\":{\".read\":true,\".write\":true,\"big\":{\"$k\":{\".validate\":\"\(sum)\"}}}}"
    try await TestServer.with(rules: rules) { test throws in
      let body = "{" + (0..<4_000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
      let answer = Answer()
      let port = test.port
      let isDone = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        let status = try? LiveConnection(port: port).request("PUT", "/big.json?print=silent", body, headers: [:]).status
        answer.status.withLock { $0 = status ?? 0 }
        isDone.signal()
      }
      // The small writes complete during the large write; in earlier versions most of them waited for it.
      var count = 0
      while answer.status.withLock({ $0 == nil }), count < 20 {
        #expect(try test.http("PUT", "/small.json?print=silent", "\(count)").status == 204)
        count += 1
      }
      #expect(count == 20)
      isDone.wait()
      #expect(answer.status.withLock { $0 } == 204)
      #expect(try test.answer("GET", "/big/k3999.json") == "200 1")
      #expect(try test.answer("GET", "/small.json") == "200 19")
    }
  }
}
