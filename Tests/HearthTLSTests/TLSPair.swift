import NIOCore
import NIOEmbedded
import NIOSSL

@testable import HearthTLS

/// The end of a channel, which keeps what arrives.
final class Recorder: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private(set) var bytes: [UInt8] = []
  private(set) var errors: [any Error] = []
  private(set) var isOver = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    bytes += unwrapInboundIn(data).readableBytesView
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { errors.append(error) }

  func channelInactive(context: ChannelHandlerContext) { isOver = true }
}

/// A client of ours and a server of swift-nio-ssl, over channels in memory.
final class TLSPair {
  let client = EmbeddedChannel()
  let server = EmbeddedChannel()
  let atClient = Recorder()
  let atServer = Recorder()
  /// Changes the bytes of the server on their way to the client.
  var tamper: (inout [UInt8]) -> Void = { _ in }

  /// - Parameters:
  /// - credentials: The server's certificate and key, with its chain after them.
  /// - roots: The PEM of the authorities that the client accepts; nil for those of the system.
  init(
    host: String, _ credentials: TestCredentials, chain: [TestCredentials] = [], roots: String?,
    configure: (inout TLSConfiguration) -> Void = { _ in }
  ) throws {
    let certificates = try ([credentials] + chain).map {
      NIOSSLCertificateSource.certificate(try NIOSSLCertificate(bytes: Array($0.certificatePEM.utf8), format: .pem))
    }
    let key = try NIOSSLPrivateKey(bytes: Array(credentials.keyPEM.utf8), format: .pem)
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: certificates, privateKey: .privateKey(key))
    configure(&configuration)
    let context = try NIOSSLContext(configuration: configuration)
    try server.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
    try server.pipeline.syncOperations.addHandler(atServer)
    try client.pipeline.syncOperations.addHandler(TLSClientHandler(TLSContext(roots: roots), host: host))
    try client.pipeline.syncOperations.addHandler(atClient)
    for channel in [server, client] {
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }
  }

  /// Moves bytes in both directions until there are none.
  func exchange() throws {
    var isMoving = true
    while isMoving {
      isMoving = false
      while let bytes = try client.readOutbound(as: ByteBuffer.self) {
        isMoving = true
        if server.isActive { try server.writeInbound(bytes) }
      }
      while let bytes = try server.readOutbound(as: ByteBuffer.self) {
        isMoving = true
        var array = Array(bytes.readableBytesView)
        tamper(&array)
        if client.isActive { try client.writeInbound(ByteBuffer(bytes: array)) }
      }
      client.embeddedEventLoop.run()
      server.embeddedEventLoop.run()
    }
  }

  /// The failure of the client; nil when it has none, or another error.
  var failure: TLSError? { atClient.errors.first as? TLSError }

  func sendFromClient(_ bytes: [UInt8]) { client.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }
  func sendFromServer(_ bytes: [UInt8]) { server.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }
}
