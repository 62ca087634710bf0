import Foundation
import Testing

@testable import HearthOutbound

@Suite struct OutboundClientTests {
  /// A client that allows plain HTTP on loopback, which only tests do.
  static let local = OutboundClient(policy: OutboundPolicy(allowsPlainHTTP: true))

  static func failure(
    of request: OutboundRequest, client: OutboundClient = local
  ) async -> OutboundError? {
    do throws(OutboundError) {
      _ = try await client.send(request)
      return nil
    } catch {
      return error
    }
  }

  @Test("a request is sent as given, and the whole response is returned")
  func exchange() async throws {
    let seen = Collected<String>()
    let server = try LoopbackServer { connection in
      let head = connection.read(until: "\r\n\r\n")
      seen.append(head + connection.read(count: 5))
      connection.write("HTTP/1.1 201 Created\r\nCache-Control:  max-age=60 \r\nX-Empty:\r\nContent-Length: 2\r\n\r\nok")
    }
    defer { server.stop() }
    let response = try await Self.local.send(
      OutboundRequest(
        method: .post, url: "http://127.0.0.1:\(server.port)/path?q=1",
        headers: [OutboundHeader("X-One", "a b"), OutboundHeader("X-None", "")], body: Array("hello".utf8)))
    #expect(response.status == 201)
    #expect(response.header("cache-control") == "max-age=60")
    #expect(response.header("X-Empty") == "")
    #expect(response.header("X-Absent") == nil)
    #expect(response.body == Array("ok".utf8))
    let request = try #require(seen.all.first)
    #expect(request.hasPrefix("POST /path?q=1 HTTP/1.1\r\n"))
    #expect(request.contains("X-One: a b\r\n"))
    #expect(request.contains("X-None:\r\n"))
    #expect(request.contains("Content-Length: 5\r\n"))
    #expect(!request.lowercased().contains("expect:"))
    #expect(!request.lowercased().contains("content-type:"))
    #expect(!request.lowercased().contains("accept-encoding:"))
    #expect(request.hasSuffix("\r\n\r\nhello"))
  }

  @Test("a redirect is returned as the response and is not followed")
  func redirect() async throws {
    let other = try LoopbackServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    let server = try LoopbackServer.answering(
      "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:\(other.port)/\r\nContent-Length: 0\r\n\r\n")
    defer {
      server.stop()
      other.stop()
    }
    let response = try await Self.local.send(OutboundRequest(url: "http://127.0.0.1:\(server.port)/"))
    #expect(response.status == 302)
    #expect(other.connectionCount == 0)
  }

  @Test("a response over the limit is an error, with and without a declared length", arguments: [true, false])
  func tooLarge(isAnnounced: Bool) async throws {
    let server = try LoopbackServer { connection in
      _ = connection.read(until: "\r\n\r\n")
      connection.write("HTTP/1.1 200 OK\r\n" + (isAnnounced ? "Content-Length: 100000000\r\n" : "") + "\r\n")
      for _ in 0..<1_000 where !connection.write(String(repeating: "x", count: 1_000)) { return }
    }
    defer { server.stop() }
    let request = OutboundRequest(url: "http://127.0.0.1:\(server.port)/", responseSizeBytesMax: 10_000)
    #expect(await Self.failure(of: request)?.code == .tooLarge)
  }

  @Test("a response of exactly the limit is accepted")
  func atTheLimit() async throws {
    let body = String(repeating: "x", count: 10_000)
    let server = try LoopbackServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n" + body)
    defer { server.stop() }
    let request = OutboundRequest(url: "http://127.0.0.1:\(server.port)/", responseSizeBytesMax: 10_000)
    #expect(try await Self.local.send(request).body.count == 10_000)
  }

  @Test("endless header lines are an error")
  func endlessHeaders() async throws {
    let server = try LoopbackServer { connection in
      _ = connection.read(until: "\r\n\r\n")
      connection.write("HTTP/1.1 200 OK\r\n")
      for i in 0..<10_000 where !connection.write("X-\(i): \(String(repeating: "y", count: 200))\r\n") { return }
    }
    defer { server.stop() }
    #expect(await Self.failure(of: OutboundRequest(url: "http://127.0.0.1:\(server.port)/"))?.code == .tooLarge)
  }

  // A time limit in minutes, because tests that hash passwords occupy the processors meanwhile.
  @Test(
    "a silent or endless server costs no more than the timeout", .timeLimit(.minutes(2)),
    arguments: [true, false])
  func slow(isSilent: Bool) async throws {
    let server = try LoopbackServer { connection in
      _ = connection.read(until: "\r\n\r\n")
      if isSilent { return connection.waitForEnd() }
      connection.write("HTTP/1.1 200 OK\r\n\r\n")
      while connection.write("x") { usleep(20_000) }
    }
    defer { server.stop() }
    let request = OutboundRequest(url: "http://127.0.0.1:\(server.port)/", timeoutSeconds: 1)
    #expect(await Self.failure(of: request)?.code == .timedOut)
  }

  @Test(
    "a response that is not HTTP is an error",
    arguments: ["", "SSH-2.0-x\r\n", "HTTP/9.9 banana\r\n\r\n", "\u{0}\u{1}\u{2}"])
  func malformed(answer: String) async throws {
    let server = try LoopbackServer.answering(answer)
    defer { server.stop() }
    let code = await Self.failure(of: OutboundRequest(url: "http://127.0.0.1:\(server.port)/"))?.code
    #expect([.malformedResponse, .unreachable].contains(code), "\(String(describing: code))")
  }

