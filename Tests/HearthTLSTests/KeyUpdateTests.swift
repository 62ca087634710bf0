import CTLS
import NIOCore
import NIOEmbedded
import Testing

@testable import HearthTLS

/// A server of OpenSSL over buffers, which can ask for new keys.
private final class OpenSSLServer {
  private let pointer: OpaquePointer
  private let (input, output): (OpaquePointer, OpaquePointer)
  private(set) var bytes: [UInt8] = []

  init(_ credentials: TestCredentials) throws {
    let settings = SSL_CTX_new(TLS_server_method())
    defer { SSL_CTX_free(settings) }
    SSL_CTX_use_certificate(settings, credentials.certificate)
    SSL_CTX_use_PrivateKey(settings, credentials.key)
    var (input, output): (OpaquePointer?, OpaquePointer?) = (nil, nil)
    guard let made = SSL_new(settings), hearth_tls_set_buffers(made, &input, &output) == 1, let input, let output
    else { throw TestCredentials.Failure() }
    (pointer, self.input, self.output) = (made, input, output)
    SSL_set_accept_state(pointer)
  }

  deinit { SSL_free(pointer) }

  func receive(_ received: [UInt8]) {
    var count = 0
    BIO_write_ex(input, received, received.count, &count)
    var room = [UInt8](repeating: 0, count: 16_384)
    while SSL_read_ex(pointer, &room, room.count, &count) == 1 { bytes += room[..<count] }
  }

  /// Asks the client for new keys.
  func updateKeys() {
    SSL_key_update(pointer, SSL_KEY_UPDATE_REQUESTED)
    SSL_do_handshake(pointer)
  }

  func takeOutput() -> [UInt8] {
    var room = [UInt8](repeating: 0, count: hearth_tls_pending(output))
    var count = 0
    if !room.isEmpty { BIO_read_ex(output, &room, room.count, &count) }
    return Array(room[..<count])
  }
}

/// Tests of a server that makes the client answer.
@Suite struct KeyUpdateTests {
  private let client = EmbeddedChannel()
  private let end = Recorder()
  private let server: OpenSSLServer

  init() throws {
    let credentials = try TestCredentials("DNS:localhost", isAuthority: true)
    server = try OpenSSLServer(credentials)
    let context = try TLSContext(roots: credentials.certificatePEM)
    try client.pipeline.syncOperations.addHandler(TLSClientHandler(context, host: "localhost"))
    try client.pipeline.syncOperations.addHandler(end)
    try client.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    for _ in 0..<3 { try exchange() }
  }

  private func exchange() throws {
    while let bytes = try client.readOutbound(as: ByteBuffer.self) { server.receive(Array(bytes.readableBytesView)) }
    let output = server.takeOutput()
    if !output.isEmpty { try client.writeInbound(ByteBuffer(bytes: output)) }
  }

  @Test("new keys are answered with new keys, and bytes go on to arrive")
  func updates() throws {
    for i in 0..<10 as Range<UInt8> {
      server.updateKeys()
      try exchange()
      client.writeAndFlush(ByteBuffer(bytes: [i]), promise: nil)
      try exchange()
    }
    #expect(server.bytes == Array(0..<10))
    #expect(end.errors.isEmpty && client.isActive)
  }

  @Test("answers do not pile up for a server that does not read them")
  func bounds() throws {
    client.isWritable = false
    for _ in 0..<20_000 where client.isActive {
      server.updateKeys()
      try client.writeInbound(ByteBuffer(bytes: server.takeOutput()))
    }
    var answered = 0
    while let bytes = try client.readOutbound(as: ByteBuffer.self) { answered += bytes.readableBytes }
    #expect(answered < 100_000)
  }
}
