import HearthTree
import NIOCore

@testable import HearthTransport
@testable import HearthWire

extension Parser {
  /// Parsers of messages on sockets, in both directions.
  static let clientParsers = [
    Parser(name: "message") { bytes in
      guard let message = try? ClientMessage.decode(bytes), case .request(let request) = message else { return }
      guard case .listen(let listen) = request.action, let wanted = listen.query else { return }
      _ = try? Query(wire: wanted)
      _ = CompoundHash(wire: wanted)
    },
    Parser(name: "answer") { bytes in _ = try? ReceivedMessage.decode(bytes) },
    Parser(name: "segments") { bytes in
      var assembler = SegmentAssembler()
      for text in bytes.split(separator: 0, omittingEmptySubsequences: false) {
        guard (try? assembler.receive(Array(text))) != nil else { return }
      }
    },
    Parser(name: "frames") { bytes in
      var parser = FrameParser(messageBytesMax: 4_096)
      var input = ByteBuffer()
      for piece in pieces(of: bytes) {
        input.writeBytes(piece)
        do {
          while let event = try parser.next(&input) {
            guard event == .text else { continue }
            let isText = String(validating: parser.message, as: UTF8.self) != nil
            try require(isText, "a text message that is no UTF-8")
            try require(parser.message.count <= 4_096, "a message that is longer than allowed")
          }
        } catch is SocketViolation {
          return
        }
      }
    },
  ]
}
