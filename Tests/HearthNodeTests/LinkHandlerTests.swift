import HearthCluster
import NIOCore
import NIOEmbedded
import Testing

@testable import HearthNode

/// One connection at the level of its bytes, on a clock of the test's.
@Suite struct LinkHandlerTests {
  /// A connection, and what was said of it.
  private final class Connection {
    let channel = EmbeddedChannel()
    let peer = Incarnation(node: NodeID("b"), number: 3)
    var links: [Link] = []
    var received: [PeerMessage] = []
    var undone: [@Sendable () -> Void] = []
    var ended: [LinkProblem] = []
    var refusal: LinkProblem?
    private(set) var readCount = 0

    init(limits: LinkLimits = LinkLimits()) throws {
      let delegate = LinkHandler.Delegate(
        greeted: { [unowned self] _, _, link in
          if refusal == nil { links.append(link) }
          return refusal
        },
        received: { [unowned self] _, message, _, done in
          received.append(message)
          undone.append(done)
        },
        ended: { [unowned self] _, problem in ended.append(problem) })
      let counter = ReadCounter { [unowned self] in readCount += 1 }
      try channel.pipeline.syncOperations.addHandler(counter)
      try channel.pipeline.syncOperations.addHandler(
        LinkHandler(
          Hello(cluster: 7, incarnation: Incarnation(node: NodeID("a"), number: 1)), limits: limits, delegate,
          names: { _ in ["b"] }))
      channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    }

    func receive(_ bytes: [UInt8]) throws { try channel.writeInbound(ByteBuffer(bytes: bytes)) }

    func greet(cluster: UInt64 = 7, versions: ClosedRange<UInt16> = 1...1) throws {
      try receive(LinkMessage.hello(Hello(versions: versions, cluster: cluster, incarnation: peer)).encoded)
    }

    /// What was sent since the last look.
    func sent() throws -> [LinkMessage] {
      var decoder = LinkDecoder()
      // The decoder wants a greeting first.
      let isFirst = sentCount == 0
      if !isFirst { decoder.append(LinkMessage.hello(Hello(cluster: 0, incarnation: peer)).encoded) }
      while let buffer = try channel.readOutbound(as: ByteBuffer.self) { decoder.append(buffer.readableBytesView) }
      var found: [LinkMessage] = []
      while let message = try decoder.next() { found.append(message) }
      sentCount += 1
      return isFirst ? found : Array(found.dropFirst())
    }
    private var sentCount = 0
  }

