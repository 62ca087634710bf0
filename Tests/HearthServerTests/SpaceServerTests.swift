import HearthSystem
import LiveServerKit
import Synchronization
import Testing

@testable import HearthGateway
@testable import HearthServer

/// Tests of a server with little space on its disk.
@Suite struct SpaceServerTests {
  /// A disk whose free space a test sets.
  private final class FakeDisk: Sendable {
    private let bytes = Atomic(1_000_000)
    var available: Int {
      get { bytes.load(ordering: .relaxed) }
      set { bytes.store(newValue, ordering: .relaxed) }
    }
  }

  private static let open = #"{ "rules": { ".read": true, ".write": true } }"#

  @Test("a filling disk causes a warning, then writes and new accounts are refused, until space is free")
  func levels() async throws {
    let disk = FakeDisk()
    try await TestServer.with(rules: Self.open) { options in
      options.space = SpaceThresholds(warnBytes: 100_000, stopBytes: 10_000)
      options.measureSpace = { _ in FileSystemSpace(availableBytes: disk.available, totalBytes: 1 << 30) }
    } _: { test in
      let monitor = try #require(test.server.parts).spaceMonitor
      func check(_ bytes: Int) {
        disk.available = bytes
        monitor.check()
      }
      #expect(try test.http("PUT", "/a.json", "1").status == 200)

      check(99_999)
      #expect(
        try test.answer("GET", "/.ready")
          == #"200 {"ready":true,"databases":"ok","accounts":"ok","warning":"The disk is nearly full."}"#)
      #expect(try test.http("PUT", "/a.json", "2").status == 200)

      check(9_999)
      let refused = try test.answer("PUT", "/a.json", "3")
      #expect(
        refused.hasPrefix("503 ")
          && refused.contains("The server's disk is nearly full. Nothing was written; try again later."), "\(refused)")
      #expect(try test.http("GET", "/a.json").status == 200)
      #expect(try test.answer("GET", "/.health/ready") == #"503 {"state":"unwritable"}"#)
      let text =
        "Databases refuse writes: the disk is nearly full. Accounts refuse writes: the disk is nearly full."
      #expect(
        try test.answer("GET", "/.ready")
          == #"503 {"ready":false,"databases":"low-space","accounts":"low-space","error":"\#(text)"}"#)
      let signUp = "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k"
      #expect(try test.http("POST", signUp, #"{"returnSecureToken":true}"#).status == 503)

      // Writes resume only when an eighth more than the threshold is free.
      check(11_249)
      #expect(try test.http("PUT", "/a.json", "4").status == 503)
      check(200_000)
      #expect(try test.http("PUT", "/a.json", "5").status == 200)
      #expect(try test.answer("GET", "/.ready") == #"200 {"ready":true,"databases":"ok","accounts":"ok"}"#)
      #expect(try test.http("POST", signUp, #"{"returnSecureToken":true}"#).status == 200)
      for line in [
        "the disk is nearly full", "the disk is full except for the reserve", "the disk has free space again",
      ] {
        #expect(test.log.lines.count { $0.contains(line) } == 1, "\(line)")
      }
    }
  }
}
