import Testing

@testable import HearthGateway
@testable import HearthServer

/// Tests of the limits that clients of a running server share: one network exhausts its share, and another still gets
/// its own.
@Suite struct FairShareLimitServerTests {
  private static let open = #"{"rules": {".read": true, ".write": true}}"#

  private static func listen(_ socket: LiveSocket, _ path: String) throws -> String {
    socket.request("q", #"{"p":"\#(path)","h":""}"#)
    while true {
      let message = try socket.next()
      if message.hasPrefix("r ") { return message }
    }
  }

  @Test("anonymous sockets of one network do not block another network's listen over any transport")
  func listens() async throws {
    let test = try await TestServer(rules: Self.open) {
      $0.accounts.trustedProxies = ["127.0.0.1"]
      $0.listensBytesMax = 4_000_000
    }
    // Each socket is in its own /64.
    var sockets: [LiveSocket] = []
    var taken = 0
    for number in 0..<8 {
      let socket = try test.socket(headers: "X-Forwarded-For: 2001:db8:1:\(number)::1\r\n")
      sockets.append(socket)
      for count in 0..<300 {
        guard try Self.listen(socket, "/\(number)/\(count)").contains(" ok ") else { break }
        taken += 1
      }
    }
    #expect(taken > 1_500 && taken < 1_800)
    let hog = "X-Forwarded-For: 2001:db8:1:ff::1\r\n"
    // As deep as the last refused listens: one that counts for less would still fit.
    #expect(try Self.listen(try test.socket(headers: hog), "/8/100").contains("too many listeners"))
    // A stream must receive an instruction to retry, which status 500 is not.
    let accept = ["Accept": "text/event-stream", "X-Forwarded-For": "2001:db8:1:ff::2"]
    let refused = try test.http("GET", "/8/100.json", headers: accept)
    #expect(refused.status == 503 && refused.headers["retry-after"] != nil, "\(refused)")
    #expect(try test.http("GET", "/a.json", headers: ["X-Forwarded-For": "2001:db8:1:ff::2"]).status == 200)
    for other in ["198.51.100.1", "203.0.113.1", "2001:db8:2::1"] {
      let forwarded = "X-Forwarded-For: \(other)\r\n"
      #expect(try Self.listen(try test.socket(headers: forwarded), "/a").contains(" ok "), "\(other)")
      let stream = try test.stream("/a.json", headers: forwarded)
      #expect(try stream.next().hasPrefix("put|"))
    }
    // No existing listen was dropped for the new one.
    #expect(try test.http("PUT", "/0/0.json", "1").status == 200)
    #expect(try sockets[0].next().contains("0/0"))
    await test.server.stop()
  }
}
