import HearthTree

/// The encoding of writes, as ``ForwardedChange`` describes it.
extension WriteOperation {
  private static let hashFlag: UInt8 = 1
  private static let triggersFlag: UInt8 = 2

  func append(to bytes: inout [UInt8]) {
    bytes.append((expectedHash == nil ? 0 : Self.hashFlag) | (firesTriggers ? Self.triggersFlag : 0))
    change.append(to: &bytes)
    if let expectedHash { bytes.append(sized: expectedHash) }
    bytes.append(varint: UInt64(shownPaths.count))
    for path in shownPaths { bytes.append(forwarded: path) }
  }

  init(forwarded cursor: inout ByteCursor) throws {
    let flags = try cursor.flags(Self.hashFlag | Self.triggersFlag)
    let change = try Change(forwarded: &cursor)
    let hash = flags & Self.hashFlag == 0 ? nil : try cursor.text()
    let shownPaths = try cursor.list { try $0.forwardedPath() }
    self.init(change, expectedHash: hash, shownPaths: shownPaths)
    firesTriggers = flags & Self.triggersFlag != 0
  }
}

extension WriteOperation.Change {
  func append(to bytes: inout [UInt8]) {
    switch self {
    case .put(let location, let value):
      bytes.append(1)
      bytes.append(forwarded: location)
      value.append(to: &bytes)
    case .merge(let path, let writes):
      bytes.append(2)
      bytes.append(forwarded: path)
      bytes.append(varint: UInt64(writes.count))
      for write in writes {
        bytes.append(forwarded: write.location)
        write.value.append(to: &bytes)
      }
    }
  }

  init(forwarded cursor: inout ByteCursor) throws {
    switch try cursor.byte() {
    case 1: self = .put(try cursor.forwardedLocation(), try WriteValue(forwarded: &cursor))
    case 2:
      let path = try cursor.forwardedPath()
      self = .merge(
        path,
        try cursor.list { Write(location: try $0.forwardedLocation(), value: try WriteValue(forwarded: &$0)) })
    case let kind: throw RecordError.Problem("unknown kind \(kind) of write")
    }
  }
}

extension WriteValue {
  fileprivate func append(to bytes: inout [UInt8]) {
    NodeEncoder.append(node, to: &bytes)
    bytes.append(varint: UInt64(max(0, depth)))
    bytes.append(varint: UInt64(deferred.count))
    for item in deferred {
      bytes.append(forwarded: item.location)
      switch item.operation {
      case .timestamp: bytes.append(1)
      case .increment(let number):
        bytes.append(2)
        NodeEncoder.append(number, to: &bytes)
      }
    }
  }

  fileprivate init(forwarded cursor: inout ByteCursor) throws {
    let node = try CommitRecord.node(&cursor)
    let depth = try cursor.varint()
    guard depth <= UInt64(DataLimits.nestingMax) else { throw RecordError.Problem("a value is nested too deep") }
    let deferred = try cursor.list { cursor in
      let location = try cursor.forwardedLocation()
      guard node.holds(location) else {
        throw RecordError.Problem("a server value at a location without a placeholder")
      }
      switch try cursor.byte() {
      case 1: return Deferred(location: location, operation: .timestamp)
      case 2:
        let number = try cursor.scalar(tag: try cursor.byte())
        switch number {
        case .int, .double: return Deferred(location: location, operation: .increment(number))
        case .bool, .string: throw RecordError.Problem("an increment that is not a number")
        }
      case let kind: throw RecordError.Problem("unknown kind \(kind) of server value")
      }
    }
    self.init(node, deferred: deferred, depth: Int(depth))
  }
}

extension [UInt8] {
  mutating func append(forwarded location: Location) {
    append(location.isPriority ? 1 : 0)
    append(forwarded: location.path)
  }

  mutating func append(forwarded path: Path) {
    append(varint: UInt64(path.count))
    for key in path.keys { append(sized: key.text) }
  }
}

extension ByteCursor {
  /// Decodes a byte of flags, and throws when a flag outside of `known` is set.
  mutating func flags(_ known: UInt8) throws -> UInt8 {
    let flags = try byte()
    guard flags & ~known == 0 else { throw RecordError.Problem("unknown flags \(flags)") }
    return flags
  }

  mutating func forwardedLocation() throws -> Location {
    let flags = try flags(1)
    return Location(path: try forwardedPath(), isPriority: flags == 1)
  }

  mutating func forwardedPath() throws -> Path { Path(try list { Key(try $0.text()) }) }

  /// Decodes a count, then that many elements. Each element takes at least one byte, which bounds the count by the
  /// number of remaining bytes.
  mutating func list<Element>(_ element: (inout ByteCursor) throws -> Element) throws -> [Element] {
    let count = try varint()
    guard count <= UInt64(remaining) else { throw EndOfBytes() }
    var elements: [Element] = []
    for _ in 0..<count { elements.append(try element(&self)) }
    return elements
  }
}
