/// A parser of the JSON dialect of rules files.
struct RulesDocumentParser {
  private let source: SourceText
  private var offset = 0

  init(_ source: SourceText) {
    self.source = source
    if source.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }  // the byte order mark
  }

  mutating func parse() throws(RulesError) -> RulesDocument.Value {
    guard source.bytes.count <= RulesLimits.fileBytesMax else {
      throw refusal("Rules file is larger than \(RulesLimits.fileBytesMax) bytes.")
    }
    try skipBlank()
    guard peek == UInt8(ascii: "{") else {
      throw error("Expected '{'.", help: #"A rules file is one object: { "rules": { … } }."#)
    }
    let value = try value(depth: 0)
    try skipBlank()
    if peek != nil { throw unexpected() }
    return value
  }

  // MARK: Values

  private mutating func value(depth: Int) throws(RulesError) -> RulesDocument.Value {
    guard depth < RulesLimits.fileDepthMax else { throw refusal("Nested too deeply.") }
    let start = offset
    let form: RulesDocument.Form
    switch peek {
    case UInt8(ascii: "{"): form = .object(try members(depth: depth))
    case UInt8(ascii: "["): form = .array(try elements(depth: depth))
    case UInt8(ascii: "\""): form = .text(try text(allowsLineBreaks: true))
    case UInt8(ascii: "t"): form = try word("true", .bool(true))
    case UInt8(ascii: "f"): form = try word("false", .bool(false))
    case UInt8(ascii: "n"): form = try word("null", .null)
    case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): form = .number(try number())
    default: throw unexpected()
    }
    return RulesDocument.Value(form: form, offset: start)
  }

  private mutating func members(depth: Int) throws(RulesError) -> [RulesDocument.Member] {
    offset += 1
    var members: [RulesDocument.Member] = []
    var names: Set<[UInt8]> = []
    try skipBlank()
    if peek == UInt8(ascii: ",") { throw refusal("Unexpected ','.") }
    while peek != UInt8(ascii: "}") {
      if peek == UInt8(ascii: ",") { throw refusal("Expected '\"'.") }
      guard peek == UInt8(ascii: "\"") else { throw error("Expected '\"'.") }
      let name = try text(allowsLineBreaks: false)
      guard names.insert(Array(name.value.utf8)).inserted else {
        throw refusal(
          "'\(name.value)' occurs multiple times.", help: "Merge the two or remove one.", at: name.offset)
      }
      try skipBlank()
      guard peek == UInt8(ascii: ":") else { throw error("Expected ':'.") }
      offset += 1
      try skipBlank()
      members.append(RulesDocument.Member(name: name, value: try value(depth: depth + 1)))
      try separator(before: UInt8(ascii: "}"))
    }
    offset += 1
    return members
  }

  private mutating func elements(depth: Int) throws(RulesError) -> [RulesDocument.Value] {
    offset += 1
    var elements: [RulesDocument.Value] = []
    try skipBlank()
    while peek != UInt8(ascii: "]") {
      elements.append(try value(depth: depth + 1))
      try separator(before: UInt8(ascii: "]"))
    }
    offset += 1
    return elements
  }

  /// Reads a comma, or nothing when the container ends. A comma is also allowed before the end.
  private mutating func separator(before end: UInt8) throws(RulesError) {
    try skipBlank()
    if peek == end { return }
    guard peek == UInt8(ascii: ",") else {
      throw error(
        "Expected ',' or '\(Character(UnicodeScalar(end)))'.",
        help: "Check for a missing comma or quote before this position.")
    }
    offset += 1
    try skipBlank()
  }

  private mutating func word(_ word: String, _ form: RulesDocument.Form) throws(RulesError) -> RulesDocument.Form {
    guard source.bytes[offset...].starts(with: word.utf8) else { throw unexpected() }
    offset += word.utf8.count
    return form
  }

  private mutating func number() throws(RulesError) -> String {
    let start = offset
    if peek == UInt8(ascii: "-") { offset += 1 }
    let whole = try digits()
    if whole > 1, source.bytes[offset - whole] == UInt8(ascii: "0") { throw error("Invalid number.", at: start) }
    if peek == UInt8(ascii: ".") {
      offset += 1
      _ = try digits()
    }
    if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
      offset += 1
      if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { offset += 1 }
      _ = try digits()
    }
    return String(decoding: source.bytes[start..<offset], as: UTF8.self)
  }

  private mutating func digits() throws(RulesError) -> Int {
    let start = offset
    while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
    guard offset > start else { throw error("Invalid number.") }
    return offset - start
  }

  // MARK: Texts

  private mutating func text(allowsLineBreaks: Bool) throws(RulesError) -> RulesDocument.Text {
    let start = offset
    offset += 1
    var value: [UInt8] = []
    var anchors = [(value: 0, file: offset)]
    while let byte = peek, byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: "\\") {
        try escape(into: &value)
        anchors.append((value: value.count, file: offset))
        continue
      }
      if byte < 0x20, !(allowsLineBreaks && [0x0A, 0x0D, 0x09].contains(byte)) {
        throw error("Unexpected control character in a string.", help: "Write it as an escape, such as \\n or \\t.")
      }
      value.append(byte)
      offset += 1
    }
    guard peek != nil else { throw error("Unterminated string.", help: "Add the closing quote.", at: start) }
    offset += 1
    return RulesDocument.Text(value: String(decoding: value, as: UTF8.self), offset: start, anchors: anchors)
  }

  private mutating func escape(into value: inout [UInt8]) throws(RulesError) {
    let start = offset
    offset += 1
    guard let byte = peek else { throw error("Unterminated string.") }
    if byte == UInt8(ascii: "u") {
      offset += 1
      value.append(contentsOf: String(try unicodeEscape(start)).utf8)
      return
    }
    guard let plain = Self.escapes[byte] else {
      let character = String(decoding: source.bytes[offset...].prefix(4), as: UTF8.self).unicodeScalars.first
      throw refusal(
        "Invalid escape: '\\\(character.map { String($0) } ?? "")'",
        help: #"Write a backslash as \\ in a rules file."#, at: start)
    }
    value.append(plain)
    offset += 1
  }

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
    UInt8(ascii: "/"): UInt8(ascii: "/"), UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C,
    UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
  ]

  private mutating func unicodeEscape(_ start: Int) throws(RulesError) -> Unicode.Scalar {
    let high = try hexUnit(start)
    if let scalar = Unicode.Scalar(high) { return scalar }
    guard high < 0xDC00, peek == UInt8(ascii: "\\"), offset + 1 < source.bytes.count,
      source.bytes[offset + 1] == UInt8(ascii: "u")
    else { throw error("Invalid escape: half of a surrogate pair", at: start) }
    offset += 2
    let low = try hexUnit(start)
    guard (0xDC00...0xDFFF).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (UInt32(high) - 0xD800) << 10 + UInt32(low) - 0xDC00)
    else { throw error("Invalid escape: half of a surrogate pair", at: start) }
    return scalar
  }

  private mutating func hexUnit(_ start: Int) throws(RulesError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(UnicodeScalar(byte)).hexDigitValue, byte < 0x80 else {
        throw error("Invalid escape: '\\u' needs four hexadecimal digits", at: start)
      }
      unit = unit << 4 | UInt16(digit)
      offset += 1
    }
    return unit
  }

  // MARK: White space and errors

  private var peek: UInt8? { offset < source.bytes.count ? source.bytes[offset] : nil }

  /// Skips white space and comments.
  private mutating func skipBlank() throws(RulesError) {
    while let byte = peek {
      switch byte {
      case 0x20, 0x0A, 0x0D, 0x09: offset += 1
      case UInt8(ascii: "/"): try skipComment()
      default: return
      }
    }
  }

  private mutating func skipComment() throws(RulesError) {
    let (start, bytes) = (offset, source.bytes)
    guard offset + 1 < bytes.count else { throw unexpected() }
    switch bytes[offset + 1] {
    case UInt8(ascii: "/"):
      while let byte = peek, byte != UInt8(ascii: "\n") { offset += 1 }
    case UInt8(ascii: "*"):
      offset += 2
      while offset + 1 < bytes.count, bytes[offset] != UInt8(ascii: "*") || bytes[offset + 1] != UInt8(ascii: "/") {
        offset += 1
      }
      guard offset + 1 < bytes.count else { throw error("Unterminated comment.", at: start) }
      offset += 2
    default: throw unexpected()
    }
  }

  private func unexpected() -> RulesError {
    guard offset < source.bytes.count else { return error("Unexpected end of file.") }
    let character = String(decoding: source.bytes[offset...].prefix(4), as: UTF8.self).unicodeScalars.first
    return error("Unexpected '\(character.map { String($0) } ?? "")'.")
  }

  /// Returns the error for a text that is not JSON. Its message consists of Firebase's text, which clients search for,
  /// and a description.
  private func error(_ message: String, help: String? = nil, at place: Int? = nil) -> RulesError {
    refusal("Parse error. " + message, help: help, at: place)
  }

  /// Returns the error for valid JSON that is refused, or for an error with a known message of Firebase.
  private func refusal(_ message: String, help: String? = nil, at place: Int? = nil) -> RulesError {
    RulesError([source.diagnostic(message, help: help, atByte: place ?? offset)])
  }
}
