import NIOCore

/// A failure to decode bytes as a request or response of this version.
struct MalformedRelay: Error, Equatable, CustomStringConvertible {
  /// The fault, without the bytes themselves.
  var description: String
}

/// A writer of numbers, little-endian, and of texts and lists behind their lengths (4).
struct RelayWriter {
  private(set) var buffer = ByteBuffer()

  mutating func number<Number: FixedWidthInteger>(_ number: Number) {
    buffer.writeInteger(number, endianness: .little)
  }

  mutating func text(_ text: String) {
    number(UInt32(clamping: text.utf8.count))
    buffer.writeString(text)
  }

  mutating func body(_ body: ByteBuffer) {
    number(UInt32(clamping: body.readableBytes))
    buffer.writeImmutableBuffer(body)
  }

  mutating func headers(_ headers: [(name: String, value: String)]) {
    number(UInt32(clamping: headers.count))
    for (name, value) in headers {
      text(name)
      text(value)
    }
  }
}

/// A reader of the bytes of ``RelayWriter``, which never reads beyond the end.
struct RelayReader {
  private var buffer: ByteBuffer
  /// The remaining size for a target and headers.
  private var headBytesLeft = RelayLimits.headBytesMax

  /// - Throws: ``MalformedRelay`` for bytes over the size limit.
  init(_ bytes: [UInt8]) throws(MalformedRelay) {
    guard bytes.count <= RelayLimits.messageBytesMax else {
      throw MalformedRelay(description: "it has \(bytes.count) bytes")
    }
    buffer = ByteBuffer(bytes: bytes)
  }

  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(MalformedRelay) -> Number {
    guard let number = buffer.readInteger(endianness: .little, as: Number.self) else {
      throw MalformedRelay(description: "it ends within a number")
    }
    return number
  }

  mutating func body() throws(MalformedRelay) -> ByteBuffer {
    let count = Int(try number(UInt32.self))
    guard let slice = buffer.readSlice(length: count) else {
      throw MalformedRelay(description: "it ends within \(count) bytes")
    }
    return slice
  }

  /// Reads a text of a head; the limit is for all of them.
  mutating func headText() throws(MalformedRelay) -> String {
    let bytes = try body()
    headBytesLeft -= bytes.readableBytes
    guard headBytesLeft >= 0, let text = String(validating: bytes.readableBytesView, as: UTF8.self) else {
      throw MalformedRelay(description: "the head is too long, or not UTF-8")
    }
    return text
  }

  /// Reads a word of visible ASCII.
  mutating func name(bytesMin: Int = 1) throws(MalformedRelay) -> String {
    let bytes = try body()
    guard (bytesMin...RelayLimits.nameBytesMax).contains(bytes.readableBytes),
      bytes.readableBytesView.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw MalformedRelay(description: "a name has \(bytes.readableBytes) bytes, or is not visible ASCII") }
    return String(buffer: bytes)
  }

  mutating func headers() throws(MalformedRelay) -> [(name: String, value: String)] {
    let count = Int(try number(UInt32.self))
    guard count <= RelayLimits.headersMax else { throw MalformedRelay(description: "\(count) headers") }
    var headers: [(name: String, value: String)] = []
    for _ in 0..<count {
      let (name, value) = (try headText(), try headText())
      guard Self.isToken(name) else { throw MalformedRelay(description: "a header's name is not valid") }
      headers.append((name, value))
    }
    return headers
  }

  func end() throws(MalformedRelay) {
    guard buffer.readableBytes == 0 else {
      throw MalformedRelay(description: "\(buffer.readableBytes) bytes too many")
    }
  }

  /// Returns true when the text can be a header's name: visible ASCII without a colon. Other characters could begin
  /// another line.
  static func isToken(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") }
  }
}
