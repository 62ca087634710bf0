import NIOCore
import NIOEmbedded
import NIOSSL
import RandomTestKit
import Testing

@testable import HearthTLS

/// Tests of connections with a server that has a valid certificate.
@Suite struct ConnectionTests {
  private static let credentials = Result { try TestCredentials("DNS:localhost", isAuthority: true) }

  private func pair(_ configure: (inout TLSConfiguration) -> Void = { _ in }) throws -> TLSPair {
    let credentials = try Self.credentials.get()
    return try TLSPair(host: "localhost", credentials, roots: credentials.certificatePEM, configure: configure)
  }

  /// Returns a pair after its handshake.
  private func openPair() throws -> TLSPair {
    let pair = try pair()
    try pair.exchange()
    #expect(pair.atClient.errors.isEmpty)
    return pair
  }

  @Test("bytes of any size arrive in both directions", arguments: [TLSVersion.tlsv12, .tlsv13])
  func carriesBytes(version: TLSVersion) throws {
    let pair = try pair { $0.maximumTLSVersion = version }
    // Written before the handshake, and sent after it.
    let early = pair.client.eventLoop.makePromise(of: Void.self)
    pair.client.writeAndFlush(ByteBuffer(string: "early"), promise: early)
    let empty = pair.client.eventLoop.makePromise(of: Void.self)
    pair.client.writeAndFlush(ByteBuffer(), promise: empty)
    try pair.exchange()
    try early.futureResult.wait()
    try empty.futureResult.wait()
    var expected = Array("early".utf8)
    var seeded = SeededRandom(seed: 7)
    for size in [1, 16_384, 16_385, 600_000] {
      let bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &seeded) }
      let before = pair.atClient.bytes.count
      pair.sendFromClient(bytes)
      pair.sendFromServer(bytes)
      try pair.exchange()
      expected += bytes
      #expect(pair.atClient.bytes[before...].elementsEqual(bytes))
    }
    #expect(pair.atServer.bytes == expected)
    #expect(pair.atClient.errors.isEmpty && pair.atServer.errors.isEmpty)
  }

  @Test("bytes arrive whatever pieces they come in")
  func pieces() throws {
    let pair = try pair()
    while let bytes = try pair.client.readOutbound(as: ByteBuffer.self) { try pair.server.writeInbound(bytes) }
    pair.sendFromServer(Array("hello".utf8))
    for _ in 0..<4 {
      while let bytes = try pair.server.readOutbound(as: ByteBuffer.self) {
        for byte in bytes.readableBytesView { try pair.client.writeInbound(ByteBuffer(bytes: [byte])) }
      }
      while let bytes = try pair.client.readOutbound(as: ByteBuffer.self) { try pair.server.writeInbound(bytes) }
    }
    #expect(pair.atClient.bytes == Array("hello".utf8))
  }

  @Test("TLS 1.0 and 1.1 are refused", arguments: [TLSVersion.tlsv1, .tlsv11])
  func refusesOldVersions(version: TLSVersion) throws {
    let pair = try pair {
      $0.minimumTLSVersion = .tlsv1
      $0.maximumTLSVersion = version
    }
    pair.sendFromClient([1])
    try pair.exchange()
    #expect(pair.failure?.code == .handshakeFailed)
    #expect(pair.atServer.bytes.isEmpty && !pair.client.isActive)
  }

  @Test("the end of TLS closes the channel without an error, in both directions")
  func cleanEnd() throws {
    let byServer = try openPair()
    byServer.sendFromServer([1])
    byServer.server.close(promise: nil)
    try byServer.exchange()
    #expect(byServer.atClient.bytes == [1] && byServer.atClient.errors.isEmpty && byServer.atClient.isOver)
    let byClient = try openPair()
    byClient.sendFromClient([2])
    byClient.client.close(promise: nil)
    try byClient.exchange()
    #expect(byClient.atServer.bytes == [2] && byClient.atServer.errors.isEmpty && byClient.atServer.isOver)
    let promise = byClient.client.eventLoop.makePromise(of: Void.self)
    byClient.client.writeAndFlush(ByteBuffer(string: "late"), promise: promise)
    #expect(throws: (any Error).self) { try promise.futureResult.wait() }
  }

  @Test("a connection that ends without the end of TLS is truncated, and one in the handshake as well")
  func truncation() throws {
    let open = try openPair()
    open.client.pipeline.fireChannelInactive()
    #expect(open.failure?.code == .truncated && open.atClient.isOver)
    let handshaking = try pair()
    let promise = handshaking.client.eventLoop.makePromise(of: Void.self)
    handshaking.client.writeAndFlush(ByteBuffer(string: "x"), promise: promise)
    handshaking.client.pipeline.fireChannelInactive()
    #expect(handshaking.failure?.code == .truncated)
    #expect(throws: (any Error).self) { try promise.futureResult.wait() }
  }

  @Test("a server without TLS is an error that names the reason")
  func plaintext() throws {
    let pair = try pair()
    try pair.client.writeInbound(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n\r\n"))
    #expect(pair.failure?.code == .handshakeFailed)
    #expect(pair.failure?.description == "the TLS handshake with localhost failed: wrong version number")
    #expect(!pair.client.isActive)
  }

  @Test("a damaged record ends the connection, and what came before is delivered")
  func damagedRecord() throws {
    let pair = try openPair()
    pair.sendFromServer([1, 2, 3])
    try pair.exchange()
    pair.tamper = { $0[$0.count - 1] ^= 1 }
    pair.sendFromServer([4, 5, 6])
    try pair.exchange()
    #expect(pair.atClient.bytes == [1, 2, 3])
    #expect(pair.failure?.code == .invalidRecord && !pair.client.isActive)
  }

  @Test("a handshake message that claims megabytes is refused before it is buffered")
  func boundsMessages() throws {
    let pair = try pair()
    // A ServerHello of 16 MB in records of 16 KB.
    var received = 0
    while pair.client.isActive, received < 1_000_000 {
      var record: [UInt8] = [22, 3, 3, 0x40, 0] + [UInt8](repeating: 0, count: 16_384)
      if received == 0 { record.replaceSubrange(5..<9, with: [2, 0xFF, 0xFF, 0xFF]) }
      received += record.count
      try pair.client.writeInbound(ByteBuffer(bytes: record))
    }
    #expect(received < 100_000)
    #expect(pair.failure?.code == .handshakeFailed)
  }

  @Test("damaged bytes of a server never stop the process, and never arrive as data")
  func fuzz() throws {
    for seed in 0..<300 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let pair = try pair()
      var left = Int.random(in: 0...1_500, using: &random)
      pair.tamper = { bytes in
        defer { left -= bytes.count }
        guard left >= 0, left < bytes.count else { return }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[left] ^= UInt8.random(in: 1...255, using: &random)
        case 1: bytes.remove(at: left)
        default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: left)
        }
      }
      let text = Array("data of the server".utf8)
      pair.sendFromServer(text)
      try pair.exchange()
      pair.sendFromServer(text)
      try pair.exchange()
      #expect((text + text).starts(with: pair.atClient.bytes), "seed \(seed)")
    }
  }
}
