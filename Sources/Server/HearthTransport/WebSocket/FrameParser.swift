import NIOCore

// A frame (RFC 6455 §5.2), as a client sends it:
//
//   81            FIN, opcode 1 (text)          81 = 1000_0001: FIN, three reserved bits, four bits of opcode
//   85            masked, 5 bytes of payload    length 126: two bytes of length follow; 127: eight
//   37 FA 21 3D   the mask
//   7F 9F 4D 51   58    "Hello", byte i xor mask byte i % 4

/// A parser of a client's frames, which rejects what the protocol forbids.
///
/// The payload of a data frame is unmasked and checked to be UTF-8 as it arrives, so a frame that is announced and
/// never sent holds no memory, and a message over the limit ends at its header.
struct FrameParser {
  enum Event: Equatable {
    /// A complete text message; its bytes are ``FrameParser/message`` until the next call.
    case text
    /// A ping with the payload to send back.
    case ping([UInt8])
    case pong
    /// Many frames of a message that is not complete: other connections have their turn.
    case unfinished
    /// A close frame; the code is nil when the frame has none.
    case close(code: UInt16?)
  }

  private struct Frame {
    var opcode: FrameOpcode
    var isFinal: Bool
    /// The mask, rotated so that its lowest byte applies to the next byte of the payload.
    var mask: UInt32
    var missing: Int
  }

  /// The frames of a message after which ``next(_:)`` returns: some tens of microseconds' work.
  static let framesMax = 256

  /// The text of the last message.
  private(set) var message: [UInt8] = []

  private let messageBytesMax: Int
  private var frame: Frame?
  /// True while a fragmented message waits for its continuation.
  private var isFragmented = false
  private var isDelivered = false
  private var validator = UTF8Validator()

  init(messageBytesMax: Int) { self.messageBytesMax = messageBytesMax }

  /// True when a message has begun and is not complete.
  var isInsideMessage: Bool { isFragmented || frame.map { !$0.opcode.isControl } ?? false }

  /// Reads up to the next event; returns nil when more bytes are needed.
  mutating func next(_ input: inout ByteBuffer) throws(SocketViolation) -> Event? {
    if isDelivered {
      isDelivered = false
      message.removeAll(keepingCapacity: message.capacity <= 64 << 10)
    }
    var framesLeft = Self.framesMax
    while true {
      if frame == nil { frame = try readHeader(&input) }
      guard let current = frame else { return nil }
      if current.opcode.isControl {
        guard input.readableBytes >= current.missing else { return nil }
        frame = nil
        return try control(current, input.readBytes(length: current.missing) ?? [])
      }
      guard try takePayload(&input) else { return nil }
      frame = nil
      isFragmented = !current.isFinal
      guard current.isFinal else {
        framesLeft -= 1
        if framesLeft == 0 { return .unfinished }
        continue
      }
      guard validator.isComplete else { throw SocketViolation(code: 1007, text: "a text ends inside a character") }
      isDelivered = true
      return .text
    }
  }

  /// Frees memory between messages.
  mutating func release() {
    if isDelivered {
      isDelivered = false
      message = []
    } else if message.isEmpty, message.capacity > 0 {
      message = []
    }
  }

  // MARK: Header

  private mutating func readHeader(_ input: inout ByteBuffer) throws(SocketViolation) -> Frame? {
    let start = input.readerIndex
    guard let first = input.getInteger(at: start, as: UInt8.self) else { return nil }
    let opcode = try checkedOpcode(first)
    guard let second = input.getInteger(at: start + 1, as: UInt8.self) else { return nil }
    guard second & 0x80 != 0 else { throw SocketViolation(code: 1002, text: "a frame is not masked") }
    if opcode.isControl, second & 0x7F > 125 {
      throw SocketViolation(code: 1002, text: "a control frame over 125 bytes")
    }
    guard let (length, size) = try payloadLength(input, at: start + 1) else { return nil }
    if !opcode.isControl { try checkSize(length) }
    guard let mask = input.getInteger(at: start + 1 + size, endianness: .little, as: UInt32.self) else { return nil }
    input.moveReaderIndex(forwardBy: 1 + size + 4)
    // because checkSize bounds data frames and 125 bounds control frames
    return Frame(opcode: opcode, isFinal: first & 0x80 != 0, mask: mask, missing: Int(length))
  }

