import Foundation
import HearthTestKit
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// Tests of event streams over a live socket, as clients of the REST interface read them.
@Suite struct StreamServerTests {
  private static let rules = """
    {"rules": {
      "public": {".read": true, ".write": true, "list": {".indexOn": "n"}},
      "users": {"$uid": {".read": "auth.uid === $uid", ".write": true}},
      "gated": {".read": "root.child('public/open').val() === true"}
    }}
    """

  @Test func `a stream begins with the current value and continues with every change`() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let stream = try test.stream("/public/a.json")
      #expect(try stream.next() == #"put|{"path":"/","data":null}"#)
      #expect(try test.answer("PUT", "/public/a.json", #"{"x":1,"y":["é"]}"#) == #"200 {"x":1,"y":["é"]}"#)
      #expect(try stream.next() == #"put|{"path":"/","data":{"x":1,"y":["é"]}}"#)
      _ = try test.answer("PUT", "/public/a/x/z.json", "true")
      #expect(try stream.next() == #"put|{"path":"/x/z","data":true}"#)
      _ = try test.answer("PATCH", "/public/a/y.json", #"{"0":null,"b/c":2}"#)
      #expect(try stream.next() == #"patch|{"path":"/y","data":{"0":null,"b/c":2}}"#)
      _ = try test.answer("DELETE", "/public/a/y.json")
      #expect(try stream.next() == #"put|{"path":"/y","data":null}"#)
      let name = try test.http("POST", "/public/a.json", "\"\"").body.dropFirst(9).dropLast(2)
      #expect(try stream.next() == "put|{\"path\":\"/\(name)\",\"data\":\"\"}")
      // Writes above and beside the location.
      _ = try test.answer("PUT", "/public/b.json", "1")
      _ = try test.answer("PUT", "/public.json", #"{"a":{"x":5},"b":2}"#)
      #expect(try stream.next() == #"put|{"path":"/","data":{"x":5}}"#)
      _ = try test.answer("PATCH", "/public.json", #"{"a/x":6,"a/w":7,"b":3}"#)
      #expect(try stream.next() == #"patch|{"path":"/","data":{"x":6,"w":7}}"#)
      let second = try test.stream("/public.json")
      #expect(try second.next() == #"put|{"path":"/","data":{"a":{"w":7,"x":6},"b":3}}"#)
    }
  }

  @Test func `the head has the headers that clients and proxies need`() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let stream = try test.stream("/public.json", headers: "Origin: https://app.example\r\n")
      let head = stream.head.map { $0.lowercased() }
      for line in [
        "content-type: text/event-stream; charset=utf-8", "cache-control: no-cache", "x-accel-buffering: no",
        "access-control-allow-origin: *", "connection: close",
      ] {
        #expect(head.filter { $0 == line }.count == 1, "\(line): \(head)")
      }
      #expect(!head.contains { $0.hasPrefix("content-length") || $0.hasPrefix("transfer-encoding") })
      // The raw socket has only the events' lines.
      #expect(try stream.connection.takeRawLines(3) == ["event: put", #"data: {"path":"/","data":null}"#, ""])
      let answer = try test.http("HEAD", "/public.json", headers: ["Accept": "text/event-stream"])
      #expect(answer.status == 200 && answer.headers["content-type"] == "text/event-stream; charset=utf-8")
      #expect(try test.http("HEAD", "/users.json", headers: ["Accept": "text/event-stream"]).status == 401)
      let plain = try test.http("GET", "/public.json", headers: ["Accept": "application/json"])
      #expect(plain.headers["content-type"] == "application/json; charset=utf-8" && plain.body == "null")
    }
  }

  @Test func `a refusal before the stream is an ordinary response`() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let accept = ["Accept": "text/html, text/event-stream;q=0.9"]
      func refusal(_ target: String) throws -> String {
        let answer = try test.http("GET", target, headers: accept)
        #expect(answer.headers["content-type"] == "application/json; charset=utf-8")
        return "\(answer.status) \(answer.body.split(separator: "\"")[3])"
      }
      #expect(try refusal("/users.json") == "401 Permission denied")
      #expect(try refusal("/public.json?auth=nonsense") == "401 Could not parse auth token.")
      #expect(try refusal("/public.json?ns=unknown").hasPrefix("404 "))
      #expect(try refusal("/a.b.json") == "400 Invalid token in path")
      #expect(try refusal("/public/.priority.json") == "400 Invalid token in path")
      #expect(try refusal("/public.json?orderBy=x") == "400 orderBy must be a valid JSON encoded path")
      // Parameters without a meaning for streams are ignored.
      let stream = try test.stream("/public.json?shallow=true&print=pretty&callback=f&download=x&timeout=1ms")
      #expect(try stream.next() == #"put|{"path":"/","data":null}"#)
    }
  }

  @Test func `the export form shows priorities and changes of them`() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      _ = try test.answer("PUT", "/public/a.json", #"{"x":{".value":1,".priority":2},"0":"zero"}"#)
      let (export, plain) = (try test.stream("/public.json?format=export"), try test.stream("/public.json"))
      #expect(try plain.next() == #"put|{"path":"/","data":{"a":{"0":"zero","x":1}}}"#)
      #expect(
        try export.next() == #"put|{"path":"/","data":{"a":{"0":"zero","x":{".value":1,".priority":2}}}}"#)
      _ = try test.answer("PUT", "/public/a/x/.priority.json", "3")
      _ = try test.answer("PUT", "/public/a/y.json", "4")
      #expect(try export.next() == #"put|{"path":"/a/x/.priority","data":3}"#)
      #expect(try export.next() == #"put|{"path":"/a/y","data":4}"#)
      #expect(try plain.next() == #"put|{"path":"/a/y","data":4}"#)
    }
  }

  @Test func `a stream ends when the rules no longer allow it`() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      _ = try test.answer("PUT", "/public/open.json", "true")
      let (gated, open) = (try test.stream("/gated.json"), try test.stream("/public/x.json"))
      #expect(try gated.next() == #"put|{"path":"/","data":null}"#)
      #expect(try open.next() == #"put|{"path":"/","data":null}"#)
      _ = try test.answer("PUT", "/public/open.json", "false")
      #expect(try gated.next() == #"cancel|"Permission denied.""#)
      #expect(try gated.next() == "end")
      #expect(gated.isClosed())
      _ = try test.answer("PUT", "/public/x.json", "1")
      #expect(try open.next() == #"put|{"path":"/","data":1}"#)
      let secret = try test.secret
      #expect(try test.http("PUT", "/.settings/rules.json?auth=\(secret)", #"{"rules":{}}"#).status == 200)
      #expect(try open.next() == #"cancel|"Permission denied.""#)
      #expect(try open.next() == "end")
    }
  }

  @Test func `a stream ends with its credential`() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let user = try test.signUp("a@example.com")
      let uid = user["localId"]
      let stream = try test.stream("/users/\(uid).json?auth=\(user["idToken"])")
      #expect(try stream.next() == #"put|{"path":"/","data":null}"#)
      let brief = try test.withBriefToken(uid: "ann") { try test.stream("/users/ann.json?auth=\($0)") }
      #expect(try brief.next() == #"put|{"path":"/","data":null}"#)
      #expect(try test.administer("accounts:update", #"{"localId":"\#(uid)","disableUser":true}"#).status == 200)
      #expect(try stream.next() == "auth_revoked|credential is no longer valid")
      #expect(try stream.next() == "end")
      #expect(stream.isClosed())
      #expect(try brief.next() == "auth_revoked|credential is no longer valid")
      #expect(try brief.next() == "end")
    }
  }

  @Test func `an administrator's stream as another user sees what that user may read`() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let secret = try test.secret
      #expect(
        try test.http(
          "GET", "/users/ann.json?auth=\(secret)&auth_variable_override=null", headers: ["Accept": "text/event-stream"]
        ).status == 401)
      let admin = try test.stream("/users.json?auth=\(secret)")
      #expect(try admin.next() == #"put|{"path":"/","data":null}"#)
      let override = "auth_variable_override=%7B%22uid%22:%22ann%22%7D"
      let ann = try test.stream("/users/ann.json?auth=\(secret)&\(override)")
      #expect(try ann.next() == #"put|{"path":"/","data":null}"#)
      _ = try test.answer("PUT", "/users/ann/n.json", "1")
      #expect(try admin.next() == #"put|{"path":"/ann/n","data":1}"#)
      #expect(try ann.next() == #"put|{"path":"/n","data":1}"#)
    }
  }

  @Test func `large values are sent in order with later events`() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let large = String(repeating: "x", count: LargeValuePool.loopBytesMax + 10)
      _ = try test.http("PUT", "/public/big.json?print=silent", "\"\(large)\"")
      let streams = try (0..<4).map { _ in try test.stream("/public/big.json") }
      _ = try test.answer("PUT", "/public/big.json", "1")
      _ = try test.http("PUT", "/public/big/a.json?print=silent", "\"\(large)\"")
      for i in 0..<5 { _ = try test.answer("PUT", "/public/big/b.json", "\(i)") }
      for stream in streams {
        #expect(try stream.next() == "put|{\"path\":\"/\",\"data\":\"\(large)\"}")
        #expect(try stream.next() == #"put|{"path":"/","data":1}"#)
        #expect(try stream.next() == "put|{\"path\":\"/a\",\"data\":\"\(large)\"}")
        for i in 0..<5 { #expect(try stream.next() == "put|{\"path\":\"/b\",\"data\":\(i)}") }
      }
    }
  }

  @Test func `no change is lost or repeated while streams begin`() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let port = test.port
      async let written: Void = Task.detached {
        let writer = try LiveConnection(port: port)
        for i in 1...300 { _ = try writer.request("PUT", "/public/n.json", "\(i)") }
      }.value
      var streams: [LiveStream] = []
      for _ in 0..<12 { streams.append(try test.stream("/public/n.json")) }
      try await written
      for stream in streams {
        let first = try stream.next().dropFirst(23).dropLast()
        var last = first == "null" ? 0 : try #require(Int(first))
        while last < 300 {
          last += 1
          #expect(try stream.next() == "put|{\"path\":\"/\",\"data\":\(last)}")
        }
      }
    }
  }

  @Test func `a client that disconnects releases its listen`() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      var stream: LiveStream? = try test.stream("/public/a.json")
      #expect(try stream?.next() == #"put|{"path":"/","data":null}"#)
      #expect(test.log.lines.contains { $0.hasPrefix("debug stream opened") })
      #expect(!test.log.lines.contains { $0.hasPrefix("debug stream closed") })
      stream = nil
      #expect(try await Polling.until { test.log.lines.contains { $0.hasPrefix("debug stream closed") } })
      #expect(try test.answer("PUT", "/public/a.json", "1") == "200 1")
    }
  }

  @Test func `a client that does not read is disconnected and delays no other`() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let slow = try test.stream("/public/big.json")
      let part = String(repeating: "y", count: 4 << 20)
      for i in 0..<12 {
        #expect(try test.http("PUT", "/public/big/\(i).json?print=silent", "\"\(part)\"").status == 204)
      }
      #expect(try test.answer("PUT", "/public/n.json", "1") == "200 1")
      #expect(try await Polling.until { test.log.lines.contains { $0.hasPrefix("debug stream closed") } })
      // The stream ends in the middle of an event, so that the client knows that the event is incomplete.
      var event = ""
      repeat { event = (try? slow.next()) ?? "rest" } while event != "end" && !event.hasPrefix("rest")
      #expect(event != "end")
    }
  }

  @Test func `streams end with the server`() async throws {
    let test = try await TestServer(rules: Self.rules)
    let stream = try test.stream("/public.json")
    #expect(try stream.next() == #"put|{"path":"/","data":null}"#)
    await test.server.stop()
    #expect(try stream.next() == "end")
    #expect(stream.isClosed())
  }
}
