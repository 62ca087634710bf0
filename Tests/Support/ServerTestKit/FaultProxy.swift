import NIOCore
import NIOPosix
import RandomTestKit
import Synchronization

/// A proxy on its own port between a client and a server. A seed decides which connections it refuses, cuts off midway,
/// delays, splits or lets go silent. It does not parse the bytes, so TLS passes through it as well.
///
/// After a number of disturbed connections it leaves all others alone, so that tests come to an end.
package final class FaultProxy: Sendable {
  /// The fault of one connection.
  private enum ConnectionFault: Sendable {
    case clean
    case refused
    /// The connection ends after this many bytes in both directions.
    case cut(after: Int)
    /// The connection stays open without traffic after this many bytes in both directions.
    case silent(after: Int)
  }

  /// The seed, to be printed when a test fails.
  package let seed: UInt64
  private let listener: any Channel
  private let target: Int
  private let state: Mutex<State>

  private struct State {
    var random: SeededRandom
    var faultsLeft: Int
    var bytesMax: Int
    var hasSilence: Bool
    var onlyDelays: Bool
    var faultedCount = 0
    var channels: [ObjectIdentifier: any Channel] = [:]
  }

  /// Starts a proxy on a port of 127.0.0.1.
  ///
  /// - Parameters:
  ///   - target: The destination port on 127.0.0.1.
  ///   - faults: The number of disturbed connections, from the first on.
  ///   - bytesMax: The most bytes that pass through a connection before its fault.
  ///   - hasSilence: True when some connections go silent; a client needs a timeout to notice.
  ///   - onlyDelays: True when connections are only delayed and split, never ended.
  package static func start(
    to target: Int, seed: UInt64, faults: Int, bytesMax: Int = 20_000, hasSilence: Bool = true,
    onlyDelays: Bool = false
  ) async throws -> FaultProxy {
    let holder = Holder()
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { channel in holder.accept(channel) }
      .bind(host: "127.0.0.1", port: 0).get()
    let proxy = FaultProxy(
      listener, target,
      State(
        random: SeededRandom(seed: seed), faultsLeft: faults, bytesMax: bytesMax, hasSilence: hasSilence,
        onlyDelays: onlyDelays), seed)
    holder.set(proxy)
    return proxy
  }

  private init(_ listener: any Channel, _ target: Int, _ state: sending State, _ seed: UInt64) {
    (self.listener, self.target, self.seed) = (listener, target, seed)
    self.state = Mutex(state)
  }

  /// The proxy's port.
  package var port: Int { listener.localAddress?.port ?? 0 }

  /// The number of disturbed connections so far.
  package var faultedCount: Int { state.withLock { $0.faultedCount } }

  /// Ends every open connection.
  package func cutAll() {
    for channel in state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
  }

  /// Stops the proxy and ends all connections.
  package func stop() async {
    try? await listener.close()
    cutAll()
  }

  /// A reference to the proxy, set once its port is open and before the first client knows the port.
  private final class Holder: Sendable {
    private let proxy = Mutex<FaultProxy?>(nil)

    func set(_ proxy: FaultProxy) { self.proxy.withLock { $0 = proxy } }

    func accept(_ channel: any Channel) -> EventLoopFuture<Void> {
      guard let proxy = proxy.withLock({ $0 }) else { return channel.close() }
      return proxy.accept(channel)
    }
  }

  private func accept(_ channel: any Channel) -> EventLoopFuture<Void> {
    let (fault, seed) = state.withLock { state -> (ConnectionFault, UInt64) in
      let seed = state.random.next()
      guard state.faultsLeft > 0 else { return (.clean, seed) }
      state.faultsLeft -= 1
      state.faultedCount += 1
      if state.onlyDelays { return (.cut(after: .max), seed) }
      let bytes = Int.random(in: 0...state.bytesMax, using: &state.random)
      switch Int.random(in: 0..<6, using: &state.random) {
      case 0: return (.refused, seed)
      case 1 where state.hasSilence: return (.silent(after: bytes), seed)
      default: return (.cut(after: bytes), seed)
      }
    }
    if case .refused = fault { return channel.close() }
    let pair = ConnectionPair(fault, seed)
    state.withLock { $0.channels[ObjectIdentifier(channel)] = channel }
    channel.closeFuture.whenComplete { [weak self] _ in
      self?.state.withLock { $0.channels[ObjectIdentifier(channel)] = nil }
    }
    return ClientBootstrap(group: channel.eventLoop)
      .channelOption(.autoRead, value: false)
      .connect(host: "127.0.0.1", port: target)
      .flatMap { server in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(RelayHandler(of: pair, towards: server))
          try server.pipeline.syncOperations.addHandler(RelayHandler(of: pair, towards: channel))
          channel.setOption(.autoRead, value: true).whenComplete { _ in }
          server.setOption(.autoRead, value: true).whenComplete { _ in }
        }
      }
  }

  /// The shared state of both sockets of a connection.
  // Unchecked because both sockets are on one event loop.
  private final class ConnectionPair: @unchecked Sendable {
    private let fault: ConnectionFault
    private var random: SeededRandom
    private var passed = 0

    init(_ fault: ConnectionFault, _ seed: UInt64) {
      self.fault = fault
      random = SeededRandom(seed: seed)
    }

    enum Decision {
      case pass(Int, afterMilliseconds: Int64)
      case swallow
      case end
    }

    /// Returns how many of the given bytes pass, and after which delay.
    func decide(_ count: Int) -> Decision {
      switch fault {
      case .clean: return .pass(count, afterMilliseconds: 0)
      case .refused: return .end
      case .cut(let limit) where passed >= limit: return .end
      case .silent(let limit) where passed >= limit: return .swallow
      case .cut(let limit), .silent(let limit):
        let piece = min(count, limit - passed, Int.random(in: 1...8_192, using: &random))
        passed += piece
        return .pass(piece, afterMilliseconds: Int.random(in: 0..<4, using: &random) == 0 ? 3 : 0)
      }
    }
  }

  /// One of the two sockets of a connection.
  private final class RelayHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let pair: ConnectionPair
    private let other: any Channel
    private var waiting: [ByteBuffer] = []
    private var isBusy = false
    private var isInputClosed = false

    init(of pair: ConnectionPair, towards other: any Channel) {
      self.pair = pair
      self.other = other
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      waiting.append(unwrapInboundIn(data))
      pass(context)
    }

    private func pass(_ context: ChannelHandlerContext) {
      while !isBusy, !waiting.isEmpty {
        switch pair.decide(waiting[0].readableBytes) {
        case .end:
          waiting = []
          context.close(promise: nil)
          return other.close(promise: nil)
        case .swallow: waiting = []
        case .pass(let count, let milliseconds):
          guard let piece = waiting[0].readSlice(length: count) else { return }
          if waiting[0].readableBytes == 0 { waiting.removeFirst() }
          guard milliseconds > 0 else {
            other.writeAndFlush(piece, promise: nil)
            continue
          }
          isBusy = true
          let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
          context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) {
            let (end, context) = bound.value
            end.isBusy = false
            end.other.writeAndFlush(piece, promise: nil)
            end.pass(context)
            if end.isInputClosed { end.other.close(promise: nil) }
          }
        }
      }
    }

    func channelInactive(context: ChannelHandlerContext) {
      isInputClosed = true
      if !isBusy { other.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
}
