/// A reader of JSON text that arrives in pieces, which returns one token after another. It keeps the text that was not
/// discarded in memory.
///
///     var stream = JSONStream()
///     stream.append(piece)
///     while let token = try stream.next() { … }      // nil: append more, or call finish()
///     stream.discard(before: offset)
///
/// Offsets count from the first byte of the whole text.
public struct JSONStream: Sendable {
  /// A token and its range in the text.
  public struct Token: Sendable, Equatable {
    /// The kind of a token.
    public enum Kind: Sendable, Equatable {
      /// A bracket.
      case beginObject, endObject, beginArray, endArray
      /// A member's name, including its quotes.
      case name
      /// A value that is not a container.
      case string, number, bool, null
    }

    /// The token's kind.
    public var kind: Kind
    /// The offset of its first byte.
    public var start: Int
    /// The offset after its last byte.
    public var end: Int
    /// The size in bytes of a name or string once its escapes are resolved.
    var size = 0
  }

  /// The tokens that may come next.
  private enum Expectation {
    case value
    case firstValue
    case name
    case firstName
    case colon
    case comma
    case end
  }

  private let limits: JSONLimits
  private var bytes: [UInt8] = []
  /// The offset of the first of ``bytes``.
  private var origin = 0
  private var position = 0
  /// The number of bytes at the front of ``bytes`` that were discarded.
  private var unneeded = 0
  private var expectation = Expectation.value
  /// The containers open at the cursor: true for an object.
  private var containers: [Bool] = []
  private var isFinished = false
  private var lines = JSONLineCount()

  /// Creates a stream at the beginning of a text.
  public init(limits: JSONLimits = .standard) { self.limits = limits }

  /// True when the whole text was read, and was one value.
  public var isAtEnd: Bool { isFinished && expectation == .end && position == bytes.count }

  /// The offset of the next byte to read.
  public var offset: Int { origin + position }

  /// Appends the next bytes of the text.
  public mutating func append(_ piece: some Collection<UInt8>) {
    if unneeded > bytes.count / 2 {
      lines.count(bytes[..<unneeded])
      bytes.removeFirst(unneeded)
      origin += unneeded
      position -= unneeded
      unneeded = 0
    }
    bytes.append(contentsOf: piece)
  }

  /// Marks the text as complete.
  public mutating func finish() { isFinished = true }

  /// Discards the text before the offset.
  public mutating func discard(before offset: Int) { unneeded = max(unneeded, min(offset - origin, position)) }

  /// Returns the bytes between two offsets, which must have been read and not discarded.
  public func text(_ start: Int, _ end: Int) -> ArraySlice<UInt8> { bytes[start - origin..<end - origin] }

  /// Returns the line and column of the offset or, when it was discarded, of the first byte that was not; both count
  /// from 1, the column in bytes.
  public func place(of offset: Int) -> (line: Int, column: Int) {
    var lines = lines
    lines.count(bytes[..<max(0, min(offset - origin, bytes.count))])
    return (lines.line, max(1, offset - lines.lineStart + 1))
  }

  /// Returns the next token; nil when more bytes are needed, and at the end.
  public mutating func next() throws(JSONError) -> Token? {
    while true {
      while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
      guard position < bytes.count else {
        if isFinished, expectation != .end {
          throw JSONError(.unexpectedEnd, "Unexpected end of the JSON", at: offset)
        }
        return nil
      }
      let byte = bytes[position]
      switch expectation {
      case .colon:
        guard byte == UInt8(ascii: ":") else { throw unexpected("a colon") }
        position += 1
        expectation = .value
      case .comma:
        let isObject = containers.last ?? false
        if byte == UInt8(ascii: ",") {
          position += 1
          expectation = isObject ? .name : .value
        } else {
          guard byte == UInt8(ascii: isObject ? "}" : "]") else {
            throw unexpected(isObject ? "a comma or the object's end" : "a comma or the array's end")
          }
          return close()
        }
      case .firstName where byte == UInt8(ascii: "}"), .firstValue where byte == UInt8(ascii: "]"): return close()
      case .firstName, .name:
        guard byte == UInt8(ascii: "\"") else { throw unexpected("a member name") }
        return try scalar(.name, then: .colon) { (reader) throws(JSONError) in try reader.stringSpan().size }
      case .firstValue, .value: return try value(byte)
      case .end: throw JSONError(.trailingBytes, "Unexpected content after the value", at: offset)
      }
    }
  }

