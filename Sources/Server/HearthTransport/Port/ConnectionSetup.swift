import NIOCore
import NIOHTTP1

/// A builder of the pipeline of an accepted connection.
struct ConnectionSetup: Sendable {
  var responder: any HTTPResponder
  var acceptor: any SocketAcceptor
  var tls: CurrentTLSContext?
  var allowsPlaintext = true

  /// Adds the first handlers of a connection. To be called on its event loop.
  func start(_ channel: any Channel, on loop: TransportLoop) throws {
    if tls == nil {
      try addHandlers(
        to: channel.pipeline.syncOperations, on: loop, channel: channel, isEncrypted: false,
        deadline: loop.now + Int32(loop.limits.headTimeoutSeconds))
    } else {
      try channel.pipeline.syncOperations.addHandler(PortSniffer(setup: self, loop: loop))
    }
  }

  /// Adds the handlers of HTTP behind the existing ones.
  func addHandlers(
    to pipeline: ChannelPipeline.SynchronousOperations, on loop: TransportLoop, channel: any Channel, isEncrypted: Bool,
    deadline: Int32
  ) throws {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = loop.limits.headBytesMax
    limits.maxHeaderListSize = loop.limits.headBytesMax
    limits.maxHeaderFieldCount = loop.limits.headersMax
    let decoder = ByteToMessageHandler(
      HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits))
    let peer = Peer(address: channel.remoteAddress, isEncrypted: isEncrypted)
    let encoder = RequestLineEncoder()
    let handler = HTTPHandler(
      loop: loop, peer: peer, encoder: encoder, decoder: decoder, responder: responder, acceptor: acceptor,
      deadline: deadline)
    try pipeline.addHandlers(encoder, decoder, handler)
  }
}
