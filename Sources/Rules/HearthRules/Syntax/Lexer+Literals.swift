extension Lexer {
  // MARK: Numbers

  /// Reads a number: decimal with fraction and exponent, or hexadecimal.
  mutating func number() throws(ExpressionProblem) -> Double {
    let start = offset
    let value = isHexadecimal ? try hexadecimal() : try decimal()
    if isAtIdentifier { throw ExpressionProblem("missing ; before statement", at: offset) }
    guard let value else { throw ExpressionProblem("number format error", at: start) }
    return value
  }

  private var isHexadecimal: Bool {
    peek == UInt8(ascii: "0") && (byte(ahead: 1) == UInt8(ascii: "x") || byte(ahead: 1) == UInt8(ascii: "X"))
  }

  private mutating func hexadecimal() throws(ExpressionProblem) -> Double? {
    advance(2)
    var value: Double?
    while let byte = peek, let digit = Self.hexDigit(byte) {
      value = (value ?? 0) * 16 + Double(digit)
      advance()
    }
    return value
  }

  private mutating func decimal() throws(ExpressionProblem) -> Double? {
    let start = offset
    var text = digits()
    // Numbers with a leading zero are ambiguous: JavaScript reads them as octal, but people as decimal.
    if text.count > 1, text.first == "0" { throw ExpressionProblem("number format error", at: start) }
    if peek == UInt8(ascii: ".") {
      advance()
      text += "." + digits()
    }
    if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
      advance()
      var exponent = "e"
      if let sign = peek, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        exponent += sign == UInt8(ascii: "-") ? "-" : ""
        advance()
      }
      let digits = digits()
      guard !digits.isEmpty else { throw ExpressionProblem("missing exponent", at: start) }
      text += exponent + digits
    }
    return Double(text.hasPrefix(".") ? "0" + text : text.replacingTrailingPoint)
  }

  private mutating func digits() -> String {
    let start = offset
    while let byte = peek, Self.isDigit(byte) { advance() }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  // MARK: Strings

  mutating func string() throws(ExpressionProblem) -> String {
    let (start, quote) = (offset, bytes[offset])
    advance()
    var value: [UInt8] = []
    while true {
      guard let byte = peek, byte != 0x0A, byte != 0x0D else {
        throw ExpressionProblem("unterminated string literal", help: "Add the closing quote.", at: start)
      }
      advance()
      if byte == quote { return String(decoding: value, as: UTF8.self) }
      if byte == UInt8(ascii: "\\") { try escape(into: &value) } else { value.append(byte) }
    }
  }

  /// Reads the rest of an escape, after the backslash.
  private mutating func escape(into value: inout [UInt8]) throws(ExpressionProblem) {
    let start = offset - 1
    guard let byte = peek else { return }
    switch byte {
    case UInt8(ascii: "n"): value.append(0x0A)
    case UInt8(ascii: "t"): value.append(0x09)
    case UInt8(ascii: "r"): value.append(0x0D)
    case UInt8(ascii: "b"): value.append(0x08)
    case UInt8(ascii: "f"): value.append(0x0C)
    case UInt8(ascii: "v"): value.append(0x0B)
    case 0x0A: break  // a line continuation
    case 0x0D: if self.byte(ahead: 1) == 0x0A { advance() }
    case UInt8(ascii: "x"):
      advance()
      value.append(contentsOf: String(Unicode.Scalar(UInt8(truncatingIfNeeded: try hexUnit(2, start)))).utf8)
      return
    case UInt8(ascii: "u"):
      advance()
      value.append(contentsOf: String(try unicodeEscape(start)).utf8)
      return
    case UInt8(ascii: "0") where self.byte(ahead: 1).map(Self.isDigit) != true: value.append(0)
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      throw ExpressionProblem("octal escapes are not supported", help: "Write \\x41 or \\u0041.", at: start)
    default: value.append(byte)
    }
    advance()
  }

  private mutating func unicodeEscape(_ start: Int) throws(ExpressionProblem) -> Unicode.Scalar {
    let high = try hexUnit(4, start)
    if let scalar = Unicode.Scalar(high) { return scalar }
    if high < 0xDC00, peek == UInt8(ascii: "\\"), byte(ahead: 1) == UInt8(ascii: "u") {
      advance(2)
      let low = try hexUnit(4, start)
      let code = 0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(low) & 0x3FF)
      if (0xDC00...0xDFFF).contains(low), let scalar = Unicode.Scalar(code) { return scalar }
    }
    throw ExpressionProblem("invalid Unicode escape: half of a surrogate pair", at: start)
  }

  private mutating func hexUnit(_ digits: Int, _ start: Int) throws(ExpressionProblem) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<digits {
      guard let byte = peek, let digit = Self.hexDigit(byte) else {
        throw ExpressionProblem("invalid escape: \(digits) hexadecimal digits expected", at: start)
      }
      unit = unit << 4 | UInt16(digit)
      advance()
    }
    return unit
  }
}

extension String {
  /// The text with `1.` replaced by `1`, and `1.e5` by `1e5`: JavaScript accepts both forms, `Double` does not.
  fileprivate var replacingTrailingPoint: String {
    guard let point = utf8.firstIndex(of: UInt8(ascii: ".")) else { return self }
    let next = utf8.index(after: point)
    if next < utf8.endIndex, Lexer.isDigit(utf8[next]) { return self }
    return String(self[..<point]) + String(self[next...])
  }
}
