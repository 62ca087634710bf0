import NIOCore

extension Socket {
  /// Returns true when more of what the client sends is taken in. What was read already waits here, what the system has
  /// taken meanwhile waits there, and the rest at the client. When the connection ends first, what waits is dropped.
  package func setReading(_ isReading: Bool) {
    self.isReading = isReading
    // Not within the call: the delegate may be in the middle of something.
    if isReading, input.readableBytes > 0 { joinLine() }
    try? context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
  }
}
