import HearthWire
import NIOCore

/// A message on its way to any number of sockets, encoded once: server frames are not masked, so one frame serves all.
package struct OutboundMessage: Sendable {
  /// The whole text frame.
  package let frame: ByteBuffer
  private let headerBytes: Int
  /// What a large message counts as, for as long as somebody keeps it.
  package private(set) var counted: SharedText?

  /// - Parameter text: JSON in valid UTF-8.
  package init(text: [UInt8]) {
    var frame = ByteBufferAllocator().buffer(capacity: text.count + FrameWriter.headerBytesMax)
    FrameWriter.writeHeader(.text, payloadBytes: text.count, to: &frame)
    headerBytes = frame.readableBytes
    frame.writeBytes(text)
    self.frame = frame
  }

  package init(_ message: ServerMessage) { self.init(text: message.encoded()) }

  /// A large message, which counts in the memory that is held for clients.
  package init(_ message: ServerMessage, in memory: ClientMemory) {
    self.init(message)
    counted = memory.text(bytes: frame.readableBytes)
  }

  /// A large message that was made before, as the frame that it is.
  package init(frame: ByteBuffer, counted: SharedText) {
    self.frame = frame
    self.counted = counted
    headerBytes = FrameWriter.headerBytes(of: frame)
  }

  /// Bytes of the JSON text.
  package var sizeBytes: Int { frame.readableBytes - headerBytes }

  /// The JSON text.
  package var text: ByteBuffer {
    frame.getSlice(at: frame.readerIndex + headerBytes, length: sizeBytes) ?? ByteBuffer()
  }

  /// The message in frames that no client finds too large: a count and segments when it is long.
  package func segmentedFrames() -> ByteBuffer {
    text.withUnsafeReadableBytes { bytes in
      let segments = OutboundSegments(bytes)
      guard let count = segments.count else { return frame }
      var frames = ByteBufferAllocator().buffer(capacity: bytes.count + (segments.ranges.count + 1) * 4 + 8)
      FrameWriter.writeHeader(.text, payloadBytes: count.count, to: &frames)
      frames.writeBytes(count)
      for range in segments.ranges {
        FrameWriter.writeHeader(.text, payloadBytes: range.count, to: &frames)
        frames.writeBytes(UnsafeRawBufferPointer(rebasing: bytes[range]))
      }
      return frames
    }
  }
}
