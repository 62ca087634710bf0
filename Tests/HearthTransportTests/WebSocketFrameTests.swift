import NIOCore
import ServerTestKit
import Testing

@testable import HearthTransport

@Suite struct WebSocketFrameTests {
  /// Returns a parser's results for bytes in pieces of this size.
  static func read(_ bytes: [UInt8], piece: Int = .max, messageBytesMax: Int = 1 << 20) -> [String] {
    var parser = FrameParser(messageBytesMax: messageBytesMax)
    var (input, result, rest) = (ByteBuffer(), [String](), bytes[...])
    do throws(SocketViolation) {
      while !rest.isEmpty {
        input.writeBytes(rest.prefix(piece))
        rest = rest.dropFirst(piece)
        while let event = try parser.next(&input) {
          switch event {
          case .text: result.append("text \(String(decoding: parser.message, as: UTF8.self))")
          case .ping(let payload): result.append("ping \(String(decoding: payload, as: UTF8.self))")
          case .pong: result.append("pong")
          case .unfinished: break
          case .close(let code): result.append("close \(code.map { "\($0)" } ?? "-")")
          }
        }
        parser.release()
      }
    } catch {
      result.append("violation \(error.code)")
    }
    return result
  }

  @Test func `the example of RFC 6455 is parsed as a text`() {
    let example: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
    #expect(Self.read(example) == ["text Hello"])
  }

