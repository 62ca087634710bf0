import HearthTree

/// An encoder of values in the binary format of ``CommitRecord``.
package enum NodeEncoder {
  static let nothing: UInt8 = 0
  static let interior: UInt8 = 6
  static let priorityFlag: UInt8 = 8

  static func append(_ node: Node, to bytes: inout [UInt8]) {
    append(node, to: &bytes) { _ in }
  }

  /// Appends the encoding of a value. The recursion is as deep as the tree, whose depth is limited.
  ///
  /// - Parameter spill: Called between the children of every node; may write out bytes and remove them from the front.
  package static func append(
    _ node: Node, to bytes: inout [UInt8], spill: (inout [UInt8]) throws -> Void
  ) rethrows {
    if let scalar = node.scalar {
      append(scalar, flag: node.priority == nil ? 0 : priorityFlag, to: &bytes)
      if let priority = node.priority { append(priority, to: &bytes) }
      return
    }
    guard node.isInterior else { return bytes.append(nothing) }
    bytes.append(interior)
    for (key, child) in node.children {
      bytes.append(sized: key.text)
      try append(child, to: &bytes, spill: spill)
      try spill(&bytes)
    }
    bytes.append(0)
    if let priority = node.priority {
      append(priority, to: &bytes)
    } else {
      bytes.append(nothing)
    }
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
      bytes.append(5 + flag)
      bytes.append(sized: text)
    }
  }
}
