extension JSONReader {
  /// Reads the object of a multi-path update: every name is a path (`a/b`, `a/.priority`) below the location that is
  /// updated, every value replaces the one there.
  ///
  /// The writes are returned in the order in which they apply: priorities last, so that they apply to the values of the
  /// same update. Of a repeated name the last value counts; two names of one path, and a path below another one, are
  /// errors.
  ///
  /// - Parameter depth: The number of keys above the location that is updated.
  public mutating func merge(below depth: Int = 0) throws(JSONError) -> [Write] {
    var writes: [Write] = []
    var (names, places): ([JSONSpan], [Location: Int]) = ([], [:])
    try beginObject()
    while let name = try nextName() {
      let location = try location(of: name)
      let value = try writeValue(for: location, below: depth)
      if let i = places[location] {
        guard isSameText(name, names[i]) else {
          throw JSONError(.overlappingPaths, "\(location) occurs twice", at: name.start)
        }
        (writes[i].value, names[i]) = (value, name)
        continue
      }
      guard writes.count < limits.mergePathsMax else {
        throw JSONError(.tooMany, "More than \(limits.mergePathsMax) paths in one update", at: name.start)
      }
      places[location] = writes.count
      writes.append(Write(location: location, value: value))
      names.append(name)
    }
    try refuseOverlaps(writes, names.map(\.start))
    return writes.filter { !$0.location.isPriority } + writes.filter(\.location.isPriority)
  }

  /// Reads a string that is a path, see ``Location/init(wire:)``. The error of an invalid path has the code
  /// `invalidPath` and the message that is sent to clients.
  public mutating func location() throws(JSONError) -> Location {
    guard try peek() == UInt8(ascii: "\"") else { throw wrongKind("a path") }
    return try location(of: try stringSpan())
  }

  func location(of span: JSONSpan) throws(JSONError) -> Location {
    let raw = name(span).raw
    do throws(PathError) {
      guard span.hasEscapes else { return try Location(wire: raw) }
      return try JSONEscapes.decoded(raw).withUnsafeBufferPointer { (bytes) throws(PathError) in
        try Location(wire: UnsafeRawBufferPointer(bytes))
      }
    } catch {
      throw JSONError(.invalidPath, PathError.text, at: span.start)
    }
  }

  /// Returns true when both strings are equal once their escapes are resolved.
  private func isSameText(_ a: JSONSpan, _ b: JSONSpan) -> Bool {
    func text(_ span: JSONSpan) -> [UInt8] {
      span.hasEscapes ? JSONEscapes.decoded(name(span).raw) : Array(name(span).raw)
    }
    return text(a) == text(b)
  }

  /// Throws an error when a path is at or below another. When the paths are sorted, those below a path follow it
  /// directly.
  private func refuseOverlaps(_ writes: [Write], _ offsets: [Int]) throws(JSONError) {
    if writes.allSatisfy({ $0.location.path.count == 1 && !$0.location.isPriority }) { return }
    let order = writes.indices.sorted { writes[$0].location.parts.lexicographicallyPrecedes(writes[$1].location.parts) }
    for (first, second) in zip(order, order.dropFirst()) {
      let (above, below) = (writes[first].location, writes[second].location)
      if below.parts.starts(with: above.parts) {
        throw JSONError(.overlappingPaths, "\(below) lies inside \(above)", at: max(offsets[first], offsets[second]))
      }
    }
  }
}

extension Location {
  /// The keys, followed by `.priority` for the location of a priority.
  fileprivate var parts: [Key] { isPriority ? path.keys + [Key(Self.priorityName)] : path.keys }
}
