extension JSONWriter {
  /// Writes a tree; `null` when it is empty.
  public mutating func write(_ node: Node, _ form: JSONForm) {
    UnmanagedNode.withNode(node) { write($0, form) }
  }

  private mutating func write(_ node: UnmanagedNode, _ form: JSONForm) {
    let hasPriority = form == .export && node.hasPriority
    guard node.isInterior else {
      guard hasPriority else { return write(leaf: node) }
      openObject()
      separateMember(isFirst: true)
      write(raw: "\".value\"")
      colon()
      write(leaf: node)
      write(priorityOf: node)
      return closeObject(isEmpty: false)
    }
    if form == .plain, let length = node.arrayLength { return write(array: node, length: length) }
    openObject()
    var isFirst = true
    node.forEachChild { key, child in
      separateMember(isFirst: isFirst)
      isFirst = false
      write(utf8: key)
      colon()
      write(child, form)
      return true
    }
    if hasPriority { write(priorityOf: node) }
    closeObject(isEmpty: false)
  }

  private mutating func write(leaf node: UnmanagedNode) {
    if node.withPackedString({ write(utf8: $0) }) { return }
    if let scalar = node.scalar { write(scalar) } else { writeNull() }
  }

  private mutating func write(priorityOf node: UnmanagedNode) {
    guard let priority = node.priority else { return }
    separateMember(isFirst: false)
    write(raw: "\".priority\"")
    colon()
    write(priority)
  }

  /// Writes the children at their indexes, `null` at the others.
  private mutating func write(array node: UnmanagedNode, length: Int) {
    openArray()
    var next = 0
    node.forEachChild { key, child in
      let index = UnmanagedNode.arrayIndex(key) ?? next
      while next < index {
        separateElement(isFirst: next == 0)
        writeNull()
        next += 1
      }
      separateElement(isFirst: next == 0)
      write(child, .plain)
      next += 1
      return true
    }
    closeArray(isEmpty: false)
  }
}

extension UnmanagedNode {
  /// The length of the array that clients show this node as; nil when they show an object. It is an array when all keys
  /// are plain indexes and more than half of the indexes up to the highest are used.
  var arrayLength: Int? {
    // Keys that are integers come first and in order, so usually the first child shows that this is not an array.
    var length: Int? = 0
    let limit = 2 * childCount
    forEachChild { key, _ in
      if let index = Self.arrayIndex(key), index < limit { length = index + 1 } else { length = nil }
      return length != nil
    }
    return length
  }

  /// Returns the index that a key such as `0`, `1` or `2` names; nil when the key has leading zeros or another form, or
  /// the number is far too large for an array.
  fileprivate static func arrayIndex(_ key: UnsafeRawBufferPointer) -> Int? {
    guard (1...10).contains(key.count), key[0] != UInt8(ascii: "0") || key.count == 1 else { return nil }
    var value = 0
    for byte in key {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    return value
  }
}

extension Node {
  /// The length of the array that clients show this node as, including the gaps; nil when they show an object or a
  /// leaf. It is an array when all keys are `0`, `1`, `2`, … without leading zeros and more than half of the indexes up
  /// to the highest are used.
  public var arrayLength: Int? {
    guard isInterior else { return nil }
    return withExtendedLifetime(self) { UnmanagedNode(self).arrayLength }
  }

  /// Returns the tree as JSON text.
  public func json(_ form: JSONForm = .export, pretty: Bool = false) -> [UInt8] {
    json(form, layout: pretty ? .indented : .compact)
  }

  /// Returns the tree as JSON text in a layout.
  public func json(_ form: JSONForm = .export, layout: JSONWriter.Layout) -> [UInt8] {
    var writer = JSONWriter(layout: layout)
    writer.write(self, form)
    return writer.bytes
  }
}
