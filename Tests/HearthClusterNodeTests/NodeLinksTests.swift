import Foundation
import HearthCluster
import HearthTestKit
import LinkTestKit
import NIOCore
import NIOPosix
import Testing

@testable import HearthClusterNode

/// Tests of nodes on loopback, with real certificates.
@Suite struct NodeLinksTests {
  private static let certificates = Result { try LinkCertificates(["a", "b", "c"]) }
  private static let database = DatabaseID(rawValue: 5)

  private static func handoffs(_ node: LinkedNode, from peer: LinkedNode) -> [Int64] {
    node.seen.compactMap {
      if case .received(database, .handoff(let epoch), peer.run) = $0 { epoch } else { nil }
    }
  }

  @Test("each node has one connection to each other node, and messages arrive in their order")
  func connects() async throws {
    let certificates = try Self.certificates.get()
    var nodes: [LinkedNode] = []
    for name in ["a", "b", "c"] { nodes.append(try await LinkedNode(name, try certificates.identity(name))) }
    defer { for node in nodes { node.links.close() } }
    for node in nodes { node.begin(knowing: nodes) }
    #expect(try await Polling.until { nodes.allSatisfy { $0.links.connected.count == 2 } })
    for count in 1...200 {
      nodes[0].links.send(.handoff(epoch: Int64(count)), of: Self.database, to: NodeID("c"))
      nodes[2].links.send(.handoff(epoch: Int64(count)), of: Self.database, to: NodeID("a"))
    }
    let write = ForwardedBody.encoded(Array(repeating: 7, count: 15 << 20))
    let origin = Origin(session: SessionID(rawValue: 1), request: 1, answered: 0)
    let large = PeerMessage.request(epoch: 1, ForwardedRequest(origin, .write(write)))
    nodes[1].links.send(large, of: Self.database, to: NodeID("a"))
    #expect(
      try await Polling.until {
        nodes[0].seen.contains(.received(Self.database, large, nodes[1].run))
          && Self.handoffs(nodes[0], from: nodes[2]).count == 200
          && Self.handoffs(nodes[2], from: nodes[0]).count == 200
      })
    #expect(Self.handoffs(nodes[0], from: nodes[2]) == Array(1...200))
    #expect(Self.handoffs(nodes[2], from: nodes[0]) == Array(1...200))
    #expect(nodes.allSatisfy { node in node.seen.count { if case .up = $0 { true } else { false } } == 2 })
    nodes[0].links.send(large, of: Self.database, to: NodeID("nobody"))
  }

  @Test("a node answers requests of others; unsupported requests are refused, and an ended connection fails them")
  func questions() async throws {
    let certificates = try Self.certificates.get()
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let waiting = loop.makePromise(of: [UInt8].self)
    let a = try await LinkedNode("a", try certificates.identity("a"))
    let b = try await LinkedNode("b", try certificates.identity("b")) { question, peer in
      guard question != [9] else { return waiting.futureResult }
      return loop.makeSucceededFuture(question.reversed() + Array(peer.node.name.utf8))
    }
    defer { a.links.close() }
    for node in [a, b] { node.begin(knowing: [a, b]) }
    #expect(try await Polling.until { a.links.connected == [b.run] && b.links.connected == [a.run] })
    #expect(try await a.links.ask(NodeID("b"), [1, 2], timeoutSeconds: 60).get() == [2, 1, 97])
    let large = [UInt8](repeating: 7, count: ClusterLimits.questionBytesMax - 1)
    #expect(try await a.links.ask(NodeID("b"), large, timeoutSeconds: 60).get() == large + [97])
    await #expect(throws: QuestionProblem.refused(.noRoom)) {
      try await a.links.ask(NodeID("b"), large + [7], timeoutSeconds: 60).get()
    }
    await #expect(throws: QuestionProblem.refused(.noHandler)) {
      try await b.links.ask(NodeID("a"), [1], timeoutSeconds: 60).get()
    }
    await #expect(throws: QuestionProblem.notConnected) {
      try await a.links.ask(NodeID("c"), [1], timeoutSeconds: 60).get()
    }
    let unanswered = a.links.ask(NodeID("b"), [9], timeoutSeconds: 60)
    // The request has arrived: the next one is answered.
    #expect(try await a.links.ask(NodeID("b"), [], timeoutSeconds: 60).get() == [97])
    b.links.close()
    let error = await #expect(throws: QuestionProblem.self) { try await unanswered.get() }
    #expect(error?.mayHaveBeenDone == true)
    await #expect(throws: QuestionProblem.notConnected) {
      try await a.links.ask(NodeID("b"), [1], timeoutSeconds: 60).get()
    }
    waiting.succeed([])
  }

  @Test("idle connections without a certificate, however many and for however long, do not keep a node out")
  func strangers() async throws {
    let certificates = try Self.certificates.get()
    let a = try await LinkedNode("a", try certificates.identity("a"))
    let b = try await LinkedNode("b", try certificates.identity("b"))
    defer { for node in [a, b] { node.links.close() } }
    b.begin(knowing: [])
    let group = MultiThreadedEventLoopGroup.singleton
    let port = b.port
    let connect = { try await ClientBootstrap(group: group).connect(host: "127.0.0.1", port: port).get() }
    var first: [any Channel] = []
    for _ in 0..<70 { first.append(try await connect()) }
    // Connections that are replaced by others are closed, and reconnect at once.
    let attacker = Task { [first] in
      var idle = first
      while !Task.isCancelled {
        for channel in [try await connect(), try await connect()] { idle.append(channel) }
        try await Task.sleep(for: .milliseconds(20))
      }
      return idle
    }
    for node in [a, b] { node.begin(knowing: [a, b]) }
    let isConnected = try await Polling.until { a.links.connected == [b.run] && b.links.connected == [a.run] }
    attacker.cancel()
    _ = try? await attacker.value
    #expect(isConnected)
  }

  @Test("a restarted node replaces its former connection; ended connections are retried")
  func reconnects() async throws {
    let certificates = try Self.certificates.get()
    let a = try await LinkedNode("a", try certificates.identity("a"))
    let b = try await LinkedNode("b", try certificates.identity("b"))
    defer { a.links.close() }
    for node in [a, b] { node.begin(knowing: [a, b]) }
    #expect(try await Polling.until { a.links.connected == [b.run] && b.links.connected == [a.run] })
    // The run whose lease was declared expired has ended.
    b.links.end()
    #expect(try await Polling.until { a.seen == [.up(b.run), .down(b.run)] && b.links.connected.isEmpty })
    b.links.begin(b.run)
    #expect(try await Polling.until { a.links.connected == [b.run] })
    // The node's process ended, and another process uses its port.
    b.links.close()
    #expect(try await Polling.until { a.links.connected.isEmpty })
    let next = try await LinkedNode("b", number: 2, try certificates.identity("b"), port: b.port)
    defer { next.links.close() }
    next.begin(knowing: [a, b])
    // The event follows the change of the connection list.
    #expect(
      try await Polling.until {
        a.seen == [.up(b.run), .down(b.run), .up(b.run), .down(b.run), .up(next.run)] && a.links.connected == [next.run]
      })
  }

  @Test("a restarted node that connects beside its former run replaces it, and the former is refused")
  func laterRun() async throws {
    let certificates = try Self.certificates.get()
    let c = try await LinkedNode("c", try certificates.identity("c"))
    let earlier = try await LinkedNode("b", number: 1, try certificates.identity("b"))
    let later = try await LinkedNode("b", number: 2, try certificates.identity("b"))
    let nodes = [c, earlier, later]
    defer { for node in nodes { node.links.close() } }
    for node in [c, earlier] { node.begin(knowing: [c, earlier]) }
    #expect(try await Polling.until { c.links.connected == [earlier.run] })
    later.begin(knowing: [c])
    #expect(try await Polling.until { c.links.connected == [later.run] && later.links.connected == [c.run] })
    #expect(try await Polling.until { c.said.contains { $0.contains("a later run of the node is connected") } })
    #expect(try await Polling.until { c.seen == [.up(earlier.run), .down(earlier.run), .up(later.run)] })
  }

  @Test(
    "certificates of another authority or another node, and another cluster, are refused, and each reason is logged once"
  )
  func refused() async throws {
    let (certificates, others) = (try Self.certificates.get(), try LinkCertificates(["b"]))
    func expectRefusal(_ reason: String, _ b: LinkedNode) async throws {
      let a = try await LinkedNode("a", try certificates.identity("a"))
      defer {
        a.links.close()
        b.links.close()
      }
      for node in [a, b] { node.begin(knowing: [a, b]) }
      #expect(try await Polling.until { (a.said + b.said).contains { $0.contains(reason) } }, "\(reason)")
      #expect(a.seen.isEmpty)
      #expect(!b.seen.contains { if case .received = $0 { true } else { false } })
      #expect(a.said.count { $0.contains("is unreachable") } <= 2, "\(a.said)")
      #expect(!(a.said + b.said).joined().contains("PRIVATE"))
    }
    // Neither trusts the other; then only one of them does.
    try await expectRefusal("the TLS handshake failed", LinkedNode("b", try others.identity("b")))
    try await expectRefusal(
      "the TLS handshake failed", LinkedNode("b", try others.identity("b", trusting: certificates)))
    try await expectRefusal("certificate is not that of the node b", LinkedNode("b", try certificates.identity("c")))
    try await expectRefusal("belongs to another cluster", LinkedNode("b", cluster: 8, try certificates.identity("b")))
  }

  @Test("invalid or mismatched certificate and key files are named, without their content")
  func files() throws {
    let certificates = try Self.certificates.get()
    let (pem, key, authority) = (certificates.path("a.pem"), certificates.path("a.key"), certificates.path("ca.pem"))
    for (certificate, key, authority, named) in [
      (key, key, authority, "a.key"), (pem, pem, authority, "a.pem"), (pem, key, certificates.path("none"), "none"),
      (pem, certificates.path("b.key"), authority, "do not match"),
    ] {
      let error = #expect(throws: LinkIdentity.Failure.self) {
        try LinkIdentity(certificatePath: certificate, keyPath: key, authorityPath: authority)
      }
      #expect(error?.description.contains(named) == true && error?.description.contains("BEGIN") == false)
    }
  }
}
