/// The validation of keys.
///
/// Forbidden are `. $ # [ ] /`, control characters including DEL, the empty key, and more than 768 bytes.
enum PathValidation {
  /// The ASCII characters that cannot be in a key, bit n for character n; first those below 64, then the others.
  private static let forbiddenLow: UInt64 = 0xFFFF_FFFF | bit(".") | bit("$") | bit("#") | bit("/")
  private static let forbiddenHigh: UInt64 = bit("[") | bit("]") | 1 << 63

  private static func bit(_ character: Unicode.Scalar) -> UInt64 { 1 << UInt64(character.value & 63) }

  static func problem(inKey bytes: UnsafeRawBufferPointer, sizeBytesMax: Int) -> PathError.Code? {
    if bytes.isEmpty { return .emptyKey }
    if bytes.count > sizeBytesMax { return .keyTooLong }
    let (low, high) = (forbiddenLow, forbiddenHigh)
    for byte in bytes where byte < 0x80 {
      if (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1 { return .forbiddenCharacter }
    }
    return nil
  }
}

extension Key {
  /// The reason why no data can be stored under this key; nil when it can.
  public var problem: PathError.Code? {
    var text = text
    return text.withUTF8 {
      PathValidation.problem(inKey: UnsafeRawBufferPointer($0), sizeBytesMax: DataLimits.keySizeBytesMax)
    }
  }
}

extension Location {
  /// The key under which a node's priority is addressed, as the last part of a path.
  static let priorityName = ".priority"

  /// Reads the path of a request: parts between slashes, where empty parts are dropped, without percent-encoding. A
  /// last part `.priority` means the priority at the path before it.
  public init(wire text: String) throws(PathError) {
    let bytes = ContiguousArray(text.utf8)
    self = try bytes.withUnsafeBufferPointer { (bytes) throws(PathError) in
      try Location(wire: UnsafeRawBufferPointer(bytes))
    }
  }

  /// Reads a path from UTF-8 bytes.
  init(wire bytes: UnsafeRawBufferPointer) throws(PathError) {
    self.init(path: .root)
    var start = 0
    while start < bytes.count {
      var end = start
      while end < bytes.count, bytes[end] != UInt8(ascii: "/") { end += 1 }
      if end > start { try append(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) }
      start = end + 1
    }
  }

  /// Creates a location from the parts of a path, of which empty ones are dropped. A slash inside a part is a forbidden
  /// character.
  public init(segments: some Sequence<String>) throws(PathError) {
    self.init(path: .root)
    for segment in segments where !segment.isEmpty {
      let bytes = ContiguousArray(segment.utf8)
      try bytes.withUnsafeBufferPointer { (bytes) throws(PathError) in try append(UnsafeRawBufferPointer(bytes)) }
    }
  }

  private mutating func append(_ part: UnsafeRawBufferPointer) throws(PathError) {
    // A priority has no children.
    if isPriority { throw PathError(.forbiddenCharacter) }
    if part.elementsEqual(Self.priorityName.utf8) {
      isPriority = true
      return
    }
    if let problem = PathValidation.problem(inKey: part, sizeBytesMax: DataLimits.keySizeBytesMax) {
      throw PathError(problem)
    }
    if path.count == DataLimits.depthMax { throw PathError(.tooDeep) }
    path.keys.append(Key(String(decoding: part, as: UTF8.self)))
  }

  /// Returns this location, which is relative to `base`, as an absolute location.
  public func under(_ base: Path) -> Location { Location(path: base.appending(path), isPriority: isPriority) }
}

extension Location: CustomStringConvertible {
  public var description: String {
    guard isPriority else { return path.description }
    return path.isRoot ? "/" + Self.priorityName : path.description + "/" + Self.priorityName
  }
}
