import NIOCore
import NIOPosix

/// The port, and the Unix socket beside it: accepts connections, distributes them over event loops, and closes them
/// gracefully.
package final class Transport: Sendable {
  /// The options for opening the port.
  package struct Options: Sendable {
    /// The address to listen on, or a name that resolves to one.
    package var host = "127.0.0.1"
    /// The port's number; 0 lets the system choose.
    package var port = 9000
    /// The additional ports with the same responses as ``port``.
    package var furtherPorts: [Int] = []
    /// The TLS settings; nil for plain text alone. TLS and plain text share the port.
    package var tls: CurrentTLSContext?
    /// True when plain text is answered although there is a ``tls``.
    package var allowsPlaintext = true
    /// The Unix socket for commands of this machine. The transport takes it over, also when it cannot start.
    package var local: LocalSocket.Listener?
    /// An additional address with another responder; nil for none.
    package var additionalListener: AdditionalListener?
    /// The proxies whose connections belong to many clients.
    package var proxies = TrustedProxies.none
    /// The maximum number of concurrent connections; nil derives it from the files that the process may open.
    package var connectionsMax: Int?
    /// The limits of every connection.
    package var limits = TransportLimits.standard

    /// Plain text on port 9000 of the loopback address.
    package init() {}
  }

  /// An additional address with a responder of its own.
  package struct AdditionalListener: Sendable {
    var host: String
    var port: Int
    var setup: ConnectionSetup

    /// Creates an address that speaks TLS alone, or plain text when `tls` is nil.
    package init(
      host: String, port: Int, tls: CurrentTLSContext?, responder: any HTTPResponder, acceptor: any SocketAcceptor
    ) {
      (self.host, self.port) = (host, port)
      setup = ConnectionSetup(responder: responder, acceptor: acceptor, tls: tls, allowsPlaintext: tls == nil)
    }
  }

  /// An additional address that cannot be listened on.
  package struct AdditionalListenerError: Error {
    /// The address and the port.
    package let place: String
    /// The error of the event loop.
    package let cause: any Error
  }

  /// The loops, one for each event loop of the group, in the group's order.
  package let loops: [TransportLoop]
  /// The listeners of ``Options/port``, then of the additional ports.
  private let listeners: [any Channel]
  /// The listener of ``Options/additionalListener``; nil when there is none.
  private let additionalListener: (any Channel)?
  private let local: (socket: LocalSocket, listener: any Channel)?

  private init(
    loops: [TransportLoop], listeners: [any Channel], additionalListener: (any Channel)?,
    local: (socket: LocalSocket, listener: any Channel)?
  ) {
    self.additionalListener = additionalListener
    self.loops = loops
    self.listeners = listeners
    self.local = local
  }

  /// The address of the port, with the number that the system chose.
  package var address: SocketAddress? { listeners.first?.localAddress }
  /// The port's number; nil when the address has none.
  package var port: Int? { address?.port }
  /// The port number of the additional address.
  package var additionalPort: Int? { additionalListener?.localAddress?.port }

  /// Returns the loops for a group, to make per-loop state before the port is open.
  package static func loops(
    of group: any EventLoopGroup, limits: TransportLimits = .standard, memory: ClientMemory,
    requestIDs: RequestIDs = RequestIDs(), meters: TransportMeters = .none
  ) -> [TransportLoop] {
    group.makeIterator().enumerated().map {
      TransportLoop(
        eventLoop: $1, index: $0, limits: limits, memory: memory, requestIDs: requestIDs, meters: meters)
    }
  }

  /// Opens the port.
  ///
  /// - Parameter localResponder: responds to requests of ``Options/local``; nil uses ``responder``.
  package static func start(
    _ options: Options, group: any EventLoopGroup, loops: [TransportLoop], responder: any HTTPResponder,
    localResponder: (any HTTPResponder)? = nil, acceptor: any SocketAcceptor
  ) async throws -> Transport {
    OpenFiles.raiseLimit()
    let byEventLoop = Dictionary(uniqueKeysWithValues: loops.map { (ObjectIdentifier($0.eventLoop), $0) })
    let setup = ConnectionSetup(
      responder: responder, acceptor: acceptor, tls: options.tls, allowsPlaintext: options.allowsPlaintext)
    let slots = ConnectionSlots(
      max: options.connectionsMax ?? ConnectionSlots.max(files: OpenFiles.max ?? .max), proxies: options.proxies)
    for loop in loops { try await loop.eventLoop.submit { loop.start() }.get() }
    var (listeners, additionalListener): ([any Channel], (any Channel)?) = ([], nil)
    do {
      for port in [options.port] + options.furtherPorts {
        let bootstrap = bootstrap(options.limits, group: group, setup: setup, slots, byEventLoop)
        listeners.append(try await bootstrap.bind(host: options.host, port: port).get())
      }
      if let place = options.additionalListener {
        let bootstrap = bootstrap(options.limits, group: group, setup: place.setup, nil, byEventLoop)
        do { additionalListener = try await bootstrap.bind(host: place.host, port: place.port).get() } catch {
          throw AdditionalListenerError(place: "\(place.host):\(place.port)", cause: error)
        }
      }
      guard let local = options.local else {
        return Transport(loops: loops, listeners: listeners, additionalListener: additionalListener, local: nil)
      }
      let plain = ConnectionSetup(responder: localResponder ?? responder, acceptor: acceptor)
      return Transport(
        loops: loops, listeners: listeners, additionalListener: additionalListener,
        local: (local.socket, try await accept(local, group: group, setup: plain, byEventLoop)))
    } catch {
      for listener in listeners { try? await listener.close().get() }
      try? await additionalListener?.close().get()
      options.local?.cancel()
      throw error
    }
  }

  /// Accepts connections of the folder's socket. The kernel reports the user of each.
  private static func accept(
    _ local: LocalSocket.Listener, group: any EventLoopGroup, setup: ConnectionSetup,
    _ loops: [ObjectIdentifier: TransportLoop]
  ) async throws -> any Channel {
    try await listening(ServerBootstrap(group: group)).childChannelInitializer { channel in
      guard let options = channel as? any SocketOptionProvider, let loop = loops[ObjectIdentifier(channel.eventLoop)]
      else { return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported) }
      let peer: EventLoopFuture<LocalSocket.PeerCredentials> = options.unsafeGetSocketOption(
        level: .socket, name: .init(rawValue: LocalSocket.PeerCredentials.option))
      return peer.flatMapThrowing { peer in
        guard LocalSocket.admits(peer.userID) else { throw ChannelError.operationUnsupported }
        try setup.start(channel, on: loop)
      }
    }.withBoundSocket(local.descriptor).get()
  }

  private static func listening(_ bootstrap: ServerBootstrap) -> ServerBootstrap {
    bootstrap
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler())
        }
      }
      .childChannelOption(.writeBufferWaterMark, value: .init(low: 256 << 10, high: 1 << 20))
      // One read of 64 KiB at most, SwiftNIO's limit: then the loop's other connections have their turn.
      .childChannelOption(.maxMessagesPerRead, value: 1)
  }

  private static func bootstrap(
    _ limits: TransportLimits, group: any EventLoopGroup, setup: ConnectionSetup, _ slots: ConnectionSlots?,
    _ loops: [ObjectIdentifier: TransportLoop]
  ) -> ServerBootstrap {
    listening(ServerBootstrap(group: group))
      .serverChannelOption(.backlog, value: 4096)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      // The kernel notices a peer that vanished, also one that must not be pinged.
      .childChannelOption(.socketOption(.so_keepalive), value: 1)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPIDLE)), value: .init(limits.silenceSeconds))
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPINTVL)), value: 10)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPCNT)), value: 3)
      .childChannelOption(
        .tcpOption(.init(rawValue: TCP_USER_TIMEOUT)), value: .init(limits.stallTimeoutSeconds * 1000)
      )
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          guard let loop = loops[ObjectIdentifier(channel.eventLoop)] else {
            throw ChannelError.operationUnsupported
          }
          try slots?.admit(channel)
          try setup.start(channel, on: loop)
        }
      }
  }

  /// Stops accepting, asks the connections to close, and aborts the remaining ones after the grace time.
  package func shutDown(graceSeconds: Int = 5) async {
    local?.socket.remove()
    try? await local?.listener.close().get()
    for listener in listeners { try? await listener.close().get() }
    try? await additionalListener?.close().get()
    for loop in loops { try? await loop.eventLoop.submit { loop.shutDown() }.get() }
    let step = TimeAmount.milliseconds(50)
    for _ in 0..<(graceSeconds * 20) {
      var open = 0
      for loop in loops { open += (try? await loop.eventLoop.submit { loop.connectionCount }.get()) ?? 0 }
      if open == 0 { break }
      try? await Task.sleep(nanoseconds: UInt64(step.nanoseconds))
    }
    for loop in loops { try? await loop.eventLoop.submit { loop.stop() }.get() }
  }
}
