import HearthCluster
import NIOCore
import NIOEmbedded
import Testing

@testable import HearthClusterNode

/// Tests of one connection at the level of its bytes, on a simulated clock.
@Suite struct LinkHandlerTests {
  private static func bytes(_ message: PeerMessage) -> [UInt8] {
    LinkMessage.database(DatabaseID(rawValue: 5), message).encoded(in: 2)
  }

  @Test("both peers greet first, then messages are delivered, however their bytes are divided")
  func greets() throws {
    let connection = try HandledConnection()
    #expect(
      try connection.sent() == [.hello(Hello(cluster: 7, incarnation: Incarnation(node: NodeID("a"), number: 1)))])
    try connection.greet()
    #expect(connection.links.map(\.peer) == [connection.peer])
    for byte in Self.bytes(.handoff(epoch: 3)) + Self.bytes(.handoff(epoch: 9)) { try connection.receive([byte]) }
    #expect(connection.received == [.handoff(epoch: 3), .handoff(epoch: 9)])
    connection.links[0].send(.database(DatabaseID(rawValue: 5), .handoff(epoch: 1)))
    #expect(try connection.sent() == [.database(DatabaseID(rawValue: 5), .handoff(epoch: 1))])
    #expect(connection.ended.isEmpty)
  }

  @Test("a peer of another cluster, of an unknown version or unwanted is disconnected")
  func strangers() throws {
    let other = try HandledConnection()
    try other.greet(cluster: 8)
    let newer = try HandledConnection()
    try newer.greet(versions: 3...9)
    let unwanted = try HandledConnection()
    unwanted.refusal = .otherName(unwanted.peer.node)
    try unwanted.greet()
    for (connection, problem) in [
      (other, LinkProblem.otherCluster), (newer, .noCommonVersion), (unwanted, .otherName(unwanted.peer.node)),
    ] {
      #expect(connection.ended == [problem] && connection.links.isEmpty && !connection.channel.isActive)
    }
  }

  @Test("an invalid message ends a connection: too large, before the greeting or after, a second greeting, unknown")
  func malformed() throws {
    let large: [UInt8] = [1, 0, 0, 1]  // The length of the message: 16 MiB and one byte.
    for (hasGreeted, bytes) in [
      (false, [1, 1, 0, 0]), (true, large), (false, Self.bytes(.handoff(epoch: 1))), (true, [1, 0, 0, 0, 99]),
      (
        true,
        LinkMessage.hello(Hello(cluster: 7, incarnation: Incarnation(node: NodeID("b"), number: 3))).encoded(in: 2)
      ),
    ] as [(Bool, [UInt8])] {
      let connection = try HandledConnection()
      if hasGreeted { try connection.greet() }
      try connection.receive(bytes)
      guard case .malformed? = connection.ended.first else {
        Issue.record("\(connection.ended) for \(bytes)")
        continue
      }
      #expect(connection.received.isEmpty && !connection.channel.isActive && connection.ended.count == 1)
      // Later bytes are ignored.
      #expect(throws: Never.self) { try connection.receive(Self.bytes(.handoff(epoch: 1))) }
      #expect(connection.received.isEmpty)
    }
  }

  @Test("a peer that does not greet in time is disconnected")
  func noHello() throws {
    let connection = try HandledConnection()
    try connection.receive([20])
    connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(4_999))
    #expect(connection.ended.isEmpty)
    connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
    #expect(connection.ended == [.noHello] && !connection.channel.isActive)
  }

  @Test("an idle peer sends heartbeats; without them the connection ends, also in the middle of a message")
  func silence() throws {
    let connection = try HandledConnection()
    try connection.greet()
    _ = try connection.sent()
    connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1_000))
    #expect(try connection.sent().contains(.heartbeat))
    try connection.receive(LinkMessage.heartbeat.encoded(in: 2))
    for _ in 0..<6 {
      connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(2_000))
      try connection.receive(LinkMessage.heartbeat.encoded(in: 2))
    }
    #expect(connection.ended.isEmpty && connection.received.isEmpty)
    try connection.receive(Array(Self.bytes(.handoff(epoch: 1)).dropLast()))
    connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(2_900))
    #expect(connection.ended.isEmpty)
    connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(600))
    #expect(connection.ended == [.silent] && connection.received.isEmpty)
  }

  @Test("a connection that is lost in the middle of a message delivers the messages before it, and ends once")
  func cut() throws {
    let connection = try HandledConnection()
    try connection.greet()
    try connection.receive(Self.bytes(.handoff(epoch: 1)) + Self.bytes(.handoff(epoch: 2)).dropLast(3))
    connection.channel.pipeline.fireErrorCaught(LinkProblem.failed("reset"))
    connection.channel.pipeline.fireChannelInactive()
    try connection.receive(Array(Self.bytes(.handoff(epoch: 2)).suffix(3)))
    #expect(connection.received == [.handoff(epoch: 1)] && connection.ended == [.failed("reset")])
  }

  @Test("too much unsent data ends the connection, with a reason")
  func overflow() throws {
    var limits = LinkLimits()
    limits.unsentBytesMax = 100
    let connection = try HandledConnection(limits: limits)
    try connection.greet()
    connection.links[0].send(.database(DatabaseID(rawValue: 5), .announce(epoch: 1, [])))
    connection.channel.embeddedEventLoop.run()
    #expect(connection.ended.isEmpty)
    let sessions = (0..<20).map { SessionID(rawValue: $0) }
    connection.links[0].send(.database(DatabaseID(rawValue: 5), .announce(epoch: 1, sessions)))
    #expect(connection.ended == [.overflow(bytes: 181)] && !connection.channel.isActive)
    #expect(connection.ended[0].description.contains("181 bytes wait to be sent"))
  }

  @Test("reading stops while too many messages are unhandled")
  func backPressure() throws {
    var limits = LinkLimits()
    limits.unhandledBytesMax = 300
    let connection = try HandledConnection(limits: limits)
    try connection.greet()
    for epoch: Int64 in 1...3 { try connection.receive(Self.bytes(.handoff(epoch: epoch))) }
    let before = connection.readCount
    connection.channel.read()
    #expect(connection.readCount == before)
    connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(10_000))
    #expect(connection.ended.isEmpty, "silence that was asked for")
    for done in connection.undone { done() }
    connection.channel.embeddedEventLoop.run()
    #expect(connection.readCount == before + 1)
    connection.channel.read()
    #expect(connection.readCount == before + 2 && connection.received.count == 3)
  }
}
