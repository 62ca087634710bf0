extension Attack {
  /// Attacks with frames, and messages made of them, that are many, invalid, or both.
  static let frames = [
    Attack(name: "keep-alive messages of one byte", load: .frames { _ in keepAlives }),
    Attack(name: "messages in frames of one byte", load: .frames { _ in fragments }),
    Attack(name: "messages in segments of one byte", load: .frames { _ in segments }),
    Attack(name: "pings", load: .frames { _ in pings }),
    Attack(name: "requests with an unknown action", load: .frames { _ in unknownActions }),
    Attack(name: "JSON of 10,000 levels", load: .frames { _ in nested }),
    Attack(name: "JSON that cannot be read", load: .frames { _ in unreadable }),
    Attack(
      name: "frames without a mask",
      load: .frames { _ in Array(repeating: [0x81, 1, 0x30], count: 1_000).flatMap(\.self) }),
  ]

  /// A message whose only answer is a pong, padded with spaces.
  private static let ping = "{\"t\":\"c\",\"d\":{\"t\":\"p\",\"d\":{}}}" + String(repeating: " ", count: 4_000)

  private static let keepAlives = Array(repeating: ClientFrame.text("0"), count: 4_000).flatMap(\.self)

  private static let fragments: [UInt8] = {
    let bytes = Array(ping.utf8)
    return bytes.indices.flatMap { index -> [UInt8] in
      let head: UInt8 = (index == bytes.count - 1 ? 0x80 : 0) | (index == 0 ? 1 : 0)
      return [head, 0x81, 0, 0, 0, 0, bytes[index]]
    }
  }()

  private static let segments: [UInt8] = {
    let parts = ping.utf8.map { ClientFrame.text(String(decoding: [$0], as: UTF8.self)) }
    return ClientFrame.text(String(parts.count)) + parts.flatMap(\.self)
  }()

  private static let pings = Array(
    repeating: [0x89, 0x80 | 125, 0, 0, 0, 0] + [UInt8](repeating: 0x78, count: 125), count: 200
  ).flatMap(\.self)

  private static let unknownActions = Array(
    repeating: ClientFrame.text("{\"t\":\"d\",\"d\":{\"r\":1,\"a\":\"zz\",\"b\":{}}}"), count: 400
  ).flatMap(\.self)

  private static let nested = message(
    "{\"t\":\"d\",\"d\":{\"r\":1,\"a\":\"p\",\"b\":{\"p\":\"/own/x\",\"d\":"
      + String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000) + "}}}")

  private static let unreadable = message(
    "{\"t\":\"d\",\"d\":{\"r\":1,\"a\":\"p\",\"b\":{\"p\":\"/own/x\",\"d\":tru}}}")

  private static func message(_ text: String) -> [UInt8] { ClientFrame.text(text) }
}
