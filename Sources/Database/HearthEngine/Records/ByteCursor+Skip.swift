/// Skipping of values without decoding them.
extension ByteCursor {
  /// Skips a value with its priority.
  mutating func skipValue() throws {
    var depth = 0
    while true {
      let tag = try byte()
      switch tag {
      case NodeEncoder.nothing:
        guard depth == 0 else { throw RecordError.Problem("a child without a value") }
      case NodeEncoder.interior:
        guard depth < NodeDecoder.depthMax else { throw RecordError.Problem("a value is nested too deep") }
        depth += 1
      default: try skipLeaf(tag: tag)
      }
      // A key of a child, or the end of the enclosing node.
      while depth > 0, try sized().isEmpty {
        try skipPriority()
        depth -= 1
      }
      if depth == 0 { return }
    }
  }

  /// Skips a leaf, whose tag has been read, with its priority.
  mutating func skipLeaf(tag: UInt8) throws {
    try skipScalar(tag: tag & ~NodeEncoder.priorityFlag)
    if tag & NodeEncoder.priorityFlag != 0 { try skipPriority() }
  }

  /// Skips an optional priority: a scalar, or the byte for none.
  mutating func skipPriority() throws {
    let tag = try byte()
    if tag != 0 { try skipScalar(tag: tag) }
  }

  private mutating func skipScalar(tag: UInt8) throws {
    switch tag {
    case 1, 2: break
    case 3: _ = try varint()
    case 4: _ = try littleEndian(byteCount: 8)
    case 5: _ = try sized()
    default: throw RecordError.Problem("unknown tag \(tag)")
    }
  }
}
