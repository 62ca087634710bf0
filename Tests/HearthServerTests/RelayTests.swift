import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// Tests of a node that forwards requests to the owner.
@Suite struct RelayTests {
  private static let request = RelayCodingTests.request

  private static func text(_ response: HTTPResponse) -> String {
    "\(response.status.code) \(String(buffer: response.body))"
  }

  @Test("the owner answers the requests itself; every other node relays them, and returns the complete answer")
  func handsOver() async throws {
    let nodes = try RelayNodes()
    for node in ["a", "b"] { nodes.set("b", at: node) }
    var response = RelayCodingTests.response
    response.readPauseMilliseconds = 7
    nodes.setResponse(response)
    #expect(RelayCodingTests.summary(try await nodes.send(Self.request, to: "b")) == RelayCodingTests.summary(response))
    #expect(nodes.asked.isEmpty)
    #expect(RelayCodingTests.summary(try await nodes.send(Self.request, to: "a")) == RelayCodingTests.summary(response))
    #expect(nodes.asked == ["a>b"] && nodes.answered.map(\.node) == ["b", "b"])
    var expected = Self.request
    expected.peer.clientAtOtherNode = "192.0.2.7"
    #expect(RelayCodingTests.summary(nodes.answered[1].request) == RelayCodingTests.summary(expected))
  }