  private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    private let count: () -> Void
    init(_ count: @escaping () -> Void) { self.count = count }
    func read(context: ChannelHandlerContext) {
      count()
      context.read()
    }
  }

  private static func bytes(_ message: PeerMessage) -> [UInt8] {
    LinkMessage.database(DatabaseID(rawValue: 5), message).encoded
  }

  @Test("both greet first, then messages come, however they are cut")
  func greets() throws {
    let connection = try Connection()
    #expect(
      try connection.sent() == [.hello(Hello(cluster: 7, incarnation: Incarnation(node: NodeID("a"), number: 1)))])
    try connection.greet()
    #expect(connection.links.map(\.peer) == [connection.peer])
    for byte in Self.bytes(.handoff(epoch: 3)) + Self.bytes(.receipt(position: 9)) { try connection.receive([byte]) }
    #expect(connection.received == [.handoff(epoch: 3), .receipt(position: 9)])
    connection.links[0].send(.database(DatabaseID(rawValue: 5), .receipt(position: 1)))
    #expect(try connection.sent() == [.database(DatabaseID(rawValue: 5), .receipt(position: 1))])
    #expect(connection.ended.isEmpty)
  }

  @Test("who is of another cluster, speaks no version that is known, or is not wanted is let go")
  func strangers() throws {
    let other = try Connection()
    try other.greet(cluster: 8)
    let newer = try Connection()
    try newer.greet(versions: 2...9)
    let unwanted = try Connection()
    unwanted.refusal = .otherName(unwanted.peer.node)
    try unwanted.greet()
    for (connection, problem) in [
      (other, LinkProblem.otherCluster), (newer, .noCommonVersion), (unwanted, .otherName(unwanted.peer.node)),
    ] {
      #expect(connection.ended == [problem] && connection.links.isEmpty && !connection.channel.isActive)
    }
  }

  @Test("what is no message ends a connection: too large, before the greeting or after, twice greeted, unknown")
  func malformed() throws {
    let large: [UInt8] = [1, 0, 0, 1]  // 16 MiB and 1
    for (hasGreeted, bytes) in [
      (false, [1, 1, 0, 0]), (true, large), (false, Self.bytes(.handoff(epoch: 1))), (true, [1, 0, 0, 0, 99]),
      (true, LinkMessage.hello(Hello(cluster: 7, incarnation: Incarnation(node: NodeID("b"), number: 3))).encoded),
    ] as [(Bool, [UInt8])] {
      let connection = try Connection()
      if hasGreeted { try connection.greet() }
      try connection.receive(bytes)
      guard case .malformed? = connection.ended.first else {
        Issue.record("\(connection.ended) for \(bytes)")
        continue
      }
      #expect(connection.received.isEmpty && !connection.channel.isActive && connection.ended.count == 1)
      // What comes after it is of no interest.
      #expect(throws: Never.self) { try connection.receive(Self.bytes(.handoff(epoch: 1))) }
      #expect(connection.received.isEmpty)
    }
  }

  @Test("who does not greet in time is let go")
  func noHello() throws {
    let connection = try Connection()
    try connection.receive([20])
    connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(4_999))
    #expect(connection.ended.isEmpty)
    connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
    #expect(connection.ended == [.noHello] && !connection.channel.isActive)
  }

  @Test("who says nothing sends heartbeats; who hears none lets go, also in the middle of a message")
  func silence() throws {
    let connection = try Connection()
    try connection.greet()
    _ = try connection.sent()
    connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1_000))
    #expect(try connection.sent().contains(.heartbeat))
    try connection.receive(LinkMessage.heartbeat.encoded)
    for _ in 0..<6 {
      connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(2_000))
      try connection.receive(LinkMessage.heartbeat.encoded)
    }
    #expect(connection.ended.isEmpty && connection.received.isEmpty)
    try connection.receive(Array(Self.bytes(.handoff(epoch: 1)).dropLast()))
    connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(2_900))
    #expect(connection.ended.isEmpty)
    connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(600))
    #expect(connection.ended == [.silent] && connection.received.isEmpty)
  }

  @Test("a connection that is lost in the middle of a message delivers those before it, and ends once")
  func cut() throws {
    let connection = try Connection()
    try connection.greet()
    try connection.receive(Self.bytes(.handoff(epoch: 1)) + Self.bytes(.handoff(epoch: 2)).dropLast(3))
    connection.channel.pipeline.fireErrorCaught(LinkProblem.failed("reset"))
    connection.channel.pipeline.fireChannelInactive()
    try connection.receive(Array(Self.bytes(.handoff(epoch: 2)).suffix(3)))
    #expect(connection.received == [.handoff(epoch: 1)] && connection.ended == [.failed("reset")])
  }

  @Test("more than a limit that waits to be sent ends the connection, and says so")
  func overflow() throws {
    var limits = LinkLimits()
    limits.unsentBytesMax = 100
    let connection = try Connection(limits: limits)
    try connection.greet()
    connection.links[0].send(.database(DatabaseID(rawValue: 5), .announce(epoch: 1, [])))
    #expect(connection.ended.isEmpty)
    let sessions = (0..<20).map { SessionID(rawValue: $0) }
    connection.links[0].send(.database(DatabaseID(rawValue: 5), .announce(epoch: 1, sessions)))
    #expect(connection.ended == [.overflow(bytes: 181)] && !connection.channel.isActive)
    #expect(connection.ended[0].description.contains("181 bytes wait to be sent"))
  }

  @Test("nothing more is read while too much was not taken in yet")
  func backPressure() throws {
    var limits = LinkLimits()
    limits.unhandledBytesMax = 300
    let connection = try Connection(limits: limits)
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
