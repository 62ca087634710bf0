/// A writer that appends JSON text to bytes.
///
/// To continue an array of bytes without copying it, move it in and out:
///
///     var writer = JSONWriter(appendingTo: consume bytes)
///     writer.write(node, .export)
///     bytes = writer.bytes
public struct JSONWriter: Sendable {
  /// White space between the tokens.
  public enum Layout: Sendable {
    /// No white space.
    case compact
    /// Line breaks and two spaces per level.
    case indented
    /// The layout of the service's `print=pretty`: as ``indented``, with a space on both sides of a colon and arrays on
    /// one line. Some clients search for `"error" : `.
    case service
  }

  /// The bytes written so far.
  public var bytes: [UInt8]
  /// White space between the tokens.
  public let layout: Layout
  /// The number of open containers that indent their content.
  private var level = 0

  /// Creates a writer that appends to existing bytes.
  public init(appendingTo bytes: consuming [UInt8] = [], layout: Layout = .compact) {
    self.bytes = bytes
    self.layout = layout
  }

  /// Creates a writer that appends to existing bytes, compact or indented.
  public init(appendingTo bytes: consuming [UInt8] = [], pretty: Bool) {
    self.init(appendingTo: bytes, layout: pretty ? .indented : .compact)
  }

  /// Writes text that is already JSON, or punctuation.
  public mutating func write(raw text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Writes `null`.
  public mutating func writeNull() { write(raw: "null") }

  /// Writes `true` or `false`.
  public mutating func write(_ value: Bool) {
    if value { write(raw: "true") } else { write(raw: "false") }
  }

  /// Writes a string with its quotes.
  public mutating func write(_ text: String) {
    var text = text
    text.withUTF8 { write(utf8: UnsafeRawBufferPointer($0)) }
  }

  /// Writes a string with its quotes, from its UTF-8 bytes.
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

  /// Writes a general value, members in their order.
  public mutating func write(_ value: JSON) {
    switch value {
    case .null: write(raw: "null")
    case .bool(let value): write(value)
    case .int(let value): write(value)
    case .double(let value): write(value)
    case .string(let text): write(text)
    case .array(let elements):
      openArray()
      for (i, element) in elements.enumerated() {
        separateElement(isFirst: i == 0)
        write(element)
      }
      closeArray(isEmpty: elements.isEmpty)
    case .object(let members):
      openObject()
      for (i, member) in members.enumerated() {
        separateMember(isFirst: i == 0)
        write(member.name)
        colon()
        write(member.value)
      }
      closeObject(isEmpty: members.isEmpty)
    }
  }

  // MARK: Containers

  /// Begins an object.
  public mutating func openObject() {
    bytes.append(UInt8(ascii: "{"))
    level += 1
  }

  /// Writes the separator before the next member of an object.
  public mutating func separateMember(isFirst: Bool) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    breakLine()
  }

  /// Writes the separator between a member's name and its value.
  public mutating func colon() {
    switch layout {
    case .compact: write(raw: ":")
    case .indented: write(raw: ": ")
    case .service: write(raw: " : ")
    }
  }

  /// Ends an object.
  public mutating func closeObject(isEmpty: Bool) {
    level -= 1
    if !isEmpty { breakLine() } else if layout == .service { bytes.append(UInt8(ascii: " ")) }
    bytes.append(UInt8(ascii: "}"))
  }

  mutating func openArray() {
    bytes.append(UInt8(ascii: "["))
    if layout != .service { level += 1 }
  }

  mutating func separateElement(isFirst: Bool) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    if layout == .service { bytes.append(UInt8(ascii: " ")) } else { breakLine() }
  }

  mutating func closeArray(isEmpty: Bool) {
    if layout == .service {
      bytes.append(UInt8(ascii: " "))
    } else {
      level -= 1
      if !isEmpty { breakLine() }
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func breakLine() {
    guard layout != .compact else { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
  }
}

extension JSON {
  /// Returns the value as text.
  public func text(pretty: Bool = false) -> [UInt8] { text(layout: pretty ? .indented : .compact) }

  /// Returns the value as text in a layout.
  public func text(layout: JSONWriter.Layout) -> [UInt8] {
    var writer = JSONWriter(layout: layout)
    writer.write(self)
    return writer.bytes
  }
}
