import NIOCore
import NIOHTTP1
import NIOSSL

/// A handler that checks a connection's first byte: 0x16 begins a TLS handshake, any other a request in plain text.
final class PortSniffer: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let setup: ConnectionSetup
  private let loop: TransportLoop
  private let deadline: Int32
  private var context: ChannelHandlerContext?

  init(setup: ConnectionSetup, loop: TransportLoop) {
    self.setup = setup
    self.loop = loop
    deadline = loop.now + Int32(loop.limits.headTimeoutSeconds)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    loop.add(self)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    loop.remove(self)
    self.context = nil
  }

  func channelInactive(context: ChannelHandlerContext) { loop.remove(self) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    guard let first = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) else { return }
    let isEncrypted = first == 0x16
    guard isEncrypted || setup.allowsPlaintext else { return context.close(promise: nil) }
    do {
      let pipeline = context.pipeline.syncOperations
      if isEncrypted, let tls = setup.tls {
        try pipeline.addHandler(NIOSSLServerHandler(context: tls.current))
      }
      try setup.addHandlers(
        to: pipeline, on: loop, channel: context.channel, isEncrypted: isEncrypted, deadline: deadline)
    } catch {
      return context.close(promise: nil)
    }
    context.fireChannelRead(data)
    context.pipeline.syncOperations.removeHandler(self, promise: nil)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

extension PortSniffer: TransportConnection {
  func sweep() { if loop.now >= deadline { abort() } }
  func shutDown() { abort() }
  func abort() { context?.close(promise: nil) }
}
