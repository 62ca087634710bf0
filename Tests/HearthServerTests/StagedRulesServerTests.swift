import Foundation
import HearthTestKit
import HearthTree
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// Tests of rules that are staged, evaluated for clients' requests, promoted within limits, and rolled back when they
/// deny too much.
@Suite struct StagedRulesServerTests {
  private static let rules = #"{"rules":{"$room":{".read":"auth != null",".write":"auth != null"}}}"#
  private static let staged = #"{"rules":{"$room":{".read":"auth.uid === $room",".write":"auth != null"}}}"#

  private struct Answer {
    var status: Int
    var json: JSON

    subscript(name: String) -> JSON? { json[name] }
  }

  private static func send(
    _ test: TestServer, _ method: String, _ name: String, _ members: [JSON.Member]? = nil
  ) throws -> Answer {
    let response = try test.http(
      method, "/.settings/rules/\(name).json?auth=\(try test.secret)",
      members.map { String(decoding: JSON.object($0).text(), as: UTF8.self) })
    return Answer(status: response.status, json: try #require(JSON(parsing: response.body.utf8), "\(response.body)"))
  }

  private static func stage(_ test: TestServer, _ source: String = staged) throws {
    #expect(
      try send(test, "PUT", "staged", [.init("source", .string(source)), .init("comment", .string("try"))]).status
        == 200)
  }

  private static func causes(_ test: TestServer) throws -> [String] {
    try send(test, "GET", "versions")["versions"]?.array?.compactMap { $0["cause"]?.string } ?? []
  }

  /// Makes reads that the staged rules would deny.
  private static func read(_ test: TestServer, count: Int) throws -> [Int] {
    let ann = try test.token(uid: "ann")
    return try (0..<count).map { try test.http("GET", "/r\($0).json?auth=\(ann)").status }
  }

  private static func waitForJudged(_ test: TestServer, _ count: Int64) async throws {
    #expect(try await Polling.until { try send(test, "GET", "staged")["trial"]?["judged"]?.int == count })
  }

