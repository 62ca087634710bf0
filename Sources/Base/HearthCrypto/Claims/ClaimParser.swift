/// The error for text that is not valid JSON by the rules for tokens.
public struct ClaimSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The fault, in words.
  public var reason: String
  /// The place of the fault, in bytes from the start.
  public var byteOffset: Int

  public var description: String { "\(reason) at byte \(byteOffset)" }
}

extension ClaimValue {
  /// Parses JSON strictly: one value, UTF-8 without byte order mark, no duplicate member names, no lone surrogates, no
  /// NUL in strings, at most `TokenLimits.depthMax` levels, numbers finite and integers within 64 bits.
  ///
  /// A forgery can exploit that two parsers read one text differently (for example, which of two duplicate members they
  /// use), so text on which parsers disagree is refused.
  public init(json bytes: some Sequence<UInt8>) throws(ClaimSyntaxError) {
    var parser = ClaimParser(bytes: Array(bytes))
    self = try parser.document()
  }

  /// Parses an account's custom attributes by the same rules, except that an integer beyond 64 bits is a double, as in
  /// JavaScript. Tokens with these attributes contain the double.
  public init(customAttributes text: String) throws(ClaimSyntaxError) {
    var parser = ClaimParser(bytes: Array(text.utf8))
    parser.takesLargeIntegers = true
    self = try parser.document()
  }

  /// Parses the UTF-8 of a text, by the rules for bytes.
  public init(json text: String) throws(ClaimSyntaxError) { try self.init(json: text.utf8) }
}

/// A recursive-descent parser with a depth limit, over a copy of the bytes (tokens are short).
struct ClaimParser {
  private let bytes: [UInt8]
  private var offset = 0
  var takesLargeIntegers = false

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func document() throws(ClaimSyntaxError) -> ClaimValue {
    let value = try self.value(depth: 0)
    skipSpace()
    guard offset == bytes.count else { throw failure("unexpected text after the value") }
    return value
  }

  private mutating func value(depth: Int) throws(ClaimSyntaxError) -> ClaimValue {
    skipSpace()
    switch peek {
    case UInt8(ascii: "{"): return try object(depth: depth + 1)
    case UInt8(ascii: "["): return try array(depth: depth + 1)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: return try number()
    }
  }

  private mutating func object(depth: Int) throws(ClaimSyntaxError) -> ClaimValue {
    guard depth <= TokenLimits.depthMax else { throw failure("nested too deep") }
    offset += 1
    var members: [ClaimValue.Member] = []
    // Compares names as bytes in a set: comparing all pairs is slow for a hostile object, and two Strings can be equal
    // without having the same bytes.
    var names: Set<[UInt8]> = []
    skipSpace()
    if take("}") { return .object(members) }
    while true {
      skipSpace()
      guard peek == UInt8(ascii: "\"") else { throw failure("member name expected") }
      let name = try string()
      guard names.insert(Array(name.utf8)).inserted else { throw failure("duplicate member name") }
      skipSpace()
      guard take(":") else { throw failure("':' expected") }
      members.append(ClaimValue.Member(name, try value(depth: depth)))
      skipSpace()
      if take("}") { return .object(members) }
      guard take(",") else { throw failure("',' or '}' expected") }
    }
  }

  private mutating func array(depth: Int) throws(ClaimSyntaxError) -> ClaimValue {
    guard depth <= TokenLimits.depthMax else { throw failure("nested too deep") }
    offset += 1
    var elements: [ClaimValue] = []
    skipSpace()
    if take("]") { return .array(elements) }
    while true {
      elements.append(try value(depth: depth))
      skipSpace()
      if take("]") { return .array(elements) }
      guard take(",") else { throw failure("',' or ']' expected") }
    }
  }

  private mutating func literal(_ text: String, _ value: ClaimValue) throws(ClaimSyntaxError) -> ClaimValue {
    guard bytes[offset...].starts(with: text.utf8) else { throw failure("value expected") }
    offset += text.utf8.count
    return value
  }

  // MARK: Numbers

  private mutating func number() throws(ClaimSyntaxError) -> ClaimValue {
    let start = offset
    _ = take("-")
    let integerStart = offset
    guard skipDigits() > 0 else {
      offset = start
      throw failure("value expected")
    }
    guard bytes[integerStart] != UInt8(ascii: "0") || offset == integerStart + 1 else {
      throw failure("number with a leading zero")
    }
    var isInteger = true
    if take(".") {
      isInteger = false
      guard skipDigits() > 0 else { throw failure("digit expected") }
    }
    if take("e") || take("E") {
      isInteger = false
      if !take("+") { _ = take("-") }
      guard skipDigits() > 0 else { throw failure("digit expected") }
    }
    // The text has only digits, signs, a point and an exponent, so it is valid UTF-8.
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    if isInteger {
      if let value = Int64(text) { return .int(value) }
      guard takesLargeIntegers else { throw failure("integer beyond 64 bits") }
    }
    guard let value = Double(text), value.isFinite else { throw failure("number beyond the range of a double") }
    return .double(value)
  }

  private mutating func skipDigits() -> Int {
    let start = offset
    while let byte = peek, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { offset += 1 }
    return offset - start
  }

  // MARK: Strings

  private mutating func string() throws(ClaimSyntaxError) -> String {
    offset += 1
    var utf8: [UInt8] = []
    while let byte = peek {
      offset += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: utf8, as: UTF8.self) else { throw failure("string is not UTF-8") }
        return text
      case UInt8(ascii: "\\"): try escape(into: &utf8)
      case 0..<0x20: throw failure("control character in a string")
      default: utf8.append(byte)
      }
    }
    throw failure("unterminated string")
  }

  private mutating func escape(into utf8: inout [UInt8]) throws(ClaimSyntaxError) {
    guard let byte = peek else { throw failure("unterminated string") }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): utf8.append(byte)
    case UInt8(ascii: "b"): utf8.append(0x08)
    case UInt8(ascii: "f"): utf8.append(0x0C)
    case UInt8(ascii: "n"): utf8.append(0x0A)
    case UInt8(ascii: "r"): utf8.append(0x0D)
    case UInt8(ascii: "t"): utf8.append(0x09)
    case UInt8(ascii: "u"):
      let scalar = try unicodeEscape()
      // Tokens do not need a NUL, and C code that reads the string would truncate it there.
      guard scalar.value != 0 else { throw failure("NUL in a string") }
      utf8.append(contentsOf: String(Character(scalar)).utf8)
    default: throw failure("unknown escape")
    }
  }

  private mutating func unicodeEscape() throws(ClaimSyntaxError) -> Unicode.Scalar {
    let first = try fourHexDigits()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, take("\\"), take("u") else { throw failure("lone surrogate") }
    let second = try fourHexDigits()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw failure("lone surrogate") }
    return scalar
  }

  private mutating func fourHexDigits() throws(ClaimSyntaxError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw failure("hexadecimal digit expected")
      }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }

  // MARK: Cursor

  private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { offset += 1 }
  }

  private func failure(_ reason: String) -> ClaimSyntaxError { ClaimSyntaxError(reason: reason, byteOffset: offset) }
}
