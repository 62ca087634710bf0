import Foundation
import HearthRules
import HearthTree
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// Tests that each deploy by any client becomes a version, and that each version can be restored.
@Suite struct RulesVersionServerTests {
  private static let closed = #"{"rules":{}}"#
  private static let open = #"{"rules":{".read":true}}"#
  private static let other = #"{"rules":{".read":"auth != null"}}"#

  private static func json(_ test: TestServer, _ method: String, _ name: String, _ body: String? = nil) throws -> JSON {
    let answer = try test.http(method, "/.settings/rules/\(name).json?auth=\(try test.secret)", body)
    #expect(answer.status == 200, "\(answer.body)")
    return try #require(JSON(parsing: answer.body.utf8))
  }

  private static func causes(_ test: TestServer) throws -> [String] {
    let versions = try json(test, "GET", "versions")["versions"]?.array ?? []
    return versions.map { version in
      "\(version["id"]?.int ?? 0) \(version["cause"]?.string ?? "") \(version["author"]?["kind"]?.string ?? "")"
    }
  }

  private static func deploy(_ source: String, _ members: [JSON.Member] = []) -> String {
    String(decoding: JSON.object([.init("source", .string(source))] + members).text(), as: UTF8.self)
  }

  @Test("uploads, labels, rules files and rollbacks are versions with their authors")
  func everyWay() async throws {
    try await TestServer.with(rules: Self.closed) { test throws in
      let (secret, bearer) = (try test.secret, ["Authorization": "Bearer \(try test.adminToken)"])
      #expect(try Self.causes(test) == ["1 deploy file"])
      #expect(
        try test.answer("PUT", "/.settings/rules.json?auth=\(secret)", Self.open) == #"200 {"status":"ok"}"#)
      #expect(try test.http("PUT", "/.settings/rules.json", Self.closed, headers: bearer).status == 200)
      let id = try test.http("POST", "/.settings/rulesets.json", Self.open, headers: bearer).body.split(
        separator: "\"")[3]
      #expect(
        try test.http("PUT", "/.settings/ruleset_labels.json", "{\"stable\":\"\(id)\"}", headers: bearer).status == 200)
      try await test.server.deployRules(Self.closed, from: "/srv/rules.json")
      let answer = try Self.json(
        test, "POST", "versions",
        Self.deploy(Self.open, [.init("comment", .string("why")), .init("tool", .string("t"))]))
      #expect(answer["isNew"]?.bool == true && answer["version"]?["comment"]?.string == "why")
      #expect(
        try Self.causes(test) == [
          "6 deploy secret", "5 deploy file", "4 deploy administrator", "3 deploy administrator", "2 deploy secret",
          "1 deploy file",
        ])
      let file = try Self.json(test, "GET", "versions/5")
      #expect(file["author"]?["name"]?.string == "/srv/rules.json" && file["source"]?.string == Self.closed)
      #expect(try Self.json(test, "GET", "versions")["current"]?.int == 6)
      #expect(test.log.lines.contains { $0.hasPrefix("info rules deployed") && $0.contains("version=6") })
    }
  }

  @Test("a deploy of the same rules makes no version")
  func unchanged() async throws {
    try await TestServer.with(rules: Self.closed) { test throws in
      #expect(try Self.json(test, "POST", "versions", Self.deploy(Self.closed))["isNew"]?.bool == false)
      #expect(try test.http("PUT", "/.settings/rules.json?auth=\(try test.secret)", Self.closed).status == 200)
      #expect(try Self.causes(test) == ["1 deploy file"])
    }
  }

  @Test("a rollback restores the version before, one further back at each repetition, or a named version")
  func rollback() async throws {
    try await TestServer.with(rules: Self.closed) { test throws in
      for source in [Self.open, Self.other] { _ = try Self.json(test, "POST", "versions", Self.deploy(source)) }
      let plan = try Self.json(test, "POST", "rollback", "{\"dryRun\":true}")
      #expect(plan["before"]?["id"]?.int == 3 && plan["target"]?["id"]?.int == 2)
      #expect(try Self.json(test, "POST", "rollback")["version"]?["original"]?.int == 2)
      #expect(try test.http("GET", "/x.json").status == 200)
      #expect(try Self.json(test, "POST", "rollback")["version"]?["original"]?.int == 1)
      #expect(try test.http("GET", "/x.json").status == 401)
      let target = "/.settings/rules/rollback.json?auth=\(try test.secret)"
      #expect(try test.http("POST", target).status == 404, "nothing is before the first")
      #expect(try test.http("POST", target, #"{"version":9}"#).status == 404)
      #expect(try Self.json(test, "POST", "rollback", #"{"version":3}"#)["version"]?["id"]?.int == 6)
      #expect(try Self.json(test, "GET", "versions/6")["source"]?.string == Self.other)
    }
  }

  @Test("one of many concurrent deploys over the same version succeeds")
  func expected() async throws {
    try await TestServer.with(rules: Self.closed) { test throws in
      let services = try #require(test.server.parts).services
      let database = try #require(services.databases.opened("default"))
      _ = try await services.rules.history(of: database)
      let deployed = await withTaskGroup(of: Bool.self) { group in
        for number in 1...20 {
          group.addTask {
            let rules = try? RuleSet.compile("{\"rules\":{\"n\(number)\":{}}}")
            let change = RulesChange(author: .server)
            return (try? await services.rules.deploy(rules ?? .denyAll, to: database, change, over: 1)) != nil
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(deployed == 1)
      #expect(try Self.causes(test) == ["2 deploy server", "1 deploy file"])
      let target = "/.settings/rules/versions.json?auth=\(try test.secret)"
      let stale = try test.http("POST", target, Self.deploy(Self.open, [.init("expected", .int(1))]))
      #expect(stale.status == 412 && stale.body.contains("Version 2 is in force, not 1"))
      #expect(
        try test.http(
          "POST", target, Self.deploy(Self.open, [.init("expected", .int(1)), .init("dryRun", .bool(true))])
        ).status == 412)
      #expect(try test.http("GET", "/x.json").status == 401)
    }
  }

  @Test("a data folder without versions, or without its newest one, records the rules in force as a version")
  func found() async throws {
    let first = try await TestServer(rules: Self.closed)
    _ = try Self.json(first, "POST", "versions", Self.deploy(Self.open))
    await first.server.stop()
    try FileManager.default.removeItem(atPath: first.directory + "/rules/default/2.json")
    let second = try await TestServer(in: first)
    #expect(try Self.causes(second) == ["2 found unknown", "1 deploy file"])
    #expect(try Self.json(second, "GET", "versions/2")["source"]?.string == Self.open)
    await second.server.stop()
    try FileManager.default.removeItem(atPath: first.directory + "/rules")
    let third = try await TestServer(in: first)
    #expect(try Self.json(third, "POST", "versions", Self.deploy(Self.other))["version"]?["id"]?.int == 2)
    #expect(try Self.causes(third) == ["2 deploy secret", "1 found unknown"])
    await third.server.stop()
  }

  @Test("rules whose version cannot be written are not put in force")
  func unwritable() async throws {
    try await TestServer.with(rules: Self.closed) { test throws in
      try FileManager.default.removeItem(atPath: test.directory + "/rules")
      try "in the way".write(toFile: test.directory + "/rules", atomically: false, encoding: .utf8)
      let target = "/.settings/rules.json?auth=\(try test.secret)"
      #expect(try test.http("PUT", target, Self.open).status == 500)
      #expect(try test.http("GET", "/x.json").status == 401)
      try FileManager.default.removeItem(atPath: test.directory + "/rules")
      #expect(try test.http("PUT", target, Self.open).status == 200)
      #expect(try test.http("GET", "/x.json").status == 200)
    }
  }

  @Test("versions are for administrators, and invalid requests are refused with a reason")
  func requests() async throws {
    try await TestServer.with(rules: Self.open) { test throws in
      let (token, secret) = (try test.token(uid: "ann"), try test.secret)
      for (method, name) in [("GET", "versions"), ("GET", "versions/1"), ("POST", "versions"), ("POST", "rollback")] {
        for credential in ["", "?auth=\(token)"] {
          #expect(try test.http(method, "/.settings/rules/\(name).json\(credential)", "{}").status == 401, "\(name)")
        }
      }
      func status(_ method: String, _ name: String, _ body: String? = nil) throws -> Int {
        try test.http(method, "/.settings/rules/\(name).json?auth=\(secret)", body).status
      }
      for body in ["", "[]", "x", "{}", #"{"source":5}"#, #"{"source":"{\"rules\":{\".read\":\"x\"}}"}"#] {
        #expect(try status("POST", "versions", body) == 400, "\(body)")
      }
      for member in [#""comment":5"#, #""expected":"1""#, #""expected":0"#, #""expected":1e300"#, #""dryRun":1"#] {
        #expect(try status("POST", "versions", "{\"source\":\"{\\\"rules\\\":{}}\",\(member)}") == 400, "\(member)")
      }
      let long = String(repeating: "c", count: RulesChange.textBytesMax + 1)
      #expect(try status("POST", "versions", Self.deploy(Self.closed, [.init("comment", .string(long))])) == 400)
      #expect(try status("DELETE", "versions") == 405)
      #expect(try status("GET", "rollback") == 405)
      for name in ["versions/2", "versions/x", "versions/-1", "versions/99999999999999999999", "versions/1/2", "other"]
      {
        #expect(try status("GET", name) == 404, "\(name)")
      }
      #expect(try Self.causes(test) == ["1 deploy file"])
      #expect(try test.http("GET", "/.settings/rules/versions.json?ns=none&auth=\(secret)").status == 404)
    }
  }
}