  @Test("staged rules report differences, and a promotion is refused with the counts until its limits are met")
  func promotion() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      #expect(try Self.send(test, "GET", "staged")["staged"] == .null)
      #expect(try Self.send(test, "POST", "promote", []).status == 404)
      #expect(try Self.send(test, "DELETE", "staged").status == 404)
      try Self.stage(test)
      let early = try Self.send(test, "POST", "promote", [])
      #expect(early.status == 412 && early["exceeded"]?.array?.first?["bound"]?.string == "minJudged")
      #expect(try Self.read(test, count: 3) == [200, 200, 200], "a trial changes nothing")
      try await Self.waitForJudged(test, 3)
      let status = try Self.send(test, "GET", "staged")
      #expect(status["staged"]?["comment"]?.string == "try" && status["watch"] == .null)
      #expect(status["trial"]?["flips"]?.array?.first?["pattern"]?.string == "/$room")
      let refused = try Self.send(test, "POST", "promote", [.init("maxFlips", .int(2))])
      #expect(refused.status == 412)
      #expect(
        refused["error"]?.string
          == "The staged rules were not promoted: 3 decisions would change, at most 2 allowed.")
      #expect(refused["figures"]?["closed"]?.int == 3 && refused["figures"]?["forecast"]?.string == "complete")
      #expect(
        try Self.send(test, "POST", "promote", [.init("maxFlips", .int(3)), .init("expected", .int(9))]).status == 412)
      let dry = try Self.send(test, "POST", "promote", [.init("maxFlips", .int(3)), .init("dryRun", .bool(true))])
      #expect(dry.status == 200 && dry["version"] == nil)
      #expect(try Self.read(test, count: 1) == [200])
      let done = try Self.send(test, "POST", "promote", [.init("maxFlips", .null)])
      #expect(done["version"]?["cause"]?.string == "promote" && done["version"]?["id"]?.int == 2)
      #expect(try Self.read(test, count: 1) == [401])
      #expect(try Self.send(test, "GET", "staged")["staged"] == .null)
      let labels = try test.http("GET", "/.settings/ruleset_labels.json?auth=\(try test.secret)").body
      #expect(labels.hasPrefix(#"{"stable":""#) && !labels.contains("canary"))
    }
  }

  @Test(
    "the label canary stages rules, and staging continues after a restart")
  func labels() async throws {
    let first = try await TestServer(rules: Self.rules)
    let admin = "auth=\(try first.secret)"
    func id(_ source: String) throws -> String {
      String(try first.http("POST", "/.settings/rulesets.json?\(admin)", source).body.split(separator: "\"")[3])
    }
    let (stable, canary) = (try id(Self.rules), try id(Self.staged))
    let labels = "{\"stable\":\"\(stable)\",\"canary\":\"\(canary)\"}"
    #expect(try first.http("PUT", "/.settings/ruleset_labels.json?\(admin)", labels).status == 200)
    #expect(try Self.send(first, "GET", "staged")["staged"]?["ruleset"]?.string == canary)
    _ = try Self.read(first, count: 1)
    try await Self.waitForJudged(first, 1)
    await first.server.stop()
    let second = try await TestServer(rules: Self.rules, in: first)
    #expect(try await Polling.until { try Self.send(second, "GET", "staged")["trial"]?["judged"]?.int == 0 })
    _ = try Self.read(second, count: 2)
    try await Self.waitForJudged(second, 2)
    #expect(try Self.send(second, "DELETE", "staged")["trial"]?["closed"]?.int == 2)
    #expect(
      try second.http("GET", "/.settings/ruleset_labels.json?\(admin)").body == "{\"stable\":\"\(stable)\"}")
    #expect(try second.http("GET", "/.settings/rulesets/\(canary).json?\(admin)").status == 200)
    try Self.stage(second)
    #expect(try second.http("GET", "/.settings/ruleset_labels.json?\(admin)").body.contains("canary"))
    try Self.stage(second, #"{"rules":{}}"#)
    let kept = try second.http("GET", "/.settings/rulesets.json?\(admin)").body
    #expect(JSON(parsing: kept.utf8)?["rulesets"]?.array?.count == 3, "what another one was staged for is gone")
    #expect(
      try second.http("PUT", "/.settings/ruleset_labels.json?\(admin)", "{\"stable\":\"\(stable)\"}").status == 200)
    #expect(try Self.send(second, "GET", "staged")["trial"] == .null)
    await second.server.stop()
  }

  private static func promote(_ test: TestServer, _ name: String, _ count: Int64) throws -> Answer {
    try send(
      test, "POST", "promote",
      [
        .init("maxFlips", .null), .init("maxCancelled", .null), .init("minJudged", .int(0)),
        .init("watchSeconds", .int(600)), .init(name, .int(count)),
      ])
  }

  @Test("the server rolls back automatically when denials exceed the limit, with the reason")
  func denials() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      try Self.stage(test)
      let promoted = try Self.promote(test, "rollbackDenials", 2)
      #expect(promoted["version"]?["watch"]?["former"]?.int == 1)
      #expect(try Self.read(test, count: 2) == [401, 401])
      let watch = try Self.send(test, "GET", "versions")["watch"]
      #expect(watch?["version"]?.int == 2 && watch?["denials"]?.int == 2 && watch?["denialsMax"]?.int == 2)
      #expect(try Self.read(test, count: 1) == [401])
      #expect(try await Polling.until { try Self.causes(test) == ["automaticRollback", "promote", "deploy"] })
      #expect(try await Polling.until { try Self.send(test, "GET", "versions")["watch"] == nil })
      #expect(try Self.read(test, count: 3) == [200, 200, 200])
      let newest = try #require(try Self.send(test, "GET", "versions")["versions"]?.array?.first)
      #expect(newest["comment"]?.string == "3 requests were denied, at most 2 allowed")
      #expect(newest["author"]?["kind"]?.string == "server" && newest["original"]?.int == 1)
      #expect(test.log.lines.contains { $0.hasPrefix("warning promoted rules denied too many") })
    }
  }

  @Test("listens that the promotion itself cancels count towards the limit")
  func cancellations() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let socket = try test.socket()
      socket.request("auth", "{\"cred\":\"\(try test.token(uid: "ann"))\"}")
      _ = try socket.next()
      socket.request("q", #"{"p":"/bob","h":""}"#)
      #expect(try socket.next() == "r 2 ok {}")
      try Self.stage(test)
      let refused = try Self.send(test, "POST", "promote", [.init("minJudged", .int(0))])
      #expect(refused["exceeded"]?.array?.map { $0["bound"]?.string } == ["maxCancelled"])
      #expect(try Self.promote(test, "rollbackCancelled", 0).status == 200)
      #expect(try await Polling.until { try Self.causes(test).first == "automaticRollback" })
      #expect(try Self.read(test, count: 1) == [200])
    }
  }

  @Test("the observation after a promotion continues over a restart, and ends with another deploy")
  func watchLasts() async throws {
    let first = try await TestServer(rules: Self.rules)
    try Self.stage(first)
    #expect(try Self.promote(first, "rollbackDenials", 0).status == 200)
    await first.server.stop()
    let second = try await TestServer(in: first)
    #expect(try await Polling.until { try Self.send(second, "GET", "versions")["watch"] != nil })
    #expect(try Self.read(second, count: 1) == [401])
    #expect(try await Polling.until { try Self.causes(second).first == "automaticRollback" })
    try Self.stage(second)
    #expect(try Self.promote(second, "rollbackDenials", 0).status == 200)
    #expect(try Self.send(second, "POST", "versions", [.init("source", .string(#"{"rules":{}}"#))]).status == 200)
    #expect(try Self.send(second, "GET", "versions")["watch"] == nil)
    #expect(try Self.read(second, count: 3) == [401, 401, 401])
    #expect(try Self.causes(second).first == "deploy")
    await second.server.stop()
  }

  @Test("staging and promoting are for administrators, and invalid requests are refused with a reason")
  func requests() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let token = try test.token(uid: "ann")
      for (method, name) in [
        ("GET", "staged"), ("PUT", "staged"), ("POST", "staged"), ("DELETE", "staged"), ("POST", "promote"),
      ] {
        for credential in ["", "?auth=\(token)"] {
          #expect(try test.http(method, "/.settings/rules/\(name).json\(credential)", "{}").status == 401, "\(name)")
        }
      }
      #expect(try Self.send(test, "PUT", "staged", [.init("source", .string("{"))]).status == 400)
      #expect(try Self.send(test, "PUT", "staged", []).status == 400)
      #expect(try Self.send(test, "POST", "staged").status == 404)
      #expect(try Self.send(test, "GET", "promote").status == 405)
      try Self.stage(test)
      for (name, value) in [
        ("maxFlips", JSON.int(-1)), ("maxFlips", .double(0.5)), ("maxCancelled", .string("1")),
        ("maxInvalid", .bool(true)),
        ("minJudged", .double(1e300)), ("watchSeconds", .int(5)), ("rollbackDenials", .int(5)),
        ("rollbackRatio", .double(0.5)),
      ] {
        #expect(try Self.send(test, "POST", "promote", [.init(name, value)]).status == 400, "\(name)")
      }
      let long: [JSON.Member] = [.init("watchSeconds", .int(86_401)), .init("rollbackRatio", .int(2))]
      #expect(try Self.send(test, "POST", "promote", long).status == 400)
      #expect(try Self.causes(test) == ["deploy"])
    }
  }
}
