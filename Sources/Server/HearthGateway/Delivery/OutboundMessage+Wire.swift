import HearthTransport
import HearthWire
import NIOCore

extension OutboundMessage {
  /// Creates a message of the protocol.
  init(_ message: ServerMessage) { self.init(text: message.encoded()) }

  /// Creates a large message, which counts in the memory that is held for clients.
  init(_ message: ServerMessage, in memory: ClientMemory) { self.init(text: message.encoded(), in: memory) }

  /// Returns the message in frames within every client's limit: a count and segments when it is long.
  func segmentedFrames() -> ByteBuffer {
    text.withUnsafeReadableBytes { bytes in
      let segments = OutboundSegments(bytes)
      guard let count = segments.count else { return frame }
      return Self.frames(count, then: segments.ranges, of: bytes)
    }
  }
}
