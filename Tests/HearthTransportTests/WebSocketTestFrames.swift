import NIOCore

@testable import HearthTransport

/// What a client sends, right or wrong.
enum ClientFrame {
  static let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

  /// A frame with any bits. `first` is FIN, reserved bits and opcode.
  static func bytes(first: UInt8, _ payload: [UInt8], isMasked: Bool = true, mask: [UInt8] = mask) -> [UInt8] {
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

  static func text(_ text: String, isFinal: Bool = true) -> [UInt8] {
    bytes(first: (isFinal ? 0x80 : 0) | 0x1, Array(text.utf8))
  }

  static func continuation(_ text: String, isFinal: Bool = true) -> [UInt8] {
    bytes(first: isFinal ? 0x80 : 0, Array(text.utf8))
  }

  static func close(code: UInt16? = nil, reason: String = "") -> [UInt8] {
    bytes(first: 0x88, code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] + Array(reason.utf8) } ?? [])
  }

  static func ping(_ payload: [UInt8] = []) -> [UInt8] { bytes(first: 0x89, payload) }
  static func pong() -> [UInt8] { bytes(first: 0x8A, []) }

  /// The request of RFC 6455's example, to `/.ws`.
  static func handshake(_ more: String = "") -> [UInt8] {
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

/// A frame of the server, read back.
struct ServerFrame: Equatable, CustomStringConvertible {
  var opcode: UInt8
  var payload: [UInt8]

  static func text(_ text: String) -> ServerFrame { ServerFrame(opcode: 1, payload: Array(text.utf8)) }
  static func close(_ code: UInt16) -> ServerFrame {
    ServerFrame(opcode: 8, payload: [UInt8(code >> 8), UInt8(code & 0xFF)])
  }
  static func pong(_ payload: [UInt8] = []) -> ServerFrame { ServerFrame(opcode: 10, payload: payload) }
  static let ping = ServerFrame(opcode: 9, payload: [])

  /// The code of a close frame.
  var closeCode: UInt16? {
    opcode == 8 && payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : nil
  }

  var description: String { "\(opcode): \(String(decoding: payload, as: UTF8.self))" }

  /// All whole frames at the start of the bytes; what is left are the bytes behind them.
  static func take(from bytes: inout [UInt8]) -> [ServerFrame] {
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

/// Writes down what a socket tells it, and answers when it is told to.
final class RecordingDelegate: SocketDelegate {
  var events: [String] = []
  var messages: [String] = []
  var socket: Socket?
  var end: SocketEnd?
  var onOpen: ((Socket) -> Void)?
  var onMessage: ((String, Socket) -> Void)?

  func opened(_ socket: Socket) {
    events.append("opened")
    self.socket = socket
    onOpen?(socket)
  }

  func received(_ message: UnsafeRawBufferPointer, on socket: Socket) {
    let text = String(decoding: message, as: UTF8.self)
    messages.append(text)
    events.append("received \(text.count > 40 ? "\(text.utf8.count) bytes" : text)")
    onMessage?(text, socket)
  }

  func finishedReading(_ socket: Socket) { events.append("finished") }

  func closed(_ socket: Socket, _ end: SocketEnd) {
    events.append("closed")
    self.end = end
    self.socket = nil
  }
}
