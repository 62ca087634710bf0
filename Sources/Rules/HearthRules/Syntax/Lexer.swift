/// A lexer that splits an expression's text into tokens, like JavaScript.
struct Lexer {
  let bytes: [UInt8]
  private(set) var offset = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  func byte(ahead distance: Int) -> UInt8? {
    offset + distance < bytes.count ? bytes[offset + distance] : nil
  }

  mutating func advance(_ count: Int = 1) { offset += count }

  mutating func next() throws(ExpressionProblem) -> Token {
    try skipBlank()
    let start = offset
    let form = try form()
    return Token(form: form, range: start..<offset)
  }

  private mutating func form() throws(ExpressionProblem) -> Token.Form {
    guard let byte = peek else { return .end }
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    case UInt8(ascii: ".") where self.byte(ahead: 1).map(Self.isDigit) == true: return .number(try number())
    case UInt8(ascii: "'"), UInt8(ascii: "\""): return .string(try string())
    default: break
    }
    if let identifier = identifier() { return .identifier(identifier) }
    if let mark = mark() { return .mark(mark) }
    throw ExpressionProblem("illegal character", at: offset)
  }

  /// Reads the longest mark at the current position; nil when there is none.
  private mutating func mark() -> Mark? {
    for length in stride(from: 4, through: 1, by: -1) where offset + length <= bytes.count {
      let slice = bytes[offset..<offset + length]
      guard slice.allSatisfy({ $0 < 0x80 }), let mark = Mark(rawValue: String(decoding: slice, as: UTF8.self)) else {
        continue
      }
      offset += length
      return mark
    }
    return nil
  }

  private mutating func identifier() -> String? {
    let start = offset
    while let (scalar, length) = scalar(at: offset), Self.isIdentifier(scalar, isFirst: offset == start) {
      offset += length
    }
    return offset > start ? String(decoding: bytes[start..<offset], as: UTF8.self) : nil
  }

  static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isIdentifier(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "_", "$": true
    case "0"..."9": !isFirst
    case _ where scalar.value < 0x80: false
    default: isFirst ? scalar.properties.isXIDStart : scalar.properties.isXIDContinue
    }
  }

  /// True when the next character is a letter, a digit, `_` or `$`.
  var isAtIdentifier: Bool {
    guard let (scalar, _) = scalar(at: offset) else { return false }
    return Self.isIdentifier(scalar, isFirst: false)
  }

  /// Returns the scalar that begins at a byte, and its length. The bytes come from a `String`, so they are valid UTF-8.
  func scalar(at offset: Int) -> (Unicode.Scalar, Int)? {
    guard offset < bytes.count else { return nil }
    let byte = bytes[offset]
    if byte < 0x80 { return (Unicode.Scalar(byte), 1) }
    let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
    let slice = bytes[offset..<min(offset + length, bytes.count)]
    guard let scalar = String(decoding: slice, as: UTF8.self).unicodeScalars.first else { return nil }
    return (scalar, length)
  }

  // MARK: White space

  private mutating func skipBlank() throws(ExpressionProblem) {
    while let (scalar, length) = scalar(at: offset) {
      switch scalar {
      case " ", "\t", "\n", "\r", "\u{B}", "\u{C}", "\u{FEFF}", "\u{2028}", "\u{2029}": offset += length
      case _ where scalar.value >= 0x80 && scalar.properties.generalCategory == .spaceSeparator: offset += length
      case "/" where byte(ahead: 1) == UInt8(ascii: "/"):
        while let byte = peek, byte != 0x0A, byte != 0x0D { offset += 1 }
      case "/" where byte(ahead: 1) == UInt8(ascii: "*"): try skipBlockComment()
      default: return
      }
    }
  }

  private mutating func skipBlockComment() throws(ExpressionProblem) {
    let start = offset
    offset += 2
    while let byte = peek {
      if byte == UInt8(ascii: "*"), self.byte(ahead: 1) == UInt8(ascii: "/") {
        offset += 2
        return
      }
      offset += 1
    }
    throw ExpressionProblem("unterminated comment", at: start)
  }

  // MARK: Regular expressions

  /// Reads a regular expression whose first `/` is at `start`. Only the parser knows where a regular expression is
  /// allowed.
  mutating func regularExpression(at start: Int) throws(ExpressionProblem) -> (body: String, flags: String) {
    offset = start + 1
    var isInClass = false
    scan: while true {
      guard let byte = peek, byte != 0x0A, byte != 0x0D else {
        throw ExpressionProblem(
          "unterminated regular expression literal",
          help: "Add the closing /; a / inside [ ] does not close it.",
          at: start)
      }
      switch byte {
      case UInt8(ascii: "\\"): offset += 1
      case UInt8(ascii: "["): isInClass = true
      case UInt8(ascii: "]"): isInClass = false
      case UInt8(ascii: "/") where !isInClass: break scan
      default: break
      }
      offset += 1
    }
    let body = String(decoding: bytes[start + 1..<offset], as: UTF8.self)
    offset += 1
    return (body, identifier() ?? "")
  }
}