  private func checkedOpcode(_ first: UInt8) throws(SocketViolation) -> FrameOpcode {
    guard first & 0x70 == 0 else { throw SocketViolation(code: 1002, text: "reserved bits without an extension") }
    guard let opcode = FrameOpcode(rawValue: first & 0x0F) else {
      throw SocketViolation(code: 1002, text: "a frame of reserved opcode \(first & 0x0F)")
    }
    switch opcode {
    case .binary: throw SocketViolation(code: 1003, text: "a binary frame")
    case .continuation where !isFragmented:
      throw SocketViolation(code: 1002, text: "a continuation frame without a message")
    case .text where isFragmented: throw SocketViolation(code: 1002, text: "a text frame inside another message")
    case .close, .ping, .pong:
      guard first & 0x80 != 0 else { throw SocketViolation(code: 1002, text: "a fragmented control frame") }
    default: break
    }
    return opcode
  }

  /// Returns the payload's length, and the number of bytes that encode it.
  private func payloadLength(_ input: ByteBuffer, at index: Int) throws(SocketViolation) -> (length: UInt64, size: Int)?
  {
    guard let short = input.getInteger(at: index, as: UInt8.self) else { return nil }
    switch short & 0x7F {
    case 126:
      guard let length = input.getInteger(at: index + 1, as: UInt16.self) else { return nil }
      guard length > 125 else {
        throw SocketViolation(code: 1002, text: "a length is not encoded in its shortest form")
      }
      return (UInt64(length), 3)
    case 127:
      guard let length = input.getInteger(at: index + 1, as: UInt64.self) else { return nil }
      guard length > 0xFFFF, length >> 63 == 0 else {
        throw SocketViolation(code: 1002, text: "a length is not encoded in its shortest form")
      }
      return (length, 9)
    default: return (UInt64(short & 0x7F), 1)
    }
  }

  private func checkSize(_ length: UInt64) throws(SocketViolation) {
    guard length <= UInt64(max(0, messageBytesMax - message.count)) else {
      throw SocketViolation(code: 1009, text: "a message has more than \(messageBytesMax) bytes")
    }
  }

  // MARK: Payload

  /// Takes the available bytes of a data frame's payload; returns true when the payload is complete.
  private mutating func takePayload(_ input: inout ByteBuffer) throws(SocketViolation) -> Bool {
    guard var current = frame else { return false }
    let count = min(current.missing, input.readableBytes)
    if count > 0 {
      let start = message.count
      message.append(contentsOf: input.readableBytesView.prefix(count))
      input.moveReaderIndex(forwardBy: count)
      let isText = message.withUnsafeMutableBytes { bytes in
        let part = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
        Self.unmask(part, current.mask)
        return validator.accept(UnsafeRawBufferPointer(part))
      }
      guard isText else { throw SocketViolation(code: 1007, text: "a text message is not UTF-8") }
      current.missing -= count
      let turned = UInt32(count % 4 * 8)
      current.mask = turned == 0 ? current.mask : current.mask >> turned | current.mask << (32 - turned)
      frame = current
    }
    return current.missing == 0
  }

  private static func unmask(_ bytes: UnsafeMutableRawBufferPointer, _ mask: UInt32) {
    let wide = (UInt64(mask) << 32 | UInt64(mask)).littleEndian
    var i = 0
    while i + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      bytes.storeBytes(of: word ^ wide, toByteOffset: i, as: UInt64.self)
      i += 8
    }
    while i < bytes.count {
      bytes[i] ^= UInt8(truncatingIfNeeded: mask >> UInt32(i % 4 * 8))
      i += 1
    }
  }

  private func control(_ frame: Frame, _ payload: [UInt8]) throws(SocketViolation) -> Event {
    var payload = payload
    payload.withUnsafeMutableBytes { Self.unmask($0, frame.mask) }
    switch frame.opcode {
    case .ping: return .ping(payload)
    case .close: return .close(code: try Self.closeCode(payload))
    default: return .pong
    }
  }

  /// Returns the code of a close frame. Codes that may be sent are those of RFC 6455 §7.4 and its registry, and
  /// 3000–4999.
  private static func closeCode(_ payload: [UInt8]) throws(SocketViolation) -> UInt16? {
    guard !payload.isEmpty else { return nil }
    guard payload.count >= 2 else { throw SocketViolation(code: 1002, text: "a close frame with an incomplete code") }
    let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: break
    default: throw SocketViolation(code: 1002, text: "the close code \(code)")
    }
    var validator = UTF8Validator()
    let isText = payload.withUnsafeBytes { validator.accept(UnsafeRawBufferPointer(rebasing: $0[2...])) }
    guard isText, validator.isComplete else {
      throw SocketViolation(code: 1007, text: "a close reason is not UTF-8")
    }
    return code
  }
}
