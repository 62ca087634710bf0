import HearthBytes

extension DataChecksum {
  /// Adds the data that a JSON text has for a location, without building it. Of a repeated name in an object, both values
  /// count.
  ///
  /// - Returns: False when the server computes a value (`.sv`): the sum is then of no use.
  package mutating func add(_ reader: inout JSONReader, at location: Location) throws(JSONError) -> Bool {
    let seed = Self.seed(of: location.path)
    guard location.isPriority else { return try add(&reader, seed) }
    guard case .some(let priority) = try Self.priority(&reader) else { return false }
    if let priority { add(priority, Self.prioritySeed(seed)) }
    return true
  }

  /// Adds the data that a multi-path update has below a path: see ``JSONReader/merge(below:)``.
  ///
  /// - Returns: False when the server computes a value (`.sv`): the sum is then of no use.
  package mutating func add(update reader: inout JSONReader, at path: Path) throws(JSONError) -> Bool {
    try reader.beginObject()
    while let name = try reader.nextName() {
      let location = try reader.location(of: name)
      let place = Location(path: path.appending(location.path), isPriority: location.isPriority)
      guard try add(&reader, at: place) else { return false }
    }
    return true
  }

  private mutating func add(_ reader: inout JSONReader, _ seed: UInt64) throws(JSONError) -> Bool {
    switch try reader.kind() {
    case .null: try reader.literal("null")
    case .bool: add(.bool(try reader.bool()), seed)
    case .number: add(try reader.number(), seed)
    case .string:
      let text = reader.name(try reader.stringSpan())
      text.withUTF8 { add(text: $0, seed) }
    case .object: return try addObject(&reader, seed)
    case .array:
      try reader.beginArray()
      var index = 0
      while try reader.nextElement() {
        var digits = String(index)
        let place = digits.withUTF8 { XXH64.hash(UnsafeRawBufferPointer($0), seed: seed) }
        guard try add(&reader, place) else { return false }
        index += 1
      }
    }
    return true
  }

  private mutating func addObject(_ reader: inout JSONReader, _ seed: UInt64) throws(JSONError) -> Bool {
    try reader.beginObject()
    let countBefore = count
    var priority: Scalar?
    while let span = try reader.nextName() {
      let name = reader.name(span)
      guard span.size > 0, reader.firstByte(of: span) == UInt8(ascii: ".") else {
        guard try add(&reader, name.withUTF8 { XXH64.hash($0, seed: seed) }) else { return false }
        continue
      }
      switch name {
      case ".priority":
        guard case .some(let found) = try Self.priority(&reader) else { return false }
        priority = found
      case ".value":
        // An object is a server value.
        guard try reader.kind() != .object, try add(&reader, seed) else { return false }
      default: return false
      }
    }
    // An empty location has no priority.
    if let priority, count > countBefore { add(priority, Self.prioritySeed(seed)) }
    return true
  }

  /// Reads a priority: nil for one that the server computes, and for none the nil in it.
  private static func priority(_ reader: inout JSONReader) throws(JSONError) -> Scalar?? {
    switch try reader.kind() {
    case .null:
      try reader.literal("null")
      return .some(nil)
    case .number: return try reader.number()
    case .string: return Scalar.string(try reader.string())
    case .object, .bool, .array: return nil
    }
  }
}

extension JSONName {
  /// Calls `body` with the bytes of the text, whose escapes are resolved.
  fileprivate func withUTF8<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    hasEscapes ? JSONEscapes.decoded(raw).withUnsafeBytes(body) : body(raw)
  }
}
