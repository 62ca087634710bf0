import NIOCore

extension Socket {
  /// Writes what is in line, and calls `done` once the kernel has taken it and all that was sent before. When the
  /// connection ends first, `done` is let go.
  package func whenWritten(_ done: @escaping @Sendable () -> Void) {
    loop.eventLoop.assertInEventLoop()
    if state == .open || state == .closing { outlet?.whenWritten(done) }
  }
}
