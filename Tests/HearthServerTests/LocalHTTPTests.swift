import HearthOutbound
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HearthServer

/// Tests of requests to receivers on this machine, against a server that answers raw bytes.
@Suite struct LocalHTTPTests {
  /// A server that answers the requests of each connection with given texts; nil closes it.
  private final class RawServer: Sendable {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channel: any Channel
    let seen = Mutex<[(connection: Int, request: String)]>([])
    var port: Int { channel.localAddress?.port ?? 0 }

    init(_ answer: @escaping @Sendable (_ connection: Int, _ request: Int) -> String?) async throws {
      let connections = Atomic(0)
      let box = Box()
      channel = try await ServerBootstrap(group: group)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let number = connections.add(1, ordering: .relaxed).newValue
            try channel.pipeline.syncOperations.addHandler(
              Handler { request, text in
                box.note(number, text)
                return answer(number, request)
              })
          }
        }
        .bind(host: "127.0.0.1", port: 0).get()
      box.raw.withLock { $0 = WeakRawServer(raw: self) }
    }

    private struct WeakRawServer: Sendable { weak let raw: RawServer? }

    private final class Box: Sendable {
      let raw = Mutex<WeakRawServer?>(nil)

      func note(_ connection: Int, _ text: String) {
        raw.withLock { $0 }?.raw?.seen.withLock { $0.append((connection, text)) }
      }
    }

    func stop() async throws {
      try await channel.close().get()
      try await group.shutdownGracefully()
    }

    private final class Handler: ChannelInboundHandler {
      typealias InboundIn = ByteBuffer

      private let answer: (_ request: Int, _ text: String) -> String?
      private var (text, count) = ("", 0)

      init(_ answer: @escaping (_ request: Int, _ text: String) -> String?) { self.answer = answer }

      func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        text += String(buffer: unwrapInboundIn(data))
        // The bodies of these tests end with an exclamation mark.
        guard text.hasSuffix("!") else { return }
        count += 1
        let answer = answer(count, text)
        text = ""
        guard let answer else { return context.close(promise: nil) }
        context.writeAndFlush(NIOAny(ByteBuffer(string: answer)), promise: nil)
      }
    }
  }

  /// The client for receivers on other machines.
  private struct Elsewhere: OutboundHTTP {
    func send(_ request: OutboundRequest) async throws(OutboundError) -> OutboundResponse {
      throw OutboundError(.forbiddenAddress, "elsewhere")
    }
  }

  private func client() -> LocalHTTP {
    LocalHTTP(on: MultiThreadedEventLoopGroup.singleton.next(), others: Elsewhere())
  }

  private func request(_ raw: RawServer, timeoutSeconds: Int = 30, cuts: Bool = true) -> OutboundRequest {
    var request = OutboundRequest(
      method: .post, url: "http://127.0.0.1:\(raw.port)/a?b=c", headers: [OutboundHeader("X-Test", "yes")],
      body: Array("hello!".utf8), timeoutSeconds: timeoutSeconds, responseSizeBytesMax: 8)
    request.truncatesResponse = cuts
    return request
  }

  private static let fine = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Answer: a\r\n\r\nok"

  @Test func `a connection is reused, and requests are complete`() async throws {
    let raw = try await RawServer { _, _ in Self.fine }
    let client = client()
    for _ in 0..<3 {
      let answer = try await client.send(request(raw))
      #expect((answer.status, answer.body, answer.header("x-answer")) == (200, Array("ok".utf8), "a"))
    }
    let seen = raw.seen.withLock { $0 }
    #expect(seen.map(\.connection) == [1, 1, 1])
    #expect(seen[0].request.hasPrefix("POST /a?b=c HTTP/1.1\r\n"))
    for line in ["Host: 127.0.0.1:\(raw.port)\r\n", "X-Test: yes\r\n", "Content-Length: 6\r\n", "\r\n\r\nhello!"] {
      #expect(seen[0].request.contains(line))
    }
    try await raw.stop()
  }

  @Test func `a request on a connection that the peer just closed is sent on another one`() async throws {
    let raw = try await RawServer { connection, request in connection == 1 && request == 2 ? nil : Self.fine }
    let client = client()
    for _ in 0..<3 { #expect(try await client.send(request(raw)).status == 200) }
    #expect(raw.seen.withLock { $0.map(\.connection) } == [1, 1, 2, 2])
    try await raw.stop()
  }

  @Test func `missing and invalid responses are errors that name the stage`() async throws {
    func error(of answer: String?, timeoutSeconds: Int = 30, cuts: Bool = true) async throws -> OutboundError? {
      let raw = try await RawServer { _, _ in answer }
      var found: OutboundError?
      do throws(OutboundError) {
        _ = try await client().send(request(raw, timeoutSeconds: timeoutSeconds, cuts: cuts))
      } catch {
        found = error
      }
      try await raw.stop()
      return found
    }
    let closed = try await error(of: nil)
    #expect(closed?.code == .unreachable && closed?.wasAnswered == false)
    let nothing = try await error(of: "", timeoutSeconds: 1)
    #expect(nothing?.code == .timedOut && nothing?.wasSent == true && nothing?.wasAnswered == false)
    let half = try await error(of: "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf", timeoutSeconds: 1)
    #expect(half?.code == .timedOut && half?.wasAnswered == true)
    #expect(try await error(of: "\u{1}\u{2}\r\n\r\n")?.code == .malformedResponse)
    let long = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123456789"
    #expect(try await error(of: long, cuts: false)?.code == .tooLarge)
    #expect(try await error(of: long) == nil)
  }

  @Test func `endless data after the status ends the connection and not the request`() async throws {
    let flood = "HTTP/1.1 503 Busy\r\nContent-Length: 3000000\r\n\r\n" + String(repeating: "x", count: 3_000_000)
    let raw = try await RawServer { _, _ in flood }
    let answer = try await client().send(request(raw))
    #expect((answer.status, answer.body.count) == (503, 8))
    try await raw.stop()
  }

  @Test func `a cancelled task ends at once`() async throws {
    let raw = try await RawServer { _, _ in "" }
    let (client, request) = (client(), request(raw))
    let task = Task { () -> OutboundError.Code? in
      do throws(OutboundError) {
        _ = try await client.send(request)
        return nil
      } catch {
        return error.code
      }
    }
    while raw.seen.withLock({ $0.isEmpty }) { await Task.yield() }
    task.cancel()
    #expect(await task.value == .cancelled)
    try await raw.stop()
  }

  @Test(
    arguments: [
      ("http://127.0.0.1:8081/x?y#z", "127.0.0.1:8081", "/x?y"), ("http://[::1]/", "[::1]:80", "/"),
      ("http://127.0.0.1", "127.0.0.1:80", "/"), ("http://127.0.0.1:9?q", "127.0.0.1:9", "/?q"),
    ]) func `places on this machine`(url: String, authority: String, target: String) throws
  {
    let place = try #require(LocalURL(url))
    #expect((place.authority, place.target) == (authority, target))
  }

  @Test(
    arguments: [
      "https://127.0.0.1/", "http://127.0.0.1.example.com/", "http://127.0.0.10/", "http://127.0.0.1:/",
      "http://127.0.0.1:99999/", "http://127.0.0.1@example.com/", "http://127.0.0.1:80@example.com/",
      "http://[::1].example.com/", "http://[::1]:8a/", "http://localhost/", "http://127.0.0.1:80:80/",
    ]) func `everything else goes the other way`(url: String) async throws
  {
    #expect(LocalURL(url) == nil)
    await #expect(throws: OutboundError(.forbiddenAddress, "elsewhere")) {
      _ = try await client().send(OutboundRequest(url: url))
    }
  }
}
