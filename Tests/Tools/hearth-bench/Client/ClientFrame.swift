/// WebSocket frames of a client. The masking key is zero, which costs the client nothing, and the server as much as any
/// key.
enum ClientFrame {
  static func text(_ text: String) -> [UInt8] {
    let payload = text.utf8
    var frame: [UInt8] = [0x81]
    switch payload.count {
    case ..<126: frame.append(0x80 | UInt8(payload.count))
    case ...0xFFFF:
      frame.append(0xFE)
      frame += [UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default:
      frame.append(0xFF)
      for shift in stride(from: 56, through: 0, by: -8) { frame.append(UInt8(payload.count >> shift & 0xFF)) }
    }
    frame += [0, 0, 0, 0]
    frame += payload
    return frame
  }
}
