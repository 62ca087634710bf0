import HearthOutbound
import NIOCore
import NIOHTTP1
import NIOPosix

/// A pool of connections to receivers on this machine. All of it belongs to one event loop.
final class LocalConnections {
  /// The idle connections, the most recently used one last.
  private var idle: [Key: [LocalConnection]] = [:]

  private struct Key: Hashable {
    var host: String
    var port: Int
  }

  func begin(_ exchange: LocalExchange) {
    let key = Key(host: exchange.url.host, port: exchange.url.port)
    if let connection = idle[key]?.popLast() {
      exchange.isOnUsedConnection = true
      return connection.start(exchange)
    }
    connect(exchange, key)
  }

  private func connect(_ exchange: LocalExchange, _ key: Key) {
    guard let loop = MultiThreadedEventLoopGroup.currentEventLoop else {
      return exchange.fail(.unreachable, "no event loop")
    }
    let connection = LocalConnection { [weak self] connection, isUsable in
      isUsable ? self?.idle[key, default: []].append(connection) : self?.remove(connection, key)
    } resend: { [weak self] exchange in
      self?.connect(exchange, key)
    }
    let bound = NIOLoopBound((exchange: exchange, connection: connection), eventLoop: loop)
    exchange.startTimer(on: loop)
    ClientBootstrap(group: loop)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .connectTimeout(exchange.request.connectTimeout)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          try channel.pipeline.syncOperations.addHandler(bound.value.connection)
        }
      }
      .connect(host: key.host, port: key.port)
      .whenComplete { result in
        let (exchange, connection) = bound.value
        switch result {
        case .success: connection.start(exchange)
        case .failure: exchange.fail(.unreachable, "\(key.host) cannot be reached")
        }
      }
  }

  private func remove(_ connection: LocalConnection, _ key: Key) { idle[key]?.removeAll { $0 === connection } }
}
