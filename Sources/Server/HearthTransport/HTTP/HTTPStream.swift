import NIOCore

/// The body of a response that continues for as long as both sides want: the handle through which it is sent.
///
/// Queued bytes wait until ``flush()`` and are sent in as few writes as possible. The connection ends with the stream.
/// Used on its event loop only.
package final class HTTPStream {
  private enum State {
    case open
    /// The last part is written.
    case ending
    case closed
  }

  private let loop: TransportLoop
  private let context: ChannelHandlerContext
  /// True when parts are framed (RFC 9112 §7.1); event streams, and responses to clients of HTTP/1.0, are not.
  private let isChunked: Bool
  private var delegate: (any HTTPStreamDelegate)?
  private var state = State.open {
    didSet { if state != .open { outlet?.seal() } }
  }
  /// The connection's outlet; nil once the connection is closed.
  package private(set) var outlet: Outlet?

  // The total bytes that the client had taken when it last took some, and that time, in the loop's seconds.
  private var drained: (bytes: Int, at: Int32)
  private var closeBy: Int32 = .max

  /// - Parameters:
  ///   - share: the connection's.
  ///   - isChunked: true frames parts as HTTP/1.1 does; otherwise the end of the connection is the end.
  package init(
    loop: TransportLoop, context: ChannelHandlerContext, share: MemoryShare, isChunked: Bool, isDirect: Bool,
    delegate: any HTTPStreamDelegate
  ) {
    self.loop = loop
    self.context = context
    self.isChunked = isChunked
    self.delegate = delegate
    drained = (0, loop.now)
    outlet = Outlet(loop: loop, context: context, share: share, isDirect: isDirect, owner: self)
  }

  /// Notifies the delegate that it may send. The head is written.
  package func start() { delegate?.opened(self) }

  // MARK: Sending

  /// Queues bytes. Ignored when the stream is not open any more.
  ///
  /// - Parameter text: the shared text that a large part counts as.
  package func send(_ part: ByteBuffer, of text: SharedText? = nil) {
    loop.eventLoop.assertInEventLoop()
    guard state == .open, part.readableBytes > 0 else { return }
    guard isChunked else {
      outlet?.send(part, of: text)
      return
    }
    guard let text else {
      outlet?.send(Self.chunk(part))
      return
    }
    outlet?.send(Self.chunkHead(part.readableBytes))
    outlet?.send(part, of: text)
    outlet?.send(Self.lineEnd)
  }

  /// Returns a part as HTTP/1.1 frames it.
  private static func chunk(_ part: ByteBuffer) -> ByteBuffer {
    var chunk = chunkHead(part.readableBytes, more: part.readableBytes + lineEnd.readableBytes)
    chunk.writeImmutableBuffer(part)
    chunk.writeImmutableBuffer(lineEnd)
    return chunk
  }

  private static func chunkHead(_ sizeBytes: Int, more: Int = 0) -> ByteBuffer {
    let size = String(sizeBytes, radix: 16)
    var head = ByteBufferAllocator().buffer(capacity: size.utf8.count + 2 + more)
    head.writeString(size)
    head.writeImmutableBuffer(lineEnd)
    return head
  }

  private static let lastChunk = ByteBuffer(string: "0\r\n\r\n")
  private static let lineEnd = ByteBuffer(string: "\r\n")

  /// True when the client has taken most of the sent bytes, so that more would not wait long.
  package var takesMore: Bool { state == .open && outlet?.isWritable == true }

  /// Sends the queued bytes.
  package func flush() {
    loop.eventLoop.assertInEventLoop()
    if state == .open { outlet?.flush() }
  }

  /// Calls `body` once all bytes sent until now are written to the connection, which may be never.
  package func whenWritten(_ body: @escaping () -> Void) {
    if state != .closed { outlet?.whenWritten(body) }
  }

  // MARK: Ending

  /// Sends the queued bytes and ends the body, and the connection with it.
  package func end() {
    guard state == .open else { return }
    if isChunked { outlet?.send(Self.lastChunk) }
    outlet?.flush()
    guard state == .open else { return }
    state = .ending
    closeBy = loop.now + Int32(loop.limits.stallTimeoutSeconds)
    let channel = context.channel
    context.writeAndFlush(NIOAny(ByteBuffer())).whenComplete { _ in channel.close(promise: nil) }
  }

  /// Handles the end of the connection.
  package func closed() {
    state = .closed
    endOutlet()
    let delegate = delegate
    self.delegate = nil
    delegate?.closed()
  }

  /// Ends the outlet before the connection closes.
  package func endOutlet() {
    outlet?.end()
    outlet = nil
  }

  // MARK: Supervision by the loop

  /// Updates the connection's memory share with the bytes that wait for the client.
  package func countOutbound() { outlet?.countOutbound() }

  /// Aborts streams whose client does not read, and keeps quiet ones from timing out.
  package func sweep() {
    if loop.now >= closeBy { return abort() }
    guard state == .open else { return }
    guard outlet?.isWritable ?? true else { return sweepStalled() }
    drained.at = loop.now
    guard loop.now - (outlet?.sentAt ?? loop.now) >= Int32(loop.limits.streamQuietSeconds), let delegate else { return }
    send(delegate.quietText)
    flush()
  }

  private func sweepStalled() {
    let taken = outlet?.takenBytes ?? drained.bytes
    if taken != drained.bytes { drained = (taken, loop.now) }
    if loop.now - drained.at >= Int32(loop.limits.stallTimeoutSeconds) { abort() }
  }

  /// Aborts the connection, so that the client does not take a partial body for a whole one.
  package func abort() {
    // not at once: the delegate may be in the middle of a call to this stream
    let channel = context.channel
    state = .ending
    endOutlet()
    loop.eventLoop.execute { channel.close(promise: nil) }
  }
}

extension HTTPStream: OutletOwner {
  func outletIsOverfull() { abort() }
}

/// The source of a stream's body. Called on the stream's event loop.
package protocol HTTPStreamDelegate: AnyObject {
  /// Notifies that bytes may be sent now.
  func opened(_ stream: HTTPStream)

  /// Notifies that the connection is closed, or that there never was a stream. Called once.
  func closed()

  /// The bytes that are sent after some quiet seconds, so that proxies do not close the connection as dead.
  var quietText: ByteBuffer { get }
}
