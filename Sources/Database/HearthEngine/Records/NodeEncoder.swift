import HearthTree

/// An encoder of values in the binary format of ``CommitRecord``.
package enum NodeEncoder {
  static let nothing: UInt8 = 0
  static let string: UInt8 = 5
  static let interior: UInt8 = 6
  static let priorityFlag: UInt8 = 8

  static func append(_ node: Node, to bytes: inout [UInt8]) {
    append(node, to: &bytes) { _ in }
  }

  /// Appends the encoding of a value. The recursion is as deep as the tree, whose depth is limited. Data that is missing
  /// (see `NodeFault`) is left out: a text becomes a node without children, which decoders drop.
  ///
  /// - Parameter spill: Called between the children of every node; may write out bytes and remove them from the front.
  package static func append<Failure: Error>(
    _ node: Node, to bytes: inout [UInt8], spill: (inout [UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    // Counting references at each of millions of nodes would cost more than the encoding.
    let failure = withExtendedLifetime(node) { append(BorrowedNode(node), to: &bytes, spill: spill) }
    if let failure { throw failure }
  }

  /// - Returns: The error of `spill`, which ends the encoding.
  private static func append<Failure: Error>(
    _ node: BorrowedNode, to bytes: inout [UInt8], spill: (inout [UInt8]) throws(Failure) -> Void
  ) -> Failure? {
    let priority = node.priority
    guard node.isInterior else {
      let flag = priority == nil ? 0 : priorityFlag
      switch node.leaf {
      case .bytes(let text):
        bytes.append(string + flag)
        bytes.append(sized: text)
      case .text(let text): append(.string(text), flag: flag, to: &bytes)
      case .none where node.isEmpty: bytes.append(nothing)
      case .none:
        bytes += [interior, 0, nothing]
        return nil
      case .bool, .number:
        if let scalar = node.scalar { append(scalar, flag: flag, to: &bytes) }
      }
      if let priority { append(priority, to: &bytes) }
      return nil
    }
    bytes.append(interior)
    var failure: Failure?
    node.forEachChild { key, child in
      bytes.append(sized: key)
      failure = append(child, to: &bytes, spill: spill)
      guard failure == nil else { return false }
      do throws(Failure) { try spill(&bytes) } catch { failure = error }
      return failure == nil
    }
    guard failure == nil else { return failure }
    bytes.append(0)
    if let priority { append(priority, to: &bytes) } else { bytes.append(nothing) }
    return nil
  }

  static func append(_ scalar: Scalar, flag: UInt8 = 0, to bytes: inout [UInt8]) {
    switch scalar {
    case .bool(let value): bytes.append((value ? 2 : 1) + flag)
    case .int(let value):
      bytes.append(3 + flag)
      bytes.append(varint: UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    case .double(let value):
      bytes.append(4 + flag)
      bytes.append(littleEndian: value.bitPattern)
    case .string(let text):
      bytes.append(string + flag)
      bytes.append(sized: text)
    }
  }
}
