import NIOCore

/// The kinds of frames (RFC 6455 §5.2).
enum FrameOpcode: UInt8, Sendable {
  case continuation = 0x0
  case text = 0x1
  case binary = 0x2
  case close = 0x8
  case ping = 0x9
  case pong = 0xA

  var isControl: Bool { rawValue & 0x8 != 0 }
}

/// A writer of frames as a server sends them: never fragmented, never masked.
enum FrameWriter {
  /// The size of the longest header, in bytes.
  static let headerBytesMax = 10

  /// Writes a whole text frame.
  static func writeText(_ text: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
    writeHeader(.text, payloadBytes: text.count, to: &buffer)
    buffer.writeBytes(text)
  }

  static func writeHeader(_ opcode: FrameOpcode, payloadBytes: Int, to buffer: inout ByteBuffer) {
    buffer.writeInteger(0x80 | opcode.rawValue)
    switch payloadBytes {
    case ...125: buffer.writeInteger(UInt8(payloadBytes))
    case ...0xFFFF:
      buffer.writeInteger(UInt8(126))
      buffer.writeInteger(UInt16(payloadBytes))
    default:
      buffer.writeInteger(UInt8(127))
      buffer.writeInteger(UInt64(payloadBytes))
    }
  }

  /// Returns the number of bytes of the header of a frame that this writer made.
  static func headerBytes(of frame: ByteBuffer) -> Int {
    switch frame.getInteger(at: frame.readerIndex + 1, as: UInt8.self) {
    case 127: 10
    case 126: 4
    default: 2
    }
  }

  /// Returns a control frame. The payload is cut to the 125 bytes that it may have.
  static func control(_ opcode: FrameOpcode, payload: some Collection<UInt8> = []) -> ByteBuffer {
    var buffer = ByteBufferAllocator().buffer(capacity: 2 + 125)
    let payload = payload.prefix(125)
    writeHeader(opcode, payloadBytes: payload.count, to: &buffer)
    buffer.writeBytes(payload)
    return buffer
  }

  /// Returns a close frame. The reason is cut where its bytes no longer fit, between characters.
  static func close(code: UInt16, reason: String = "") -> ByteBuffer {
    var payload = [UInt8(code >> 8), UInt8(code & 0xFF)]
    for character in reason.unicodeScalars {
      let bytes = Array(String(character).utf8)
      guard payload.count + bytes.count <= 125 else { break }
      payload += bytes
    }
    return control(.close, payload: payload)
  }
}
