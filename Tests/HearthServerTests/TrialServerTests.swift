import Foundation
import HearthDatabase
import HearthRules
import HearthTestKit
import HearthTrial
import Testing

@testable import HearthGateway
@testable import HearthServer

/// Tests of staged rules beside real clients on sockets, REST and streams, which must not notice them.
@Suite struct TrialServerTests {
  private static let rules = """
    {"rules": {"rooms": {"$room": {".read": "auth != null", ".write": "auth != null"}}, "open": {".read": true}}}
    """
  private static let staged = """
    {"rules": {"rooms": {"$room": {
      ".read": "auth.uid === $room", ".write": "auth != null",
      "size": {".validate": "newData.val() < 10"}}}, "open": {".read": true}}}
    """

  @Test func `requests of sockets, REST and streams are judged, and answered as if there were no trial`() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let parts = try #require(test.server.parts)
      let database = try #require(parts.services.databases.openDatabases.first { $0.name == "default" })
      let trial = database.beginTrial(of: try RuleSet.compile(Self.staged))
      let (ann, ben) = (try test.token(uid: "ann"), try test.token(uid: "ben"))

      let socket = try test.socket("ns=default")
      socket.request("auth", "{\"cred\":\"\(ben)\"}")
      #expect(try socket.next().hasPrefix("r 1 ok"))
      socket.request("q", #"{"p":"/rooms/ann","h":""}"#)
      #expect(try socket.next() == "r 2 ok {}")
      socket.request("p", #"{"p":"/rooms/ben","d":{"size":5}}"#)
      #expect(try socket.next() == "r 3 ok \"\"")
      socket.request("p", #"{"p":"/rooms/ben","d":{"size":50}}"#)
      #expect(try socket.next() == "r 4 ok \"\"")

      #expect(try test.http("GET", "/rooms/ann.json?auth=\(ann)").status == 200)
      #expect(try test.http("GET", "/rooms/ann.json?auth=\(ben)").status == 200)
      #expect(try test.http("GET", "/rooms/ann.json").status == 401)
      #expect(try test.http("GET", "/open.json").status == 200)
      #expect(try test.http("GET", "/rooms.json?auth=\(try test.secret)").status == 200)
      let stream = try test.stream("/rooms/zed.json?auth=\(ben)")
      #expect(try stream.next() == #"put|{"path":"/","data":null}"#)

      try test.waitUntil { trial.report().judgedCount == 8 }
      let report = trial.report()
      #expect((report.closedCount, report.openedCount, report.equalCount, report.droppedCount) == (4, 0, 4, 0))
      #expect(
        Set(report.flips.map { "\($0.operation) \($0.pattern) \($0.count) \($0.examples.map { $0.uid ?? "-" })" }) == [
          #"listen /rooms/$room 2 ["ben", "ben"]"#, #"read /rooms/$room 1 ["ben"]"#, #"set /rooms/$room 1 ["ben"]"#,
        ])
      // No part of the report contains a credential of a request.
      let text = "\(report.json)"
      for token in [ann, ben] { #expect(!text.contains(token)) }

      trial.startForecast()
      try test.waitUntil { trial.forecast?.state == .complete }
      let forecast = try #require(trial.forecast)
      #expect((forecast.listeners.examinedCount, forecast.listeners.cancelledCount) == (2, 2))
      #expect(forecast.data.failures.map(\.paths) == [["/rooms/ben/size"]])
      // No listen was cancelled.
      #expect(try test.answer("PUT", "/rooms/ann.json?auth=\(ann)", "1") == "200 1")
      #expect(try socket.next() == #"d {"p":"rooms/ann","d":1}"#)

      let traffic = database.traffic(inLastMilliseconds: 60_000)
      #expect((traffic.deniedCount, traffic.cancelledCount) == (1, 0))
      // The trial repeats decisions after the answers, and its end drops those that wait.
      try test.waitUntil { trial.report().judgedCount == 9 }
      #expect(database.endTrial()?.judgedCount == 9)
    }
  }
}

extension TestServer {
  /// Waits until a condition is true; gives up after a time that only a deadlock would take.
  fileprivate func waitUntil(_ isSo: () -> Bool) throws {
    for _ in 0..<Polling.timeoutSeconds * 1_000 {
      if isSo() { return }
      Thread.sleep(forTimeInterval: 0.001)
    }
    Issue.record("it never came to be")
  }
}