  @Test("a closed port is unreachable")
  func unreachable() async throws {
    let server = try LoopbackServer { _ in }
    server.stop()
    let port = server.port
    try await Task.sleep(for: .milliseconds(50))
    let code = await Self.failure(of: OutboundRequest(url: "http://127.0.0.1:\(port)/", timeoutSeconds: 60))?.code
    #expect(code == .unreachable)
  }

  @Test(
    "Security 57: this machine and private networks are not reachable, in any spelling of their addresses",
    arguments: [
      "https://127.0.0.1:PORT/", "https://localhost:PORT/", "https://2130706433:PORT/", "https://127.1:PORT/",
      "https://[::ffff:127.0.0.1]:PORT/", "https://[::1]:PORT/", "https://0.0.0.0:PORT/", "http://127.0.0.1:PORT/",
      "https://169.254.169.254/latest/meta-data/", "https://10.0.0.1/", "https://192.168.0.1/",
      "https://[fd00:ec2::254]/",
    ])
  func guarded(url: String) async throws {
    let server = try LoopbackServer { _ in }
    defer { server.stop() }
    let request = OutboundRequest(
      url: url.replacingOccurrences(of: "PORT", with: String(server.port)), timeoutSeconds: 60)
    #expect(await Self.failure(of: request, client: OutboundClient())?.code == .forbiddenAddress)
    #expect(server.connectionCount == 0)
  }

  @Test("a header value with a line break is refused")
  func headerInjection() async {
    for header in [
      OutboundHeader("X-A", "b\r\nX-C: d"), OutboundHeader("X-A", "b\u{0}"), OutboundHeader("X A", "b"),
      OutboundHeader("X-A:", "b"), OutboundHeader("", "b"),
    ] {
      let request = OutboundRequest(url: "http://127.0.0.1:9/", headers: [header])
      #expect(await Self.failure(of: request)?.code == .invalidRequest, "\(header)")
    }
  }

  @Test("a cancelled task ends its request")
  func cancellation() async throws {
    let server = try LoopbackServer { $0.waitForEnd() }
    defer { server.stop() }
    let url = "http://127.0.0.1:\(server.port)/"
    let task = Task { await Self.failure(of: OutboundRequest(url: url, timeoutSeconds: 600)) }
    while server.connectionCount == 0 { try await Task.sleep(for: .milliseconds(5)) }
    task.cancel()
    #expect(await task.value?.code == .cancelled)
  }

  @Test("a request that waits for a thread is subject to the timeout and can be cancelled", .timeLimit(.minutes(1)))
  func waiting() async throws {
    let server = try LoopbackServer { $0.waitForEnd() }
    defer { server.stop() }
    let client = OutboundClient(policy: OutboundPolicy(allowsPlainHTTP: true), pool: OutboundPool(slots: 1))
    let url = "http://127.0.0.1:\(server.port)/"
    let busy = Task { await Self.failure(of: OutboundRequest(url: url, timeoutSeconds: 600), client: client)?.code }
    while server.connectionCount == 0 { try await Task.sleep(for: .milliseconds(5)) }
    let request = OutboundRequest(url: url, timeoutSeconds: 1)
    #expect(await Self.failure(of: request, client: client)?.code == .timedOut)
    let waiting = Task { await Self.failure(of: OutboundRequest(url: url, timeoutSeconds: 600), client: client)?.code }
    try await Task.sleep(for: .milliseconds(50))
    waiting.cancel()
    #expect(await waiting.value == .cancelled)
    #expect(server.connectionCount == 1)
    busy.cancel()
    #expect(await busy.value == .cancelled)
  }

  @Test("requests beyond the slots and the queue are refused at once")
  func busy() async throws {
    let server = try LoopbackServer { $0.waitForEnd() }
    defer { server.stop() }
    let client = OutboundClient(
      policy: OutboundPolicy(allowsPlainHTTP: true), pool: OutboundPool(slots: 1, queueMax: 1))
    let request = OutboundRequest(url: "http://127.0.0.1:\(server.port)/", timeoutSeconds: 600)
    let codes = await withTaskGroup(of: OutboundError.Code?.self) { group in
      for _ in 0..<6 { group.addTask { await Self.failure(of: request, client: client)?.code } }
      var codes: [OutboundError.Code?] = []
      while codes.count < 4, let code = await group.next() { codes.append(code) }
      group.cancelAll()
      return await group.reduce(into: codes) { $0.append($1) }
    }
    #expect(codes == Array(repeating: .busy, count: 4) + Array(repeating: .cancelled, count: 2))
  }

  @Test("an error names only the host of the request")
  func errorTexts() async throws {
    let server = try LoopbackServer.answering("nothing")
    defer { server.stop() }
    let request = OutboundRequest(
      method: .post, url: "http://127.0.0.1:\(server.port)/hidden?token=hidden",
      headers: [OutboundHeader("Authorization", "hidden")], body: Array("hidden".utf8))
    let error = try #require(await Self.failure(of: request))
    #expect(!error.description.contains("hidden"))
  }
}
