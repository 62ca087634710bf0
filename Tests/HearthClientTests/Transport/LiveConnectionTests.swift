import Foundation
import HearthServer
import HearthTestKit
import HearthTree
import HearthWire
import LiveServerKit
import ServerTestKit
import Testing

@testable import HearthClient

/// Tests of the connection with a real server, over plain sockets and over TLS.
@Suite struct LiveConnectionTests {
  static let rules = """
    {"rules": {
      "open": {".read": true, ".write": true},
      "mine": {"$uid": {".read": "auth.uid == $uid", ".write": "auth.uid == $uid"}}
    }}
    """

  /// Runs `body` with a server and the URL of a database on it.
  static func with(isSecure: Bool, _ body: (TestServer, String) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    try TestCertificate.certificatePEM.write(toFile: folder.path + "/cert.pem", atomically: true, encoding: .utf8)
    try TestCertificate.keyPEM.write(toFile: folder.path + "/key.pem", atomically: true, encoding: .utf8)
    try await TestServer.with(rules: rules) { options in
      if isSecure { options.tls = .init(certificatePath: folder.path + "/cert.pem", keyPath: folder.path + "/key.pem") }
    } _: { test in
      try await body(test, isSecure ? "wss://localhost" : "ws://localhost")
    }
  }

  static let trust = TLSTrust.roots(pem: TestCertificate.certificatePEM)

  @Test("writes, reads, listens and sign-in over a real socket", arguments: [false, true])
  func works(isSecure: Bool) async throws {
    try await Self.with(isSecure: isSecure) { test, scheme in
      let owner = try LiveOwner(
        "\(scheme):\(test.port)/?ns=default", credential: try test.token(uid: "alice"), trust: Self.trust)
      defer { owner.close() }
      owner.listen("mine/alice")
      #expect(await owner.put("mine/alice/x", Node(.int(1)))?.status == .ok)
      #expect(await owner.put("mine/bob/x", Node(.int(1)))?.status == .permissionDenied)
      #expect(await owner.put("mine/alice/x", Node(.int(2)), hash: "wrong")?.status == .dataStale)
      #expect(await owner.get("mine/alice")?.node.json() == Array(#"{"x":1}"#.utf8))
      // The writer receives it as well; an empty location sends no event before.
      #expect(owner.pushed.map(\.0) == [Location(path: Path("mine/alice/x"))])
      guard case .hello(let time)? = owner.told.first else {
        Issue.record("the first event is \(String(describing: owner.told.first))")
        return
      }
      #expect(abs(Double(time) / 1_000 - Date().timeIntervalSince1970) < 3_600)
      // Two megabytes of characters of two units each, in both directions.
      let long = Node(.string(String(repeating: "🐵é", count: 350_000)))
      #expect(await owner.put("mine/alice/long", long)?.status == .ok)
      #expect(await owner.get("mine/alice/long")?.node == long)
    }
  }

  @Test("an untrusted certificate or one for another name is an error, and no connection opens")
  func verifiesCertificates() async throws {
    try await Self.with(isSecure: true) { test, _ in
      let stranger = try LiveOwner("wss://localhost:\(test.port)/?ns=default")
      defer { stranger.close() }
      try await Polling.until { stranger.log.contains { $0.contains("the certificate of localhost is not accepted") } }
      #expect(stranger.told.isEmpty)
      let misnamed = try LiveOwner("wss://127.0.0.2:\(test.port)/?ns=default", trust: Self.trust)
      defer { misnamed.close() }
      try await Polling.until { misnamed.log.contains { $0.contains("IP address mismatch") } }
      #expect(misnamed.told.isEmpty)
    }
  }

  @Test("a server that is not a Realtime Database is reported with its response")
  func wrongServer() async throws {
    let server = try await FixedAnswerServer.start("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    let owner = try LiveOwner("ws://localhost:\(server.port)/?ns=default")
    defer { owner.close() }
    try await Polling.until { owner.log.contains { $0.contains("404") } }
    await server.stop()
  }

  @Test("a message beyond the limit closes the socket and is not buffered")
  func boundsMessages() async throws {
    try await Self.with(isSecure: false) { test, scheme in
      var limits = WebSocketLimits()
      limits.messageBytesMax = 100_000
      let owner = try LiveOwner("\(scheme):\(test.port)/?ns=default", limits: limits)
      defer { owner.close() }
      #expect(await owner.put("open/big", Node(.string(String(repeating: "x", count: 150_000))))?.status == .ok)
      owner.listen("open/big")
      try await Polling.until { owner.lossCount >= 2 }
      #expect(owner.pushed.isEmpty)
    }
  }

  @Test("while the owner is busy, reading stops at the buffer limit, and no message is lost")
  func backPressure() async throws {
    try await Self.with(isSecure: false) { test, scheme in
      var limits = WebSocketLimits()
      limits.unreadBytesMax = 10_000
      let owner = try LiveOwner("\(scheme):\(test.port)/?ns=default", limits: limits)
      let writer = try LiveOwner("\(scheme):\(test.port)/?ns=default")
      defer {
        owner.close()
        writer.close()
      }
      owner.listen("open")
      #expect(await owner.get("open")?.status == .ok)
      let text = Node(.string(String(repeating: "x", count: 5_000)))
      let gate = DispatchSemaphore(value: 0)
      owner.queue.async { gate.wait() }
      for i in 0..<100 { #expect(await writer.put("open/\(i)", text)?.status == .ok) }
      gate.signal()
      try await Polling.until { owner.pushed.count >= 100 }
      #expect(owner.lossCount == 0)
      #expect(owner.pushed.suffix(100).map(\.0.path) == (0..<100).map { Path("open/\($0)") })
    }
  }
}
