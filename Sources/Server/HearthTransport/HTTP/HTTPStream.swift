import NIOCore

/// The body of a response that goes on for as long as both sides want: the handle that it is sent through.
///
/// What is sent waits until ``flush()`` and leaves in as few writes as possible. The connection ends with the stream.
/// Used on its event loop only.
package final class HTTPStream {
  private enum State {
    case open
    /// The end is written.
    case ending
    case closed
  }

  private let loop: TransportLoop
  private let context: ChannelHandlerContext
  /// True when parts are framed (RFC 9112 §7.1); in event streams, and for clients of HTTP/1.0, they are not.
  private let isChunked: Bool
  private var delegate: (any HTTPStreamDelegate)?
  private var state = State.open {
    didSet { if state != .open { outlet?.seal() } }
  }
  /// The line out, for as long as the connection is there.
  package private(set) var outlet: Outlet?

  // Times, in the loop's seconds.
  private var drained: (bytes: Int, at: Int32)
  private var closeBy: Int32 = .max

  /// - Parameters:
  ///   - share: the connection's.
  ///   - isChunked: parts are framed as HTTP/1.1 has it; otherwise the end of the connection is the end.
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

  /// Tells the delegate that it may speak. The head is written.
  package func start() { delegate?.opened(self) }

  // MARK: Sending

  /// Puts bytes in line. Nothing happens on a stream that is not open any more.
  ///
  /// - Parameter text: what a large part counts as.
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

  /// A part as HTTP/1.1 frames it.
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

  /// True when the client has taken most of what it was sent, so that more would not wait long.
  package var takesMore: Bool { state == .open && outlet?.isWritable == true }

  /// Sends what is in line.
  package func flush() {
    loop.eventLoop.assertInEventLoop()
    if state == .open { outlet?.flush() }
  }

  /// Calls once all that was sent until now is written to the connection, which may be never.
  package func whenWritten(_ body: @escaping () -> Void) {
    if state != .closed { outlet?.whenWritten(body) }
  }

  // MARK: Ending

  /// Sends what is in line and ends the body, and the connection with it.
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

  /// The connection is gone.
  package func closed() {
    state = .closed
    endOutlet()
    let delegate = delegate
    self.delegate = nil
    delegate?.closed()
  }

  /// The connection is about to close.
  package func endOutlet() {
    outlet?.end()
    outlet = nil
  }

  // MARK: What the loop looks after

  /// Tells the connection's share of the memory what waits for the client.
  package func countOutbound() { outlet?.countOutbound() }

  /// Ends streams whose client takes nothing, and keeps quiet ones from looking dead.
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

  /// Ends the connection, so that nobody takes what came for all of it.
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

/// Whoever fills a stream. Called on the stream's event loop.
package protocol HTTPStreamDelegate: AnyObject {
  /// Bytes may be sent now.
  func opened(_ stream: HTTPStream)

  /// The connection is gone, or there never was a stream. Called once.
  func closed()

  /// What is sent after some quiet seconds, so that nobody in between takes the connection for dead.
  var quietText: ByteBuffer { get }
}
