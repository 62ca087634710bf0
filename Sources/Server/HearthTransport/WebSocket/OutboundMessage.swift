import NIOCore

/// A message for any number of sockets, encoded once: server frames are not masked, so one frame serves all.
package struct OutboundMessage: Sendable {
  /// The whole text frame.
  package let frame: ByteBuffer
  private let headerBytes: Int
  /// The entry of a large message in ``ClientMemory``, which counts its bytes until the last reference is gone; nil for a
  /// small message.
  package private(set) var counted: SharedText?

  /// - Parameter text: JSON in valid UTF-8.
  package init(text: [UInt8]) {
    var frame = ByteBufferAllocator().buffer(capacity: text.count + FrameWriter.headerBytesMax)
    FrameWriter.writeHeader(.text, payloadBytes: text.count, to: &frame)
    headerBytes = frame.readableBytes
    frame.writeBytes(text)
    self.frame = frame
  }

  /// Creates a large message, whose bytes ``ClientMemory`` counts until the last reference is gone.
  package init(text: [UInt8], in memory: ClientMemory) {
    self.init(text: text)
    counted = memory.text(bytes: frame.readableBytes)
  }

  /// Creates a large message from its existing frame.
  package init(frame: ByteBuffer, counted: SharedText) {
    self.frame = frame
    self.counted = counted
    headerBytes = FrameWriter.headerBytes(of: frame)
  }

  /// The size of the JSON text in bytes.
  package var sizeBytes: Int { frame.readableBytes - headerBytes }

  /// The JSON text.
  package var text: ByteBuffer {
    frame.getSlice(at: frame.readerIndex + headerBytes, length: sizeBytes) ?? ByteBuffer()
  }

  /// Returns several texts as concatenated frames, one for each.
  ///
  /// - Parameters:
  ///   - head: the first text.
  ///   - text: valid during the call; the further texts are parts of it.
  ///   - parts: their ranges, in order.
  package static func frames(
    _ head: [UInt8], then parts: [Range<Int>], of text: UnsafeRawBufferPointer
  ) -> ByteBuffer {
    let sizeBytes = parts.reduce(head.count) { $0 + $1.count }
    var frames = ByteBufferAllocator().buffer(capacity: sizeBytes + (parts.count + 1) * FrameWriter.headerBytesMax)
    head.withUnsafeBytes { FrameWriter.writeText($0, to: &frames) }
    for part in parts { FrameWriter.writeText(UnsafeRawBufferPointer(rebasing: text[part]), to: &frames) }
    return frames
  }
}
