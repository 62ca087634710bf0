extension JSONReader {
  /// Reads any value as data to write: null means no value, an array is an object with the keys `0`, `1`, …, and the
  /// names `.value`, `.priority` and `.sv` mean a leaf's value, a priority and a server value.
  ///
  /// - Parameter depth: The number of keys in the path of the location that is written; the depth limit counts from the
  ///   root.
  public mutating func writeValue(below depth: Int = 0) throws(JSONError) -> WriteValue {
    var reader = JSONTreeReader(self, depth: depth)
    let value = try reader.value()
    self = reader.json
    return value
  }

  /// Reads a priority to write: a number, a string, null or a server value. The result is the leaf that has the
  /// priority as its value, or no value.
  public mutating func priorityValue() throws(JSONError) -> WriteValue {
    var reader = JSONTreeReader(self, depth: 0)
    let value = try reader.priorityValue()
    self = reader.json
    return value
  }

  /// Reads the value for a location: ``priorityValue()`` or ``writeValue(below:)``.
  ///
  /// - Parameter depth: The number of keys above the location's base.
  public mutating func writeValue(for location: Location, below depth: Int = 0) throws(JSONError) -> WriteValue {
    let total = depth + location.path.count
    guard total <= limits.depthMax else {
      throw JSONError(.tooDeep, "More than \(limits.depthMax) keys from the root to a leaf", at: position)
    }
    return location.isPriority ? try priorityValue() : try writeValue(below: total)
  }
}

/// A reader that builds a tree directly from the text, and records the locations of server values.
struct JSONTreeReader {
  var json: JSONReader
  private var builder = NodeBuilder()
  private var deferred = JSONDeferredValues()
  /// The names of the open containers at the cursor, below the location that is written.
  private var steps: [Step] = []
  private var deepest = 0
  private let stepsMax: Int

  /// One key of the path to the cursor: a member name in the text, or an array's index.
  private enum Step {
    case name(JSONSpan)
    case index(Int)
  }

  /// The metadata that was read of an object.
  private struct Metadata {
    enum Value {
      case absent
      case null
      case scalar(Scalar)
      case string(JSONSpan)
      case deferred(WriteValue.Operation)
    }
    var value = Value.absent
    var priority: Scalar?
    var deferredPriority: WriteValue.Operation?
    /// The offset of `.value` or `.sv`, for errors.
    var offset = 0
  }

  init(_ json: JSONReader, depth: Int) {
    self.json = json
    stepsMax = max(0, json.limits.depthMax - depth)
  }

  mutating func value() throws(JSONError) -> WriteValue {
    try read()
    return WriteValue(builder.finish(), deferred: deferred.finish(), depth: deepest)
  }

  private mutating func read() throws(JSONError) {
    switch try json.kind() {
    case .object: return try readObject()
    case .array: return try readArray()
    case .null:
      try json.literal("null")
      return builder.nothing()
    case .string: try add(json.leafString(), priority: nil)
    case .bool: builder.leaf(.bool(try json.bool()))
    case .number: builder.leaf(try json.number())
    }
    json.leafCount += 1
    guard json.leafCount <= json.limits.leavesMax else {
      throw JSONError(.tooMany, "More than \(json.limits.leavesMax) values in one write", at: json.position)
    }
    deepest = max(deepest, steps.count)
  }

  // MARK: Containers

  private mutating func readArray() throws(JSONError) {
    try json.beginArray()
    builder.open()
    var index = 0
    while try json.nextElement() {
      try enter(.index(index), at: json.position)
      var digits = String(index)
      digits.withUTF8 { builder.key(utf8: UnsafeRawBufferPointer($0)) }
      try read()
      steps.removeLast()
      index += 1
    }
    builder.close()
  }

  private mutating func readObject() throws(JSONError) {
    try json.beginObject()
    var metadata = Metadata()
    var isOpen = false
    while let name = try json.nextName() {
      if name.size > 0, json.firstByte(of: name) == UInt8(ascii: ".") {
        try readMetadata(name, into: &metadata)
      } else {
        if !isOpen { builder.open() }
        isOpen = true
        try readChild(name)
      }
    }
    try finishObject(metadata, isOpen: isOpen)
    if !deferred.isEmpty { deferred.leave(level: steps.count) }
  }

  private mutating func readChild(_ name: JSONSpan) throws(JSONError) {
    try enter(.name(name), at: name.start)
    let raw = UnsafeRawBufferPointer(rebasing: json.bytes[name.start..<name.end])
    if name.hasEscapes {
      let decoded = JSONEscapes.decoded(raw)
      try decoded.withUnsafeBufferPointer { (bytes) throws(JSONError) in
        try addKey(UnsafeRawBufferPointer(bytes), at: name.start)
      }
    } else {
      try addKey(raw, at: name.start)
    }
    let (level, before) = (steps.count - 1, deferred.count)
    if before > 0 { deferred.forget(key(of: name), level: level) }
    try read()
    if deferred.count > before { deferred.remember(key(of: name), level: level, since: before) }
    steps.removeLast()
  }