  @Test("the client's address is the one that the first node found, regardless of the other node's trusted proxies")
  func clientAddress() async throws {
    let nodes = try RelayNodes(["192.0.2.0/24", "10.0.0.0/8"])
    for node in ["a", "b"] { nodes.set("b", at: node) }
    _ = try await nodes.send(Self.request, to: "a")
    var local = HTTPRequest(
      method: .GET, target: "/", headers: ["Host": "localhost"],
      peer: Peer(address: try SocketAddress(ipAddress: "127.0.0.1", port: 1), isEncrypted: false), id: "i")
    _ = try await nodes.send(local, to: "a")
    local.headers.add(name: "X-Forwarded-For", value: "127.0.0.1")
    _ = try await nodes.send(local, to: "a")
    for proxies in [[], ["0.0.0.0/0"]] {
      let origins = try nodes.answered.map { try TrustedProxies(proxies).origin(of: $0.request) }
      #expect(
        origins == [
          RequestOrigin(address: "203.0.113.9", isFromLoopback: false, requestID: "4f1c20aa-1f"),
          RequestOrigin(address: "127.0.0.1", isFromLoopback: true, requestID: "i"),
          RequestOrigin(address: "127.0.0.1", isFromLoopback: false, requestID: "i"),
        ])
    }
  }

  @Test("requests about a node are answered by that node, independent of the owner")
  func forAnyNode() async throws {
    let nodes = try RelayNodes()
    nodes.set("a", at: "b")
    var relayServer = nodes.relayServer("b")
    var handed = Self.request
    handed.peer.clientAtOtherNode = "192.0.2.7"
    let question = try #require(RelayedRequest(handed, client: "192.0.2.7").encoded)
    #expect(try await relayServer.answer(question).get() == [1, 2], "it is not the owner")
    relayServer.isForAnyNode = { [path = handed.path] in $0.path == path }
    let answer = try RelayedResponse(encoded: try await relayServer.answer(question).get())
    guard case .response(let response) = answer else { return #expect(Bool(false), "\(answer)") }
    #expect(response.status == .ok && nodes.answered.map(\.node) == ["b"] && nodes.asked.isEmpty)
  }

  @Test("nodes with opposite views of the owner do not relay a request in a loop")
  func noCircles() async throws {
    let nodes = try RelayNodes()
    nodes.set("b", at: "a")
    nodes.set("a", at: "b")
    #expect(Self.text(try await nodes.send(Self.request, to: "a")) == "503 a unreachable 4f1c20aa-1f")
    #expect(nodes.asked == ["a>b", "a>b"] && nodes.answered.isEmpty)
    // Also when the other node loses ownership between the lookup and the answer.
    var handed = Self.request
    handed.peer.clientAtOtherNode = "192.0.2.7"
    #expect(try await nodes.send(handed, to: "b").status == .ok)
    #expect(nodes.asked == ["a>b", "a>b"] && nodes.answered.map(\.node) == ["b"])
  }

  @Test("a request to a former or unreachable owner is retried for a while")
  func triesAgain() async throws {
    let nodes = try RelayNodes()
    nodes.set("b", at: "a")
    nodes.set("c", at: "c")
    nodes.onAsk { nodes, peer in
      if peer == "b" { nodes.set("c", at: "a") }
      return nil
    }
    #expect(try await nodes.send(Self.request, to: "a").status == .ok)
    #expect(nodes.asked == ["a>b", "a>c"] && nodes.answered.map(\.node) == ["c"])
    // None of three nodes is the owner.
    nodes.set("b", at: "a")
    nodes.set(nil, at: "c")
    nodes.onAsk { nodes, peer in
      nodes.set(peer == "b" ? "c" : "d", at: "a")
      return nil
    }
    #expect(Self.text(try await nodes.send(Self.request, to: "a")) == "503 a unreachable 4f1c20aa-1f")
    #expect(nodes.asked.suffix(2) == ["a>b", "a>c"] && nodes.asked.count == 4)
    // By then this node is the owner, or no owner is known.
    for (owner, answer) in [("a", "200 "), (nil, "503 a unreachable 4f1c20aa-1f")] as [(String?, String)] {
      nodes.set("b", at: "a")
      nodes.onAsk { nodes, _ in
        nodes.set(owner, at: "a")
        return nil
      }
      #expect(Self.text(try await nodes.send(Self.request, to: "a")) == answer)
    }
    #expect(nodes.asked.count == 6)
  }

  @Test("a request that an owner began and lost is answered completely by the next owner")
  func beginsAnew() async throws {
    var undone = HTTPResponse(.serviceUnavailable)
    undone.isSafeToRetry = true
    // The client's own node loses ownership meanwhile; or the asked node does, to a third node or to the client's own.
    for path in [["a", "b"], ["b", "c"], ["b", "a"]] {
      let nodes = try RelayNodes()
      for node in ["a", path[0]] { nodes.set(path[0], at: node) }
      nodes.onAnswer { [undone] nodes, node in
        guard node == path[0] else { return nil }
        for node in ["a", "b", "c"] { nodes.set(path[1], at: node) }
        return undone
      }
      #expect(try await nodes.send(Self.request, to: "a").status == .ok)
      #expect(nodes.answered.map(\.node) == path)
    }
    // The owner stays the same. It succeeds at the second attempt; or never, and the client receives its refusal.
    for owner in ["a", "b"] {
      for isLate in [true, false] {
        let nodes = try RelayNodes()
        for node in ["a", "b"] { nodes.set(owner, at: node) }
        nodes.onAnswer { [undone] nodes, _ in isLate && nodes.answered.count > 1 ? nil : undone }
        let response = try await nodes.send(Self.request, to: "a")
        #expect(response.status == (isLate ? .ok : .serviceUnavailable))
        #expect(nodes.answered.map(\.node) == Array(repeating: owner, count: isLate ? 2 : RelayLimits.roundsMax + 1))
      }
    }
  }

  @Test("a client learns whether its request may have been executed, with the error of its node's own responder")
  func failures() async throws {
    struct Other: Error {}
    let nodes = try RelayNodes()
    #expect(Self.text(try await nodes.send(Self.request, to: "a")) == "503 a unreachable 4f1c20aa-1f")
    #expect(nodes.asked.isEmpty, "no owner is known")
    nodes.set("b", at: "a")
    for (error, failure) in [
      (Relay.Failure.notReached, "unreachable"), (Relay.Failure.outcomeUnknown, "outcomeUnknown"),
      (Other(), "outcomeUnknown"),
    ] as [(any Error, String)] {
      nodes.onAsk { _, _ in throw error }
      #expect(Self.text(try await nodes.send(Self.request, to: "a")) == "503 a \(failure) 4f1c20aa-1f")
    }
    for (bytes, failure) in [([9], "outcomeUnknown"), ([], "outcomeUnknown"), ([1, 3], "unreachable")]
      as [([UInt8], String)]
    {
      nodes.onAsk { _, _ in bytes }
      #expect(Self.text(try await nodes.send(Self.request, to: "a")) == "503 a \(failure) 4f1c20aa-1f")
    }
    #expect(nodes.asked.count == 7 && nodes.answered.isEmpty, "a request that may have been executed is not sent again")
    let warnings = nodes.log.lines.filter { $0.hasPrefix("warning") }
    #expect(warnings.count == 4 && warnings.allSatisfy { $0.contains("request=4f1c20aa-1f") }, "\(nodes.log.lines)")
  }

  @Test("a request that is too large to relay is refused without a relay")
  func largeRequest() async throws {
    let nodes = try RelayNodes()
    nodes.set("b", at: "a")
    var request = Self.request
    request.body = ByteBuffer(repeating: 1, count: RelayLimits.messageBytesMax)
    #expect(Self.text(try await nodes.send(request, to: "a")) == "413 a bodyTooLong 4f1c20aa-1f")
    #expect(nodes.asked.isEmpty)
  }

  @Test("a node refuses to relay its own endless or oversized response, and reports its own failures")
  func unrelayable() async throws {
    final class Stream: HTTPStreamDelegate {
      let isClosed: @Sendable () -> Void
      init(isClosed: @escaping @Sendable () -> Void) { self.isClosed = isClosed }
      func opened(_ stream: HTTPStream) { Issue.record("it has no connection") }
      func closed() { isClosed() }
      var quietText: ByteBuffer { ByteBuffer() }
    }
    let nodes = try RelayNodes()
    for node in ["a", "b"] { nodes.set("b", at: node) }
    let count = Count()
    var streaming = HTTPResponse(.ok)
    let loop = nodes.loop.eventLoop
    streaming.stream = try await loop.submit {
      NIOLoopBound(Stream { count.add() } as any HTTPStreamDelegate, eventLoop: loop)
    }.get()
    nodes.setResponse(streaming)
    #expect(Self.text(try await nodes.send(Self.request, to: "a")) == "502 b unrelayable 4f1c20aa-1f")
    #expect(count.value == 1)
    nodes.setResponse(HTTPResponse(.ok, body: ByteBuffer(repeating: 1, count: RelayLimits.messageBytesMax)))
    #expect(Self.text(try await nodes.send(Self.request, to: "a")) == "502 b unrelayable 4f1c20aa-1f")
    nodes.setResponse(HTTPResponse(.imATeapot))
    #expect(Self.text(try await nodes.send(Self.request, to: "a")) == "500 b internalError 4f1c20aa-1f")
  }

  private final class Count: Sendable {
    private let count = Mutex(0)
    func add() { count.withLock { $0 += 1 } }
    var value: Int { count.withLock { $0 } }
  }

  @Test("a request of another version is answered as unsupported")
  func notUnderstood() async throws {
    let nodes = try RelayNodes()
    nodes.set("b", at: "b")
    #expect(try await nodes.relayServer("b").answer([2, 0]).get() == [1, 3])
    nodes.set("a", at: "b")
    let bytes = try #require(RelayedRequest(Self.request, client: "").encoded)
    #expect(try await nodes.relayServer("b").answer(bytes).get() == [1, 2])
    #expect(nodes.answered.isEmpty)
  }

  @Test("preflight requests are answered by every node")
  func preflight() async throws {
    let nodes = try RelayNodes()
    var request = Self.request
    request.method = .OPTIONS
    #expect(try await nodes.send(request, to: "a").status == .ok)
    #expect(nodes.answered.map(\.node) == ["a"])
  }

  @Test("the size and the caller of a body are checked by the client's own node")
  func bodies() throws {
    let nodes = try RelayNodes()
    let responder = nodes.responder("a")
    #expect(responder.bodyLimit(for: Self.request)?.bytesMax == Self.request.target.utf8.count)
    guard case .refused(let response) = responder.caller(of: Self.request, on: nodes.loop) else {
      Issue.record("another caller")
      return
    }
    #expect(response.status == .gone)
    #expect(Self.text(responder.response(to: .malformed, for: nil)) == "400 a malformed -")
  }
}
