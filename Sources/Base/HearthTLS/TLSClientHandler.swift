import NIOCore

/// The channel handler of TLS on a client's connection. Bytes that are written before the handshake is complete wait for
/// it; a failure is an error of the channel, which is then closed.
final class TLSClientHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The number of bytes that are encrypted at a time, so that large messages are not in memory twice.
  private static let chunkBytes = 256 << 10
  /// The bytes of answers of the protocol that wait for a peer that does not read, above which the connection ends.
  private static let unsentAnswerBytesMax = 64 << 10

  private let session: TLSSession
  private var isStarted = false
  /// The answers of the protocol since the channel was last writable.
  private var unsentAnswerBytes = 0
  private var writes = MarkedCircularBuffer<(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)>(initialCapacity: 4)

  /// Creates a handler for one connection.
  ///
  /// - Parameter host: The name or address that the server's certificate must have. Names are sent to the server (SNI).
  init(_ context: TLSContext, host: String) throws(TLSError) {
    let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
    session = try TLSSession(context, host: host, isAddress: isAddress)
  }

  // MARK: Lifetime

  func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { start(context) } }

  func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    start(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { failWrites() }

  func channelInactive(context: ChannelHandlerContext) {
    if let error = session.endOfConnection() { context.fireErrorCaught(error) }
    failWrites()
    context.fireChannelInactive()
  }

  private func start(_ context: ChannelHandlerContext) {
    guard !isStarted else { return }
    isStarted = true
    advance(context)
  }

  // MARK: Inbound

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let received = unwrapInboundIn(data)
    do {
      try received.withUnsafeReadableBytes { try session.receive($0) }
    } catch {
      return fail(error, context)
    }
    advance(context)
  }

  /// Continues the connection with the received bytes: decrypts, answers, and sends what waited.
  private func advance(_ context: ChannelHandlerContext) {
    var plain = context.channel.allocator.buffer(capacity: 0)
    var failure: (any Error)?
    do { try session.advance { plain.writeBytes($0) } } catch { failure = error }
    // Answers of the protocol, and the alert of a failure.
    unsentAnswerBytes = context.channel.isWritable ? 0 : unsentAnswerBytes + session.outputBytes
    if sendOutput(context, promise: nil) { context.flush() }
    if plain.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(plain)) }
    if unsentAnswerBytes > Self.unsentAnswerBytesMax { failure = failure ?? session.refuse() }
    if let failure { return fail(failure, context) }
    switch session.state {
    case .handshaking: break
    case .open: sendFlushedWrites(context)
    // Answered with our own end, which closing sends.
    case .ended: close(context: context, mode: .all, promise: nil)
    case .closed: break
    }
  }

  private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
    context.fireErrorCaught(error)
    failWrites()
    context.close(promise: nil)
  }

  private func failWrites() {
    while !writes.isEmpty { writes.removeFirst().promise?.fail(ChannelError.ioOnClosedChannel) }
  }

  // MARK: Outbound

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard session.state != .closed else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    writes.append((unwrapOutboundIn(data), promise))
  }

  func flush(context: ChannelHandlerContext) {
    writes.mark()
    sendFlushedWrites(context)
  }

  private func sendFlushedWrites(_ context: ChannelHandlerContext) {
    guard session.state == .open else { return }
    while writes.hasMark, session.state == .open {
      let (bytes, promise) = writes.removeFirst()
      do { try send(bytes, promise, context) } catch {
        promise?.fail(error)
        return fail(error, context)
      }
    }
    context.flush()
  }

  private func send(
    _ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext
  ) throws {
    var rest = bytes.readableBytesView
    repeat {
      let chunk = rest.prefix(Self.chunkBytes)
      rest = rest.dropFirst(chunk.count)
      try chunk.withUnsafeBytes { try session.send($0) }
      if !sendOutput(context, promise: rest.isEmpty ? promise : nil), rest.isEmpty { promise?.succeed() }
    } while !rest.isEmpty
  }

  /// Writes the encrypted bytes to the channel; returns false when there are none.
  private func sendOutput(_ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) -> Bool {
    let count = session.outputBytes
    guard count > 0 else { return false }
    var buffer = context.channel.allocator.buffer(capacity: count)
    buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { session.takeOutput(into: $0) }
    context.write(wrapOutboundOut(buffer), promise: promise)
    return true
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard mode != .input else { return context.close(mode: mode, promise: promise) }
    // Does not wait for the peer's own end, which RFC 8446 allows: nothing that it sends would be read.
    session.close()
    if sendOutput(context, promise: nil) { context.flush() }
    failWrites()
    context.close(mode: mode, promise: promise)
  }
}