  private mutating func enter(_ step: Step, at offset: Int) throws(JSONError) {
    guard steps.count < stepsMax else {
      throw JSONError(.tooDeep, "More than \(json.limits.depthMax) keys from the root to a leaf", at: offset)
    }
    steps.append(step)
  }

  private mutating func addKey(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JSONError) {
    if let problem = PathValidation.problem(inKey: bytes, sizeBytesMax: json.limits.keySizeBytesMax) {
      throw JSONError(.invalidKey, "Invalid key (\(problem.rawValue))", at: offset)
    }
    builder.append(key: bytes)
  }

  private mutating func finishObject(_ metadata: Metadata, isOpen: Bool) throws(JSONError) {
    if isOpen, case .absent = metadata.value {
      builder.close(priority: metadata.priority)
    } else if isOpen {
      throw JSONError(.invalidMetadata, "A node has both .value and children", at: metadata.offset)
    } else {
      switch metadata.value {
      case .absent, .null: return builder.nothing()
      case .scalar(let scalar): builder.leaf(scalar, priority: metadata.priority)
      case .string(let span): add(span, priority: metadata.priority)
      case .deferred(let operation):
        builder.leaf(.int(0), priority: metadata.priority)
        try deferred.add(Location(path: here), operation, json)
      }
      deepest = max(deepest, steps.count)
    }
    if let operation = metadata.deferredPriority {
      try deferred.add(Location(path: here, isPriority: true), operation, json)
    }
  }

  private mutating func add(_ span: JSONSpan, priority: Scalar?) {
    let raw = UnsafeRawBufferPointer(rebasing: json.bytes[span.start..<span.end])
    if span.hasEscapes {
      JSONEscapes.decoded(raw).withUnsafeBytes { builder.string(validUTF8: $0, priority: priority) }
    } else {
      builder.string(validUTF8: raw, priority: priority)
    }
  }

  // MARK: Metadata

  private mutating func readMetadata(_ name: JSONSpan, into metadata: inout Metadata) throws(JSONError) {
    let text = json.name(name)
    switch text {
    case ".priority":
      (metadata.priority, metadata.deferredPriority) = try readPriority()
    case ".value":
      if case .deferred = metadata.value { throw conflict(name) }
      metadata.value = try readLeafValue()
    case ".sv":
      switch metadata.value {
      case .absent, .deferred: metadata.value = .deferred(try json.serverValue())
      default: throw conflict(name)
      }
    default: throw JSONError(.invalidMetadata, "Unknown name with a leading dot", at: name.start)
    }
    if !(text == ".priority") { metadata.offset = name.start }
  }

  private func conflict(_ name: JSONSpan) -> JSONError {
    JSONError(.invalidMetadata, "A node has both .sv and .value", at: name.start)
  }

  private mutating func readLeafValue() throws(JSONError) -> Metadata.Value {
    switch try json.kind() {
    case .null:
      try json.literal("null")
      return .null
    case .bool: return .scalar(.bool(try json.bool()))
    case .number: return .scalar(try json.number())
    case .string: return .string(try json.leafString())
    case .object: return .deferred(try json.serverValueObject())
    case .array: throw JSONError(.invalidMetadata, "A leaf's value cannot be an array", at: json.position)
    }
  }

  private mutating func readPriority() throws(JSONError) -> (Scalar?, WriteValue.Operation?) {
    switch try json.kind() {
    case .null:
      try json.literal("null")
      return (nil, nil)
    case .number: return (try json.number(), nil)
    case .string: return (.string(json.text(of: try json.leafString())), nil)
    case .object: return (.int(0), try json.serverValueObject(orElse: .invalidPriority))
    case .bool, .array:
      throw JSONError(.invalidPriority, "A priority must be a number, a string or null", at: json.position)
    }
  }

  mutating func priorityValue() throws(JSONError) -> WriteValue {
    let (priority, operation) = try readPriority()
    guard let operation else { return WriteValue(priority.map { Node($0) } ?? .empty) }
    return WriteValue(Node(.int(0)), deferred: [.init(location: Location(path: .root), operation: operation)])
  }

  // MARK: Locations

  private var here: Path {
    Path(
      steps.map {
        switch $0 {
        case .name(let span): key(of: span)
        case .index(let index): Key(String(index))
        }
      })
  }

  private func key(of span: JSONSpan) -> Key { Key(json.text(of: span)) }
}
