extension JSONReader {
  /// Reads any value as data that a server sends: the values of ``writeValue(below:)``, and all other values that a
  /// client can use, because a client that refused them would not get the data.
  ///
  /// Unknown names with a leading dot are skipped, and so are names that no path can reach (empty ones and those with a
  /// slash); an invalid priority counts as none; when there are both a leaf's value and children, the first of the two
  /// counts. Half of a surrogate pair is read as a replacement character. Only text that is not JSON, nests deeper than
  /// the limits or has too many leaves is an error.
  public mutating func receivedValue() throws(JSONError) -> Node {
    var builder = NodeBuilder()
    try receivedValue(into: &builder)
    return builder.finish()
  }

  /// Reads a value as ``receivedValue()`` does, as the next value of a builder, whose state after an error is undefined.
  public mutating func receivedValue(into builder: inout NodeBuilder) throws(JSONError) {
    let before = acceptsLoneSurrogates
    acceptsLoneSurrogates = true
    defer { acceptsLoneSurrogates = before }
    try readReceived(into: &builder)
  }

  private mutating func readReceived(into builder: inout NodeBuilder) throws(JSONError) {
    switch try kind() {
    case .object: return try readReceivedObject(into: &builder)
    case .array: return try readReceivedArray(into: &builder)
    case .null:
      try literal("null")
      return builder.nothing()
    case .bool: builder.leaf(.bool(try bool()))
    case .number: builder.leaf(try number())
    case .string:
      let span = try stringSpan()
      let raw = UnsafeRawBufferPointer(rebasing: bytes[span.start..<span.end])
      if span.hasEscapes {
        JSONEscapes.decoded(raw).withUnsafeBytes { builder.string(utf8: $0) }
      } else {
        builder.string(utf8: raw)
      }
    }
    try countReceivedLeaf()
  }

  private mutating func countReceivedLeaf() throws(JSONError) {
    leafCount += 1
    guard leafCount <= limits.leavesMax else {
      throw JSONError(.tooMany, "More than \(limits.leavesMax) values in one message", at: position)
    }
  }

  private mutating func readReceivedArray(into builder: inout NodeBuilder) throws(JSONError) {
    try beginArray()
    builder.open()
    var index = 0
    while try nextElement() {
      builder.key(Key(String(index)))
      try readReceived(into: &builder)
      index += 1
    }
    builder.close()
  }

  private mutating func readReceivedObject(into builder: inout NodeBuilder) throws(JSONError) {
    try beginObject()
    var (value, priority): (Scalar?, Scalar?)
    var isOpen = false
    while let name = try nextName() {
      if name.size > 0, firstByte(of: name) == UInt8(ascii: ".") {
        switch self.name(name) {
        case ".value": value = try receivedScalar()
        case ".priority":
          priority = try receivedScalar()
          if case .bool? = priority { priority = nil }
        default: try skipValue()
        }
        continue
      }
      let key = text(of: name)
      guard value == nil, !key.isEmpty, !key.utf8.contains(UInt8(ascii: "/")) else {
        try skipValue()
        continue
      }
      if !isOpen { builder.open() }
      isOpen = true
      builder.key(Key(key))
      try readReceived(into: &builder)
    }
    if isOpen { return builder.close(priority: priority) }
    guard let value else { return builder.nothing() }
    try countReceivedLeaf()
    builder.leaf(value, priority: priority)
  }

  /// A value that a leaf can have; nil for any other value, which is skipped.
  private mutating func receivedScalar() throws(JSONError) -> Scalar? {
    switch try kind() {
    case .bool: return .bool(try bool())
    case .number: return try number()
    case .string: return .string(try string())
    case .null, .array, .object:
      try skipValue()
      return nil
    }
  }
}
