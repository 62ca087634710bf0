import HearthBytes
import HearthCrypto
import HearthWire

/// A piece of a client's message, as it is sent in a URL.
struct PollPiece: Sendable, Equatable {
  /// The number of the piece in its session, from 0.
  var number: Int
  /// The number of pieces that its message has.
  var count: Int
  /// A part of the message's text in Base64.
  var text: [UInt8]
}

/// An assembler of one session's messages from pieces, which may come in any order and repeatedly: two requests are
/// under way at a time, and browsers repeat a request whose connection broke.
///
/// The text is Base64 of the message's UTF-8 bytes with `-` and `_`, and `.` as padding.
struct PollPieces {
  private let limits: PollLimits
  private let messageBytesMax: Int
  private var next = 0
  /// The pieces that arrived before a missing one.
  private var ahead: [Int: PollPiece] = [:]
  private var message: [UInt8] = []
  private var count = 0
  private var missing = 0
  /// The bytes of pieces that wait for the rest of their message.
  private(set) var sizeBytes = 0

  init(limits: PollLimits = .standard, messageBytesMax: Int = WireLimits.standard.messageBytesMax) {
    self.limits = limits
    self.messageBytesMax = messageBytesMax
  }

  /// Takes the pieces of a request.
  ///
  /// - Returns: the messages that they complete, in order.
  mutating func receive(_ pieces: [PollPiece]) throws(WireError) -> [[UInt8]] {
    for piece in pieces where piece.number >= next && ahead[piece.number] == nil {
      guard piece.number - next < limits.piecesAheadMax else {
        throw WireError(.tooManySegments, "a segment is too far ahead of a missing one")
      }
      guard sizeBytes + piece.text.count <= textBytesMax else { throw tooLong() }
      ahead[piece.number] = piece
      sizeBytes += piece.text.count
    }
    var messages: [[UInt8]] = []
    while let piece = ahead.removeValue(forKey: next) {
      next += 1
      if let message = try take(piece) { messages.append(message) }
    }
    return messages
  }

  private mutating func take(_ piece: PollPiece) throws(WireError) -> [UInt8]? {
    if missing == 0 {
      guard (1...limits.piecesMax).contains(piece.count) else {
        throw WireError(.tooManySegments, "a message has \(piece.count) segments")
      }
      (count, missing) = (piece.count, piece.count)
    }
    guard piece.count == count else { throw WireError(.malformed, "segments of one message disagree on their count") }
    message += piece.text
    missing -= 1
    guard missing == 0 else { return nil }
    let text = message
    sizeBytes -= text.count
    message = []
    let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: ".") }.count
    guard let bytes = Base64URL.decode(text.dropLast(padding)) else {
      throw WireError(.malformed, "a message is not Base64")
    }
    guard bytes.count <= messageBytesMax else { throw tooLong() }
    return bytes
  }

  /// The maximum length of a message's Base64 text: four letters carry three bytes.
  private var textBytesMax: Int { messageBytesMax / 3 * 4 + 4 }

  private func tooLong() -> WireError { WireError(.tooLong, "a message has more than \(messageBytesMax) bytes") }
}