  private mutating func value(_ byte: UInt8) throws(JSONError) -> Token? {
    let next = containers.isEmpty ? Expectation.end : .comma
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard containers.count < limits.nestingMax else {
        throw JSONError(.tooDeep, "More than \(limits.nestingMax) nested containers", at: offset)
      }
      let isObject = byte == UInt8(ascii: "{")
      containers.append(isObject)
      expectation = isObject ? .firstName : .firstValue
      position += 1
      return Token(kind: isObject ? .beginObject : .beginArray, start: offset - 1, end: offset)
    case UInt8(ascii: "\""):
      return try scalar(.string, then: next) { (reader) throws(JSONError) in try reader.stringSpan().size }
    case UInt8(ascii: "t"), UInt8(ascii: "f"):
      return try scalar(.bool, then: next) { (reader) throws(JSONError) in
        _ = try reader.bool()
        return 0
      }
    case UInt8(ascii: "n"):
      return try scalar(.null, then: next) { (reader) throws(JSONError) in
        try reader.literal("null")
        return 0
      }
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return try scalar(.number, then: next) { (reader) throws(JSONError) in
        _ = try reader.number()
        return 0
      }
    default: throw unexpected("a value")
    }
  }

  /// Reads a token that may be incomplete. An error near the end of the bytes may only mean that more bytes are needed.
  private mutating func scalar(
    _ kind: Token.Kind, then next: Expectation, _ read: (inout JSONReader) throws(JSONError) -> Int
  ) throws(JSONError) -> Token? {
    let (start, limits) = (position, limits)
    let outcome = bytes.withUnsafeBytes { bytes -> Result<(end: Int, size: Int), JSONError> in
      var reader = JSONReader(bytes, limits: limits)
      reader.offset = start
      do throws(JSONError) {
        let size = try read(&reader)
        return .success((reader.offset, size))
      } catch {
        return .failure(error)
      }
    }
    switch outcome {
    case .success(let read):
      // The end of a number is only known when another token begins.
      if kind == .number, read.end == bytes.count, !isFinished { return try more(from: start) }
      position = read.end
      expectation = next
      return Token(kind: kind, start: origin + start, end: origin + read.end, size: read.size)
    case .failure(var error):
      let mayBeCut = error.code == .unexpectedEnd || error.offset + Self.longestEscape > bytes.count
      if mayBeCut, !isFinished { return try more(from: start) }
      error.offset += origin
      throw error
    }
  }

  /// The number of bytes of `\uD83D\uDE00`.
  private static let longestEscape = 12

  private func more(from start: Int) throws(JSONError) -> Token? {
    guard (bytes.count - start) / 6 <= limits.stringSizeBytesMax else {
      throw JSONError(
        .stringTooLong, "A string has more than \(limits.stringSizeBytesMax) bytes", at: origin + start)
    }
    return nil
  }

  private mutating func close() -> Token {
    let isObject = containers.removeLast()
    position += 1
    expectation = containers.isEmpty ? .end : .comma
    return Token(kind: isObject ? .endObject : .endArray, start: offset - 1, end: offset)
  }

  private func unexpected(_ expected: StaticString) -> JSONError {
    JSONError(.unexpectedByte, "Expected \(expected)", at: offset)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}

/// The number of lines in the text so far.
private struct JSONLineCount: Sendable {
  var line = 1
  /// The offset of the first byte of the line.
  var lineStart = 0
  private var offset = 0

  mutating func count(_ bytes: ArraySlice<UInt8>) {
    for byte in bytes {
      offset += 1
      if byte == 0x0A { (line, lineStart) = (line + 1, offset) }
    }
  }
}
