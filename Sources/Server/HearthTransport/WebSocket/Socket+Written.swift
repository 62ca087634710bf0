import NIOCore

extension Socket {
  /// Sends the queued messages, and calls `done` once the kernel has taken them and all earlier ones. When the connection ends
  /// first, `done` is released without a call.
  package func whenWritten(_ done: @escaping @Sendable () -> Void) {
    loop.eventLoop.assertInEventLoop()
    if state == .open || state == .closing { outlet?.whenWritten(done) }
  }
}
