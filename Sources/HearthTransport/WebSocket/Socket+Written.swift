import NIOCore

extension Socket {
  /// Writes what is in line, and calls `done` once the kernel has taken it and all that was sent before. When the
  /// connection ends first, `done` is let go.
  package func whenWritten(_ done: @escaping @Sendable () -> Void) {
    loop.eventLoop.assertInEventLoop()
    flush()
    guard let context, state == .open || state == .closing else { return }
    // Nearly every client takes what it is sent at once.
    if context.channel.isWritable, context.waitingBytes == 0 { return done() }
    // An empty write is done when those before it are.
    context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenSuccess { done() }
  }
}
