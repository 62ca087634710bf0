/// Appends JSON text to bytes.
///
/// To continue an array of bytes without copying it, move it in and out:
///
///     var writer = JSONWriter(appendingTo: consume bytes)
///     writer.write(node, .export)
///     bytes = writer.bytes
public struct JSONWriter: Sendable {
  /// Everything written so far.
  public var bytes: [UInt8]
  /// Line breaks and two spaces a level, instead of no white space at all.
  public var isPretty: Bool
  /// Containers open around the cursor; only pretty text needs it.
  var level = 0

  /// Begins behind bytes that are there already; `pretty` breaks lines and indents by two spaces.
  public init(appendingTo bytes: consuming [UInt8] = [], pretty: Bool = false) {
    self.bytes = bytes
    isPretty = pretty
  }

  /// Text that is JSON already, or punctuation.
  public mutating func write(raw text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Writes `null`.
  public mutating func writeNull() { write(raw: "null") }

  /// Writes `true` or `false`.
  public mutating func write(_ value: Bool) {
    if value { write(raw: "true") } else { write(raw: "false") }
  }

  /// A string with its quotes.
  public mutating func write(_ text: String) {
    var text = text
    text.withUTF8 { write(utf8: UnsafeRawBufferPointer($0)) }
  }

  /// A string with its quotes, from its UTF-8 bytes.
  public mutating func write(utf8: UnsafeRawBufferPointer) {
    bytes.append(UInt8(ascii: "\""))
    var start = 0
    while true {
      let end = JSONScan.escapable(in: utf8, from: start)
      if end > start { bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: utf8[start..<end])) }
      if end == utf8.count { break }
      escape(utf8[end])
      start = end + 1
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case 0x22: write(raw: "\\\"")
    case 0x5C: write(raw: "\\\\")
    case 0x08: write(raw: "\\b")
    case 0x09: write(raw: "\\t")
    case 0x0A: write(raw: "\\n")
    case 0x0C: write(raw: "\\f")
    case 0x0D: write(raw: "\\r")
    default:
      write(raw: byte < 0x10 ? "\\u000" : "\\u001")
      let digit = byte & 0x0F
      bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
    }
  }

  /// Writes a leaf's value, without its priority.
  public mutating func write(_ scalar: Scalar) {
    switch scalar {
    case .bool(let value): write(value)
    case .int(let value): write(value)
    case .double(let value): write(value)
    case .string(let text): write(text)
    }
  }

  /// A general value, members in their order.
  public mutating func write(_ value: JSON) {
    switch value {
    case .null: write(raw: "null")
    case .bool(let value): write(value)
    case .int(let value): write(value)
    case .double(let value): write(value)
    case .string(let text): write(text)
    case .array(let elements):
      open("[")
      for (i, element) in elements.enumerated() {
        separate(isFirst: i == 0)
        write(element)
      }
      close("]", isEmpty: elements.isEmpty)
    case .object(let members):
      open("{")
      for (i, member) in members.enumerated() {
        separate(isFirst: i == 0)
        write(member.name)
        colon()
        write(member.value)
      }
      close("}", isEmpty: members.isEmpty)
    }
  }

  // MARK: Containers

  mutating func open(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(ascii: bracket))
    level += 1
  }

  mutating func separate(isFirst: Bool) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    if isPretty { breakLine() }
  }

  mutating func colon() {
    bytes.append(UInt8(ascii: ":"))
    if isPretty { bytes.append(UInt8(ascii: " ")) }
  }

  mutating func close(_ bracket: Unicode.Scalar, isEmpty: Bool) {
    level -= 1
    if isPretty, !isEmpty { breakLine() }
    bytes.append(UInt8(ascii: bracket))
  }

  private mutating func breakLine() {
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
  }
}

extension JSON {
  /// The value as text.
  public func text(pretty: Bool = false) -> [UInt8] {
    var writer = JSONWriter(pretty: pretty)
    writer.write(self)
    return writer.bytes
  }
}
