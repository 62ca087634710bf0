extension JSONReader {
  /// Reads a string that becomes a leaf or a priority, up to the maximum size of a leaf.
  mutating func leafString() throws(JSONError) -> JSONSpan {
    let span = try stringSpan()
    guard span.size <= limits.stringSizeBytesMax else {
      throw JSONError(.stringTooLong, "A string has more than \(limits.stringSizeBytesMax) bytes", at: span.start - 1)
    }
    return span
  }

  func name(_ span: JSONSpan) -> JSONName {
    JSONName(raw: UnsafeRawBufferPointer(rebasing: bytes[span.start..<span.end]), hasEscapes: span.hasEscapes)
  }

  /// Returns the first byte of a name that is not empty, with its escape resolved.
  func firstByte(of span: JSONSpan) -> UInt8 {
    guard span.hasEscapes, bytes[span.start] == UInt8(ascii: "\\") else { return bytes[span.start] }
    return JSONEscapes.decoded(name(span).raw).first ?? 0
  }

  /// Reads `{".sv": …}` without other members.
  mutating func serverValueObject(
    orElse code: JSONError.Code = .invalidMetadata
  ) throws(JSONError) -> WriteValue.Operation {
    let start = position
    var operation: WriteValue.Operation?
    try beginObject()
    while let name = try nextName() {
      guard self.name(name) == ".sv" else {
        throw JSONError(code, "An object is not a server value", at: start)
      }
      operation = try serverValue()
    }
    guard let operation else { throw JSONError(code, "An object is not a server value", at: start) }
    return operation
  }

  /// Reads the value of `.sv`.
  mutating func serverValue() throws(JSONError) -> WriteValue.Operation {
    let start = position
    func unknown() -> JSONError { JSONError(.unknownServerValue, "Unknown server value", at: start) }
    switch try kind() {
    case .string:
      guard name(try stringSpan()) == "timestamp" else { throw unknown() }
      return .timestamp
    case .object:
      var delta: Scalar?
      try beginObject()
      while let name = try nextName() {
        guard self.name(name) == "increment", try kind() == .number else { throw unknown() }
        delta = try number()
      }
      guard let delta else { throw unknown() }
      return .increment(delta)
    default: throw unknown()
    }
  }
}

/// The server values of one write while its text is read.
///
/// Of a repeated member name the last value counts, so server values inside an earlier one are removed.
struct JSONDeferredValues {
  private var values: [WriteValue.Deferred] = []
  private var isDropped: [Bool] = []
  /// The member names whose values contain server values, by level of the text, with the range of these in ``values``.
  /// Each list of values is contiguous, because values are met in the order of the text.
  private var ranges: [Int: [Key: Range<Int>]] = [:]

  var isEmpty: Bool { values.isEmpty }
  var count: Int { values.count }

  mutating func add(_ location: Location, _ operation: WriteValue.Operation, _ json: JSONReader) throws(JSONError) {
    guard values.count < json.limits.deferredValuesMax else {
      throw JSONError(.tooMany, "More than \(json.limits.deferredValuesMax) server values", at: json.position)
    }
    values.append(WriteValue.Deferred(location: location, operation: operation))
    isDropped.append(false)
  }

  /// Notes that the value of a member contains the server values from index `start` on.
  mutating func remember(_ key: Key, level: Int, since start: Int) {
    ranges[level, default: [:]][key] = start..<values.count
  }

  /// Drops the server values in an earlier value of the same member.
  mutating func forget(_ key: Key, level: Int) {
    guard let range = ranges[level]?.removeValue(forKey: key) else { return }
    for i in range { isDropped[i] = true }
  }

  /// Forgets the members of an object when its end is read.
  mutating func leave(level: Int) { ranges[level] = nil }

  func finish() -> [WriteValue.Deferred] {
    guard isDropped.contains(true) else { return values }
    return zip(values, isDropped).filter { !$1 }.map { $0.0 }
  }
}
