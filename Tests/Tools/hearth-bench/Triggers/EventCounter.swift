import HearthProgram
import NIOCore
import NIOHTTP1
import NIOPosix

/// A receiver of events on this machine, which accepts and counts all of them.
final class EventCounter: Sendable {
  private let group: MultiThreadedEventLoopGroup
  private let channel: any Channel
  private let counts: NIOLoopBound<Counts>
  let port: Int

  /// The number of events so far; belongs to the one event loop.
  final class Counts {
    var events = 0
    /// The time of the last event.
    var lastNanoseconds: Int64 = 0
  }

  private init(group: MultiThreadedEventLoopGroup, channel: any Channel, counts: NIOLoopBound<Counts>) {
    (self.group, self.channel, self.counts) = (group, channel, counts)
    port = channel.localAddress?.port ?? 0
  }

  static func start() async throws -> EventCounter {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    let counts = try await loop.submit { NIOLoopBound(Counts(), eventLoop: loop) }.get()
    let channel = try await ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 256)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(Handler(counts.value))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    return EventCounter(group: group, channel: channel, counts: counts)
  }

  /// Returns the number of events so far and the time of the last one.
  func read() async throws -> (events: Int, lastNanoseconds: Int64) {
    try await counts.eventLoop.submit { [counts] in (counts.value.events, counts.value.lastNanoseconds) }.get()
  }

  /// Waits for a number of events.
  func wait(for events: Int, seconds: Int) async throws -> Int64 {
    for _ in 0..<(seconds * 50) {
      let now = try await read()
      if now.events >= events { return now.lastNanoseconds }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw BenchServer.Failure(description: "\(try await read().events) of \(events) events came in \(seconds) s")
  }

  func stop() async throws {
    try await channel.close().get()
    try await group.shutdownGracefully()
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let counts: Counts

    init(_ counts: Counts) { self.counts = counts }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard case .end = unwrapInboundIn(data) else { return }
      counts.events += 1
      counts.lastNanoseconds = WallClock.monotonicNanoseconds
      let head = HTTPResponseHead(version: .http1_1, status: .noContent)
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
}