  @Test func `frames are the same however their bytes are divided`() {
    let long = String(repeating: "é🐵x", count: 40)
    let bytes =
      ClientFrame.text("one") + ClientFrame.text("t", isFinal: false) + ClientFrame.ping([1, 2])
      + ClientFrame.continuation("w", isFinal: false) + ClientFrame.continuation("", isFinal: false)
      + ClientFrame.pong() + ClientFrame.continuation("o") + ClientFrame.text("") + ClientFrame.text(long)
      + ClientFrame.close(code: 1001, reason: "bye")
    let expected = ["text one", "ping \u{1}\u{2}", "pong", "text two", "text ", "text \(long)", "close 1001"]
    for piece in Array(1...20) + [bytes.count] { #expect(Self.read(bytes, piece: piece) == expected, "\(piece)") }
  }

  @Test func `a character may be divided between frames`() {
    let monkey = Array("🐵".utf8)
    let bytes =
      ClientFrame.bytes(first: 0x01, Array(monkey[..<1])) + ClientFrame.bytes(first: 0x00, Array(monkey[1..<3]))
      + ClientFrame.bytes(first: 0x80, Array(monkey[3...]))
    #expect(Self.read(bytes) == ["text 🐵"])
  }

  @Test func `lengths at the limits of their three encodings are parsed`() {
    for length in [0, 1, 125, 126, 127, 65_535, 65_536, 70_000] {
      let text = String(repeating: "x", count: length)
      #expect(Self.read(ClientFrame.text(text)) == ["text \(text)"])
      #expect(Self.read(ClientFrame.text(text), piece: 1000) == ["text \(text)"])
    }
  }

  @Test(arguments: [
    ("not masked", ClientFrame.bytes(first: 0x81, [1], isMasked: false), 1002),
    ("reserved bit 1", ClientFrame.bytes(first: 0xC1, []), 1002),
    ("reserved bit 2", ClientFrame.bytes(first: 0xA1, []), 1002),
    ("reserved bit 3", ClientFrame.bytes(first: 0x91, []), 1002),
    ("reserved data opcode", ClientFrame.bytes(first: 0x83, []), 1002),
    ("reserved control opcode", ClientFrame.bytes(first: 0x8B, []), 1002),
    ("binary", ClientFrame.bytes(first: 0x82, [1]), 1003),
    ("fragmented ping", ClientFrame.bytes(first: 0x09, []), 1002),
    ("fragmented close", ClientFrame.bytes(first: 0x08, []), 1002),
    ("long ping", ClientFrame.bytes(first: 0x89, Array(repeating: 1, count: 126)), 1002),
    ("continuation of nothing", ClientFrame.continuation("x"), 1002),
    ("text in a text", ClientFrame.text("x", isFinal: false) + ClientFrame.text("y"), 1002),
    ("16-bit length that fits 7", [0x81, 0xFE, 0, 125], 1002),
    ("64-bit length that fits 16", [0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 1002),
    ("64-bit length with a sign", [0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0], 1002),
    ("largest length", [0x81, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], 1009),
    ("half a close code", ClientFrame.bytes(first: 0x88, [3]), 1002),
    ("close code 999", ClientFrame.close(code: 999), 1002),
    ("close code 1005", ClientFrame.close(code: 1005), 1002),
    ("close code 1006", ClientFrame.close(code: 1006), 1002),
    ("close code 1015", ClientFrame.close(code: 1015), 1002),
    ("close code 2999", ClientFrame.close(code: 2999), 1002),
    ("close code 5000", ClientFrame.close(code: 5000), 1002),
    ("close reason not UTF-8", ClientFrame.bytes(first: 0x88, [3, 0xE8, 0xFF]), 1007),
    ("not UTF-8", ClientFrame.bytes(first: 0x81, [0xC0, 0x80]), 1007),
    ("surrogate", ClientFrame.bytes(first: 0x81, [0xED, 0xA0, 0x80]), 1007),
    ("end inside a character", ClientFrame.bytes(first: 0x81, [0xF0, 0x9F]), 1007),
    ("not UTF-8, unfinished", Array(ClientFrame.bytes(first: 0x81, [0xFF, 0x20, 0x20]).prefix(7)), 1007),
  ])
  func `protocol violations close the socket`(name: String, bytes: [UInt8], code: Int) {
    #expect(Self.read(bytes) == ["violation \(code)"], "\(name)")
    #expect(Self.read(bytes, piece: 1) == ["violation \(code)"], "\(name)")
    #expect(Self.read(ClientFrame.text("first") + bytes) == ["text first", "violation \(code)"], "\(name)")
  }

  @Test func `the valid close codes of clients are accepted`() {
    #expect(Self.read(ClientFrame.close()) == ["close -"])
    for code in [1000, 1001, 1003, 1007, 1011, 1014, 3000, 4999] {
      #expect(Self.read(ClientFrame.close(code: UInt16(code), reason: "ü")) == ["close \(code)"])
    }
  }

  @Test func `a message at the limit is accepted, and a longer one refused, in one frame or in many`() {
    func text(_ count: Int) -> String { String(repeating: "x", count: count) }
    #expect(Self.read(ClientFrame.text(text(100)), messageBytesMax: 100) == ["text \(text(100))"])
    #expect(Self.read(ClientFrame.text(text(101)), messageBytesMax: 100) == ["violation 1009"])
    let many = ClientFrame.text(text(60), isFinal: false) + ClientFrame.continuation(text(40))
    #expect(Self.read(many + many, messageBytesMax: 100) == ["text \(text(100))", "text \(text(100))"])
    let more = ClientFrame.text(text(60), isFinal: false) + ClientFrame.continuation(text(41))
    #expect(Self.read(more, messageBytesMax: 100) == ["violation 1009"])
  }

  @Test func `a frame that is announced and not sent occupies no memory`() throws {
    var parser = FrameParser(messageBytesMax: 1 << 30)
    var input = ByteBuffer(bytes: [0x81, 0xFF, 0, 0, 0, 0, 0x3F, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4])
    #expect(try parser.next(&input) == nil)
    #expect(parser.isInsideMessage)
    #expect(parser.message.capacity == 0)
  }

  @Test func `frames are encoded in the shortest form`() {
    for length in [0, 125, 126, 65_535, 65_536] {
      let text = [UInt8](repeating: 0x78, count: length)
      var bytes = Array(OutboundMessage(text: text).frame.readableBytesView)
      #expect(bytes.count - length == (length < 126 ? 2 : length < 65_536 ? 4 : 10))
      #expect(ServerFrame.take(from: &bytes) == [ServerFrame(opcode: 1, payload: text)])
      #expect(bytes.isEmpty)
    }
  }

  @Test func `a close reason is truncated between characters`() {
    let frame = FrameWriter.close(code: 1002, reason: String(repeating: "🐵", count: 40))
    #expect(frame.readableBytes == 2 + 2 + 120)
    #expect(FrameWriter.control(.pong, payload: [UInt8](repeating: 1, count: 200)).readableBytes == 127)
  }

  @Test func `several texts are consecutive frames`() {
    let text = Array("abcdefgh".utf8)
    var bytes = text.withUnsafeBytes {
      Array(OutboundMessage.frames(Array("2".utf8), then: [0..<5, 5..<8], of: $0).readableBytesView)
    }
    #expect(ServerFrame.take(from: &bytes) == [.text("2"), .text("abcde"), .text("fgh")])
    #expect(bytes.isEmpty)
  }
}
