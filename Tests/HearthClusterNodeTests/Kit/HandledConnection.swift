import HearthCluster
import NIOCore
import NIOEmbedded

@testable import HearthClusterNode

/// A connection with a record of its events.
final class HandledConnection {
  let channel = EmbeddedChannel()
  let peer = Incarnation(node: NodeID("b"), number: 3)
  var links: [NodeLink] = []
  var received: [PeerMessage] = []
  var undone: [@Sendable () -> Void] = []
  var ended: [LinkProblem] = []
  var refusal: LinkProblem?
  /// The received requests, with the promises of their answers.
  var asked: [(question: [UInt8], answer: EventLoopPromise<[UInt8]>)] = []
  /// The outcomes of requests to the other side.
  var outcomes: [Outcome] = []

  private(set) var readCount = 0

  enum Outcome: Equatable {
    case answer([UInt8])
    /// The problem; nil for an error of another type.
    case problem(QuestionProblem?)
  }

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
      asked: { [unowned self] question, _ in
        let answer = channel.eventLoop.makePromise(of: [UInt8].self)
        asked.append((question, answer))
        return answer.futureResult
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
    try receive(LinkMessage.hello(Hello(versions: versions, cluster: cluster, incarnation: peer)).encoded(in: 2))
  }

  /// Sends a request to the other side, over the accepted connection.
  func ask(_ question: [UInt8], timeoutSeconds: Int = 10) {
    links[0].ask(question, timeoutSeconds: timeoutSeconds).assumeIsolated().whenComplete { [self] result in
      switch result {
      case .success(let content): outcomes.append(.answer(content))
      case .failure(let error): outcomes.append(.problem(error as? QuestionProblem))
      }
    }
  }

  /// Ends all waiting requests.
  func end() {
    channel.pipeline.fireErrorCaught(LinkProblem.ended)
    for question in asked { question.answer.fail(LinkProblem.ended) }
  }

  /// Returns the messages sent since the last call.
  func sent() throws -> [LinkMessage] {
    var decoder = LinkDecoder()
    // The decoder requires a hello first.
    let isFirst = sentCount == 0
    if !isFirst { decoder.append(LinkMessage.hello(Hello(cluster: 0, incarnation: peer)).encoded(in: 2)) }
    channel.embeddedEventLoop.run()
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
