/// WebSocket frames of a client, valid or invalid.
package enum ClientFrame {
  package static let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

  /// Returns a frame with any bits. `first` is the first byte: FIN, reserved bits and opcode.
  package static func bytes(first: UInt8, _ payload: [UInt8], isMasked: Bool = true, mask: [UInt8] = mask) -> [UInt8] {
    var bytes = [first]
    let masked: UInt8 = isMasked ? 0x80 : 0
    switch payload.count {
    case ...125: bytes.append(masked | UInt8(payload.count))
    case ...0xFFFF: bytes += [masked | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default:
      bytes.append(masked | 127)
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(payload.count >> shift & 0xFF)) }
    }
    guard isMasked else { return bytes + payload }
    bytes += mask
    for (i, byte) in payload.enumerated() { bytes.append(byte ^ mask[i % 4]) }
    return bytes
  }

  package static func text(_ text: String, isFinal: Bool = true) -> [UInt8] {
    bytes(first: (isFinal ? 0x80 : 0) | 0x1, Array(text.utf8))
  }

  package static func continuation(_ text: String, isFinal: Bool = true) -> [UInt8] {
    bytes(first: isFinal ? 0x80 : 0, Array(text.utf8))
  }

  package static func close(code: UInt16? = nil, reason: String = "") -> [UInt8] {
    bytes(first: 0x88, code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] + Array(reason.utf8) } ?? [])
  }

  package static func ping(_ payload: [UInt8] = []) -> [UInt8] { bytes(first: 0x89, payload) }
  package static func pong() -> [UInt8] { bytes(first: 0x8A, []) }

  /// The example request of RFC 6455, to `/.ws`.
  package static func handshake(_ more: String = "") -> [UInt8] {
    Array(
      """
      GET /.ws?v=5&ns=chat HTTP/1.1\r
      Host: localhost:9000\r
      Upgrade: websocket\r
      Connection: Upgrade\r
      Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
      Sec-WebSocket-Version: 13\r
      \(more)\r

      """.utf8)
  }
}

/// A parsed frame of the server.
package struct ServerFrame: Equatable, CustomStringConvertible {
  package var opcode: UInt8
  package var payload: [UInt8]

  package init(opcode: UInt8, payload: [UInt8]) {
    self.opcode = opcode
    self.payload = payload
  }

  package static func text(_ text: String) -> ServerFrame { ServerFrame(opcode: 1, payload: Array(text.utf8)) }
  package static func close(_ code: UInt16) -> ServerFrame {
    ServerFrame(opcode: 8, payload: [UInt8(code >> 8), UInt8(code & 0xFF)])
  }
  package static func pong(_ payload: [UInt8] = []) -> ServerFrame { ServerFrame(opcode: 10, payload: payload) }
  package static let ping = ServerFrame(opcode: 9, payload: [])

  /// The status code of a close frame.
  package var closeCode: UInt16? {
    opcode == 8 && payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : nil
  }

  package var description: String { "\(opcode): \(String(decoding: payload, as: UTF8.self))" }

  /// Removes and returns all complete frames at the start of the bytes.
  package static func take(from bytes: inout [UInt8]) -> [ServerFrame] {
    var frames: [ServerFrame] = []
    while let (frame, size) = first(in: bytes) {
      frames.append(frame)
      bytes.removeFirst(size)
    }
    return frames
  }

  private static func first(in bytes: [UInt8]) -> (ServerFrame, Int)? {
    guard bytes.count >= 2 else { return nil }
    var (start, length) = (2, Int(bytes[1]))
    if length >= 126 {
      let size = length == 126 ? 2 : 8
      guard bytes.count >= 2 + size else { return nil }
      length = bytes[2..<2 + size].reduce(0) { $0 << 8 | Int($1) }
      start += size
    }
    guard length >= 0, bytes.count - start >= length else { return nil }
    return (ServerFrame(opcode: bytes[0] & 0x0F, payload: Array(bytes[start..<start + length])), start + length)
  }
}
