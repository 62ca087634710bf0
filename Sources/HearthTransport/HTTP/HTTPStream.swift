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
  private let isChunked: Bool
  private let share: MemoryShare
  private var delegate: (any HTTPStreamDelegate)?
  private var state = State.open

  private var pending = ByteBuffer()
  /// What a large part counts as.
  private var pendingText: SharedText?
  /// The longest part of those that wait.
  private var longestWaiting = 0

  // Times, in the loop's seconds.
  private var sentAt: Int32
  private var drained: (bytes: Int, at: Int32)
  private var closeBy: Int32 = .max

  /// - Parameters:
  ///   - share: the connection's.
  ///   - isChunked: parts are framed as HTTP/1.1 has it; otherwise the end of the connection is the end.
  package init(
    loop: TransportLoop, context: ChannelHandlerContext, share: MemoryShare, isChunked: Bool,
    delegate: any HTTPStreamDelegate
  ) {
    self.loop = loop
    self.context = context
    self.share = share
    self.isChunked = isChunked
    self.delegate = delegate
    sentAt = loop.now
    drained = (0, loop.now)
  }

  /// Tells the delegate that it may speak. The head is written.
  package func start() { delegate?.opened(self) }

  // MARK: Sending

  /// Up to this size parts are copied together; the kernel would be called for each otherwise.
  private static let coalescedBytesMax = 16 << 10

  /// Puts bytes in line. Nothing happens on a stream that is not open any more.
  ///
  /// - Parameter text: what a large part counts as.
  package func send(_ part: ByteBuffer, of text: SharedText? = nil) {
    loop.eventLoop.assertInEventLoop()
    guard state == .open, part.readableBytes > 0 else { return }
    let isApart = text != nil || pending.readableBytes + part.readableBytes > Self.coalescedBytesMax
    if pending.readableBytes > 0, isApart {
      writePending()
      guard state == .open else { return }
    }
    if pending.readableBytes == 0 { (pending, pendingText) = (part, text) } else { pending.writeImmutableBuffer(part) }
  }

  /// Writes what is in line.
  package func flush() {
    loop.eventLoop.assertInEventLoop()
    guard state == .open, pending.readableBytes > 0 else { return }
    writePending()
    if state == .open { context.flush() }
  }

  private func writePending() {
    guard pending.readableBytes > 0 else { return }
    let size = pending.readableBytes
    longestWaiting = context.channel.isWritable ? size : max(longestWaiting, size)
    if !context.channel.isWritable, context.waitingBytes > loop.limits.outboundBytesMax + longestWaiting {
      return abort()
    }
    sentAt = loop.now
    let (part, text) = (pending, pendingText)
    (pending, pendingText) = (ByteBuffer(), nil)
    if isChunked {
      share.write(ByteBuffer(string: String(size, radix: 16) + "\r\n"), to: context)
      share.write(part, of: text, to: context)
      share.write(ByteBuffer(string: "\r\n"), to: context)
    } else {
      share.write(part, of: text, to: context)
    }
  }

  /// Calls once all that was sent until now is written to the connection, which may be never.
  package func whenWritten(_ body: @escaping () -> Void) {
    guard state != .closed else { return }
    if state == .open { writePending() }
    guard state != .closed else { return }
    context.writeAndFlush(NIOAny(ByteBuffer())).assumeIsolated().whenSuccess(body)
  }

  // MARK: Ending

  /// Sends what is in line and ends the body, and the connection with it.
  package func end() {
    guard state == .open else { return }
    writePending()
    guard state == .open else { return }
    state = .ending
    closeBy = loop.now + Int32(loop.limits.stallTimeoutSeconds)
    let channel = context.channel
    let end = ByteBuffer(string: isChunked ? "0\r\n\r\n" : "")
    context.writeAndFlush(NIOAny(end)).whenComplete { _ in channel.close(promise: nil) }
  }

  /// The connection is gone.
  package func closed() {
    state = .closed
    (pending, pendingText) = (ByteBuffer(), nil)
    let delegate = delegate
    self.delegate = nil
    delegate?.closed()
  }

  // MARK: What the loop looks after

  /// Ends streams whose client takes nothing, and keeps quiet ones from looking dead.
  package func sweep() {
    if loop.now >= closeBy { return abort() }
    guard state == .open else { return }
    guard context.channel.isWritable else { return sweepStalled() }
    drained.at = loop.now
    guard loop.now - sentAt >= Int32(loop.limits.streamQuietSeconds), let delegate else { return }
    send(delegate.quietText)
    flush()
  }

  private func sweepStalled() {
    let taken = share.written &- context.waitingBytes
    if taken != drained.bytes { drained = (taken, loop.now) }
    if loop.now - drained.at >= Int32(loop.limits.stallTimeoutSeconds) { abort() }
  }

  private func abort() {
    // not at once: the delegate may be in the middle of a call to this stream
    let channel = context.channel
    state = .ending
    (pending, pendingText) = (ByteBuffer(), nil)
    loop.eventLoop.execute { channel.close(promise: nil) }
  }
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
