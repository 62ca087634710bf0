import Testing

/// Tests of requests byte by byte, as libraries for microcontrollers and other unusual clients send them, with the
/// answers.
@Suite struct DeviceRequestTests {
  /// A request's first line, its header fields and its body, with the relevant part of the answer.
  private struct Exchange {
    var line: String
    var fields: [String] = []
    var body = ""
    var answer: String
  }

  private static let exchanges = [
    // Firebase-ESP-Client overrides methods with a trailing space.
    Exchange(line: "POST /w.json", fields: ["X-HTTP-Method-Override: PUT "], body: "5", answer: "200 5"),
    Exchange(line: "GET /w.json", answer: "200 5"),
    Exchange(line: "POST /w.json", fields: ["X-HTTP-Method-Override: DELETE\t"], answer: "200 null"),
    Exchange(line: "GET /w.json", answer: "200 null"),
    Exchange(line: "GET /x.json", fields: ["Authorization: Bearer owner "], answer: "200 null"),
    Exchange(line: "PUT /m.json", fields: ["if-match: null_etag "], body: "6", answer: "200 6"),
    // Paths and bounds as raw UTF-8.
    Exchange(line: "PUT /ทด/ก.json", body: "5", answer: "200 5"),
    Exchange(line: "GET /%E0%B8%97%E0%B8%94/%E0%B8%81.json", answer: "200 5"),
    Exchange(line: "PUT /q.json", body: #"{"café":1,"x":2}"#, answer: #"200 {"café":1,"x":2}"#),
    Exchange(line: #"GET /q.json?orderBy="$key"&equalTo="café""#, answer: #"200 {"café":1}"#),
    Exchange(line: "GET http://localhost/q/x.json", answer: "200 2"),
    Exchange(line: "GET /q/x.json?timeout=1.0s", answer: "200 2"),
    Exchange(line: "GET /q/x.json?timeout=180.0s", answer: "200 2"),
    // These clients expect a space on both sides of the colon.
    Exchange(line: "GET /a.b.json", answer: "400 {\n  \"error\" : \"Invalid token in path\"\n}"),
    Exchange(line: "GET /q.json?print=pretty", answer: "200 {\n  \"café\" : 1,\n  \"x\" : 2\n}"),
  ]

  @Test("device requests are answered as by Firebase")
  func exchanges() async throws {
    try await TestServer.with(mode: .dev, isEmulator: true, ioThreadCount: 1) { test throws in
      let rules = #"{"rules":{".read":true,".write":true}}"#
      let owner = ["Authorization": "Bearer owner"]
      #expect(try test.http("PUT", "/.settings/rules.json", rules, headers: owner).status == 200)
      let connection = try LiveConnection(port: test.port)
      for exchange in Self.exchanges {
        let fields = exchange.fields.map { $0 + "\r\n" }.joined()
        let length = exchange.line.hasPrefix("GET") ? "" : "Content-Length: \(exchange.body.utf8.count)\r\n"
        let head = "\(exchange.line) HTTP/1.1\r\nHost: localhost\r\n\(fields)\(length)\r\n"
        connection.send(Array((head + exchange.body).utf8))
        let response = try connection.takeResponse()
        #expect("\(response.status) \(response.body)" == exchange.answer, "\(exchange.line)")
      }
    }
  }

  @Test("bytes that are not UTF-8, or an overlong form of it, are no valid path")
  func hostileBytes() async throws {
    try await TestServer.with(mode: .dev, isEmulator: true, ioThreadCount: 1) { test throws in
      for bytes in [[0xFF], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0x00], [0x1F], [0xC3]] as [[UInt8]] {
        let connection = try LiveConnection(port: test.port)
        connection.send(Array("PUT /a".utf8) + bytes + Array(".json HTTP/1.1\r\n".utf8))
        connection.send(Array("Host: localhost\r\nContent-Length: 1\r\n\r\n1".utf8))
        #expect(try connection.takeResponse().status == 400, "\(bytes)")
      }
    }
  }

  @Test("the host of a request in absolute form decides whether emulator credentials are accepted")
  func foreignAbsoluteForm() async throws {
    try await TestServer.with(mode: .dev, isEmulator: true, ioThreadCount: 1) { test throws in
      for (target, status) in [("http://rebound.example/x.json", 401), ("http://localhost/x.json", 200)] {
        #expect(try test.http("GET", target, headers: ["Authorization": "Bearer owner"]).status == status, "\(target)")
      }
    }
  }
}
