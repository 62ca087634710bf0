import NIOCore

extension Socket {
  /// Pauses or resumes reading. Input that was read already waits here, newer input waits with the system, and the rest
  /// at the client. When the connection ends first, the waiting input is dropped.
  package func setReading(_ isReading: Bool) {
    self.isReading = isReading
    // Deferred: the delegate may be in the middle of a callback.
    if isReading, input.readableBytes > 0 { joinQueue() }
    if isReading { countUnfinished() }
    try? context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
  }
}
