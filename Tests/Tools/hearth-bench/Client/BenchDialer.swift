import NIOCore
import NIOPosix

/// Connections from the load generator to a server, made on one event loop.
enum BenchDialer {
  /// Connects, with this handler after those that `prepare` adds.
  ///
  /// - Parameter source: The source address; nil leaves the choice to the system.
  static func connect(
    _ handler: some ChannelHandler, on loop: any EventLoop, host: String, port: Int, from source: String? = nil,
    prepare: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Void = { _ in }
  ) -> EventLoopFuture<Void> {
    // Safe to transfer, because handler and bootstrap use the event loop on which this function is called.
    let handler = NIOLoopBound(handler, eventLoop: loop)
    let bootstrap = ClientBootstrap(group: loop)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .connectTimeout(.seconds(20))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try prepare(channel.pipeline.syncOperations)
          try channel.pipeline.syncOperations.addHandler(handler.value)
        }
      }
    let address = source.flatMap { try? SocketAddress(ipAddress: $0, port: 0) }
    return (address.map(bootstrap.bind(to:)) ?? bootstrap).connect(host: host, port: port).map { _ in }
  }
}
