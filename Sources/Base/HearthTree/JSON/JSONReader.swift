/// A reader of JSON text (RFC 8259) in place: a cursor over bytes that builds only the values that the caller requests.
///
/// The caller keeps the bytes alive and unchanged while the reader is used. Every reading function moves the cursor to
/// the end of the value that it read; when it throws, the cursor's position is undefined. Strings are checked to be
/// UTF-8 without lone surrogates; of a repeated member name the last counts.
///
///     var reader = JSONReader(bytes)
///     try reader.beginObject()
///     while let name = try reader.nextMemberName() {
///       switch name {
///       case "p": path = try reader.string()
///       default: try reader.skipValue()
///       }
///     }
///     try reader.end()
public struct JSONReader {
  let bytes: UnsafeRawBufferPointer  // because the text is read in place; the caller keeps it alive
  let limits: JSONLimits
  var position = 0
  /// True when a container was just opened: there must be no comma before the next token.
  private var isAtStart = false
  var nesting = 0
  /// The number of leaves of tree data read, over all paths of an update.
  var leafCount = 0
  /// True when a string may contain half of a surrogate pair, which is then read as a text with the same order. It is
  /// set for the bounds of queries, because clients truncate keys within a pair to form a bound, and never for stored
  /// data.
  public var acceptsLoneSurrogates = false

  /// Creates a reader at the first byte. The caller keeps the bytes alive while it reads.
  public init(_ bytes: UnsafeRawBufferPointer, limits: JSONLimits = .standard) {
    self.bytes = bytes
    self.limits = limits
  }

  /// The next byte to read. Setting it continues with the value at the offset, outside of any container: a copy of the
  /// reader can go back to a value that was skipped.
  public var offset: Int {
    get { position }
    set {
      precondition(newValue >= 0 && newValue <= bytes.count, "a place outside of the text")
      position = newValue
      isAtStart = false
      nesting = 0
    }
  }

  /// The kind of a value, known from its first byte.
  public enum Kind: Sendable {
    /// The six kinds that JSON has.
    case null, bool, number, string, array, object
  }

  /// The kind of the next value, without reading it.
  public mutating func kind() throws(JSONError) -> Kind {
    switch try peek() {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: throw unexpectedByte("a value")
    }
  }

  // MARK: Containers

  /// Reads the `{` of an object.
  public mutating func beginObject() throws(JSONError) { try begin(UInt8(ascii: "{"), "an object") }

  /// Reads the `[` of an array.
  public mutating func beginArray() throws(JSONError) { try begin(UInt8(ascii: "["), "an array") }

  private mutating func begin(_ byte: UInt8, _ expected: StaticString) throws(JSONError) {
    guard try peek() == byte else { throw wrongKind(expected) }
    guard nesting < limits.nestingMax else {
      throw JSONError(.tooDeep, "More than \(limits.nestingMax) nested containers", at: position)
    }
    position += 1
    nesting += 1
    isAtStart = true
  }

  /// Moves to the next member's value and returns its name; nil at the object's end. The value must then be read or
  /// skipped.
  public mutating func nextMember() throws(JSONError) -> String? { try nextMemberName()?.text }

  /// Moves as ``nextMember()`` does, without creating a string: the name can be compared with literals.
  public mutating func nextMemberName() throws(JSONError) -> JSONName? {
    guard let span = try nextName() else { return nil }
    return JSONName(raw: UnsafeRawBufferPointer(rebasing: bytes[span.start..<span.end]), hasEscapes: span.hasEscapes)
  }

  mutating func nextName() throws(JSONError) -> JSONSpan? {
    guard try !advance(to: UInt8(ascii: "}"), "a comma or the object's end") else { return nil }
    guard try peek() == UInt8(ascii: "\"") else { throw unexpectedByte("a member name") }
    let span = try stringSpan()
    guard try peek() == UInt8(ascii: ":") else { throw unexpectedByte("a colon") }
    position += 1
    return span
  }

  /// Moves to the array's next element; false at the array's end.
  public mutating func nextElement() throws(JSONError) -> Bool {
    try !advance(to: UInt8(ascii: "]"), "a comma or the array's end")
  }

  /// Reads the separator between two members; true when it read the container's end instead.
  private mutating func advance(to end: UInt8, _ expected: StaticString) throws(JSONError) -> Bool {
    let byte = try peek()
    if byte == end {
      position += 1
      nesting -= 1
      isAtStart = false
      return true
    }
    if isAtStart {
      isAtStart = false
    } else {
      guard byte == UInt8(ascii: ",") else { throw unexpectedByte(expected) }
      position += 1
    }
    return false
  }

  // MARK: Single values

  /// Reads a string of any length.
  public mutating func string() throws(JSONError) -> String {
    guard try peek() == UInt8(ascii: "\"") else { throw wrongKind("a string") }
    return text(of: try stringSpan())
  }

  /// Reads an integer that fits 64 bits, written without a fraction or with an empty one (`5`, `5.0`, `5e0`).
  public mutating func integer() throws(JSONError) -> Int64 {
    let start = position
    switch try number() {
    case .int(let value): return value
    case .double(let value):
      guard let value = Int64(exactly: value) else { throw JSONError(.wrongKind, "Expected an integer", at: start) }
      return value
    default: throw JSONError(.wrongKind, "Expected an integer", at: start)
    }
  }

  /// Reads `true` or `false`.
  public mutating func bool() throws(JSONError) -> Bool {
    switch try peek() {
    case UInt8(ascii: "t"):
      try literal("true")
      return true
    case UInt8(ascii: "f"):
      try literal("false")
      return false
    default: throw wrongKind("true or false")
    }
  }

  /// Reads a `null` when it is next, and returns true; otherwise returns false and reads nothing.
  public mutating func null() throws(JSONError) -> Bool {
    guard try peek() == UInt8(ascii: "n") else { return false }
    try literal("null")
    return true
  }

  /// Throws an error unless only white space is left.
  public mutating func end() throws(JSONError) {
    skipSpace()
    if position < bytes.count { throw JSONError(.trailingBytes, "Unexpected content after the value", at: position) }
  }

  // MARK: Bytes

  /// Returns the next byte that is not white space.
  @inline(__always)
  mutating func peek() throws(JSONError) -> UInt8 {
    if position < bytes.count, bytes[position] > 0x20 { return bytes[position] }
    skipSpace()
    guard position < bytes.count else { throw JSONError(.unexpectedEnd, "Unexpected end of the JSON", at: position) }
    return bytes[position]
  }

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  mutating func literal(_ word: StaticString) throws(JSONError) {
    let size = word.utf8CodeUnitCount
    for i in 0..<size {
      guard position + i < bytes.count else {
        throw JSONError(.unexpectedEnd, "Unexpected end of the JSON", at: bytes.count)
      }
      // The words are literals of this module, stored as UTF-8.
      guard bytes[position + i] == word.utf8Start[i] else { throw unexpectedByte("a value") }
    }
    position += size
  }

  func unexpectedByte(_ expected: StaticString) -> JSONError {
    JSONError(.unexpectedByte, "Expected \(expected)", at: position)
  }

  /// Returns the error for a next byte that begins a value of another kind, or no value.
  mutating func wrongKind(_ expected: StaticString) -> JSONError {
    (try? kind()) == nil
      ? unexpectedByte(expected) : JSONError(.wrongKind, "Expected \(expected)", at: position)
  }
}
