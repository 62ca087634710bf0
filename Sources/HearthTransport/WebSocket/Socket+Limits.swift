import NIOCore

extension Socket {
  /// Whether more of what the client sends is taken in. What the system has taken meanwhile waits there, and then at the
  /// client.
  package func setReading(_ isReading: Bool) {
    self.isReading = isReading
    try? context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
  }
}
