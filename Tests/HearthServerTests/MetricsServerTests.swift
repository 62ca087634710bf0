import Foundation
import HearthEngine
import HearthMetrics
import HearthTree
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer

/// Tests of `/.metrics` of a live server.
@Suite struct MetricsServerTests {
  private static let rules = #"{"rules":{"open":{".read":true,".write":true}}}"#

  /// Returns the value of a series, or nil when it is missing.
  private static func value(_ text: String, _ series: String) -> Double? {
    text.split(separator: "\n").first { $0.hasPrefix(series + " ") }
      .flatMap { Double($0.dropFirst(series.utf8.count + 1)) }
  }

  @Test("all metrics are in the catalogue, and count operations")
  func figures() async throws {
    try await TestServer.with(rules: Self.rules) { test in
      #expect(try test.http("PUT", "/open/a.json", "1").status == 200)
      #expect(try test.http("PUT", "/closed/a.json", "1").status == 401)
      #expect(try test.http("GET", "/closed/a.json").status == 401)
      let socket = try test.socket()
      _ = try test.signIn("nobody@example.com")
      let secret = try test.secret
      let answer = try test.http("GET", "/.metrics?auth=\(secret)")
      #expect(answer.status == 200 && answer.headers["content-type"] == PrometheusText.contentType)
      let text = answer.body
      #expect(Self.value(text, #"hearth_writes_total{outcome="written"}"#) == 1)
      #expect(Self.value(text, #"hearth_writes_total{outcome="denied"}"#) == 1)
      #expect(Self.value(text, #"hearth_clients{kind="session"}"#) == 1)
      #expect(Self.value(text, #"hearth_database_up{database="default"}"#) == 1)
      #expect(Self.value(text, "hearth_ready") == 1)
      #expect(Self.value(text, "hearth_password_hash_slots").map { $0 >= 1 } == true)
      #expect(Self.value(text, "process_resident_memory_bytes").map { $0 > 1_048_576 } == true)
      #expect(Self.value(text, "process_open_fds").map { $0 > 3 } == true)
      let refused = #"{operation="signInWithPassword",outcome="INVALID_LOGIN_CREDENTIALS"}"#
      #expect(Self.value(text, "hearth_identity_requests_total" + refused) == 1)
      let denials = text.split(separator: "\n").filter { $0.hasPrefix("hearth_denials_total{") }
      #expect(denials.count == 2 && denials.allSatisfy { $0.contains(#"database="default""#) }, "\(denials)")
      let known = Set(MetricDescription.all.map(\.name))
      for line in text.split(separator: "\n") where line.hasPrefix("# TYPE ") {
        #expect(known.contains(String(line.split(separator: " ")[2])), "\(line)")
      }
      withExtendedLifetime(socket) {}
    }
  }

  @Test("only administrators read metrics")
  func strangers() async throws {
    try await TestServer.with(rules: #"{"rules":{".read":true,".write":true}}"#) { test in
      let user = try test.app("accounts:signUp", #"{"returnSecureToken":true}"#)
      let secret = try test.secret
      for target in ["/.metrics", "/.metrics?auth=wrong", "/.metrics?auth=\(user["idToken"])"] {
        let answer = try test.http("GET", target)
        #expect(answer.status == 401 && !answer.body.contains("hearth_"), "\(target)")
      }
      let bearer = ["Authorization": "Bearer \(user["idToken"])"]
      #expect(try test.http("GET", "/.metrics", headers: bearer).status == 401)
      let acting = try test.http("GET", "/.metrics?auth=\(secret)&auth_variable_override=null")
      #expect(acting.status == 401, "who acts as somebody else is no administrator")
      #expect(try test.http("PUT", "/.metrics?auth=\(secret)", "1").status == 405)
      #expect(try test.http("HEAD", "/.metrics?auth=\(secret)").body.isEmpty)
      #expect(try test.http("GET", "/.metrics/x?auth=\(secret)").status == 404)
    }
  }

  @Test("the metrics token is valid for metrics only, and without a configured one no token is accepted")
  func scraper() async throws {
    let folder = try TemporaryFolder()
    let token = String(repeating: "5c", count: 32)
    let path = folder.path + "/metrics-token"
    try Data("\(token)\nanother line\n".utf8).write(to: URL(fileURLWithPath: path))
    let bearer = ["Authorization": "Bearer \(token)"]
    let configure: (inout HearthServer.Options) -> Void = { $0.metricsTokenPath = path }
    try await TestServer.with(rules: Self.rules, configure: configure) { test in
      let answer = try test.http("GET", "/.metrics", headers: bearer)
      #expect(answer.status == 200 && answer.body.contains("hearth_ready 1"))
      for target in ["/closed.json", "/.settings/rules.json", "/.inspect/databases.json", "/.settings/receipts.json"] {
        #expect(try test.http("GET", target, headers: bearer).status == 401, "\(target)")
      }
      #expect(try test.http("PUT", "/closed/a.json", "1", headers: bearer).status == 401)
      #expect(try test.http("GET", "/.metrics?auth=\(token)").status == 401)
      for wrong in [String(token.dropLast()), token + "0", "another line"] {
        #expect(try test.http("GET", "/.metrics", headers: ["Authorization": "Bearer \(wrong)"]).status == 401)
      }
    }
    try await TestServer.with(rules: Self.rules) { test throws in
      #expect(try test.http("GET", "/.metrics", headers: bearer).status == 401)
    }
  }

  @Test("names that clients invent do not become labels")
  func namesOfClients() async throws {
    try await TestServer.with(rules: Self.rules, mode: .dev) { test in
      for query in ["", "&orderBy=%22$key%22"] {
        #expect(try test.http("GET", "/closed.json?ns=invented\(query)").status == 401)
      }
      #expect(try test.http("GET", "/closed.json?auth=invented").status == 401)
      let text = try test.http("GET", "/.metrics?auth=\(test.secret)").body
      #expect(
        Self.value(text, #"hearth_denials_total{database="",operation="read",rule="none"}"#).map { $0 >= 1 } == true)
      #expect(text.contains("hearth_credentials_refused_total{") && !text.contains("invented"))
    }
  }
}
