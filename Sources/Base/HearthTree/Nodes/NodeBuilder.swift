/// A builder of a tree from the events of a JSON reader.
///
/// One value is either `leaf`, `string`, `node` or `nothing`, or it is `open`, any number of (`key`, value) pairs,
/// `close`. Children may come in any order; of a repeated key the last value counts. An interior node that has no
/// children at its end is dropped.
///
/// Values are packed as they arrive; those too large for a page become full pages when they are closed, so that memory
/// use is about that of the result.
public struct NodeBuilder: Sendable {
  /// Packed values of all open nodes, one entry after another.
  private var bytes: [UInt8] = []
  // Kept alive while their addresses are used. Every object in the array is a `PageTree` or a `PageText`, which are
  // Sendable.
  private nonisolated(unsafe) var references: ContiguousArray<AnyObject> = []
  /// The offsets at which the entries of the open nodes begin.
  private var starts: [Int] = []
  private var levels: [Level] = []
  private var isFinished = false

  private struct Level {
    let byteStart: Int
    let referenceStart: Int
    let entryStart: Int
    var isOrdered = true
    var hasNothing = false
    var lastRank: UInt64 = 0
    var isKeyPending = false
    /// The number of leaves in it, while no key was repeated.
    var leaves = 0
  }

  /// Creates a builder that expects the root's value.
  public init() {}

  /// Starts an interior node.
  public mutating func open() {
    beginValue()
    levels.append(Level(byteStart: bytes.count, referenceStart: references.count, entryStart: starts.count))
  }

  /// Sets the key of the next value.
  public mutating func key(_ key: Key) { key.withUTF8 { append(key: $0) } }

  /// Sets the key of the next value. Bytes that are not UTF-8 become U+FFFD.
  public mutating func key(utf8: UnsafeRawBufferPointer) {
    if utf8.isASCII { append(key: utf8) } else { key(Key(utf8: utf8)) }
  }

  /// Sets the key of the next value without checking that the bytes are UTF-8: the keys of an index need not be.
  mutating func append(key: UnsafeRawBufferPointer) {
    guard !levels.isEmpty else { return }
    let last = levels.count - 1
    let ordered = OrderedKey(key)
    if levels[last].isKeyPending, let start = starts.popLast() {
      bytes.removeSubrange(start...)
      levels[last].isOrdered = false  // the rank of the previous key is no longer known
    }
    if levels[last].isOrdered, starts.count > levels[last].entryStart {
      levels[last].isOrdered = bytes.withUnsafeBytes { all in
        guard let base = all.baseAddress else { return false }
        return ordered.compare(PackedEntry(base + starts[starts.count - 1]).key, rank: levels[last].lastRank) > 0
      }
    }
    levels[last].lastRank = ordered.rank
    levels[last].isKeyPending = true
    starts.append(bytes.count)
    var rest = key.count
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F | 0x80))
      rest >>= 7
    }
    bytes.append(UInt8(rest))
    bytes.append(contentsOf: key)
  }

  /// Adds a leaf.
  public mutating func leaf(_ scalar: Scalar, priority: Scalar? = nil) {
    beginValue()
    append(scalar, priority: priority)
    addLeaves(1)
  }

  /// Adds a leaf that is a string. Bytes that are not UTF-8 become U+FFFD.
  public mutating func string(utf8: UnsafeRawBufferPointer, priority: Scalar? = nil) {
    guard priority == nil, utf8.count <= PackedValue.inlineStringSizeBytesMax, utf8.isASCII else {
      return leaf(.string(String(decoding: utf8, as: UTF8.self)), priority: priority)
    }
    beginValue()
    append(PackedHead(stringByteCount: utf8.count))
    bytes.append(contentsOf: utf8)
    addLeaves(1)
  }

  /// Adds an empty value, which removes an earlier value of the same key.
  public mutating func nothing() {
    beginValue()
    appendNothing()
  }

  /// Adds a whole subtree that already exists.
  public mutating func node(_ node: Node) {
    beginValue()
    switch node.content {
    case .empty: appendNothing()
    case .tree(let tree):
      append(PackedKind.tree, tree)
      addLeaves(tree.leaves)
    case .packed(let page, let offset):
      let value = page.value(at: offset)
      bytes.append(contentsOf: UnsafeRawBufferPointer(start: value.start, count: value.size))
      if page.hasReferences { references.append(page) }  // The page keeps the objects alive to which it refers.
      addLeaves(node.leafCount)
    }
  }

  /// Ends the interior node that was opened last.
  public mutating func close(priority: Scalar? = nil) {
    guard let level = levels.popLast() else { return }
    if level.isKeyPending, let start = starts.popLast() { bytes.removeSubrange(start...) }
    let isInOrder = level.isOrdered && !level.hasNothing
    if !isInOrder { arrange(level) }
    let leaves = isInOrder ? level.leaves : leaves(of: level)
    let count = starts.count - level.entryStart
    let size = bytes.count - level.byteStart
    if count == 0 {
      appendNothing()
    } else if size <= Node.packedSizeBytesMax && count <= Node.packedCountMax {
      starts.removeSubrange(level.entryStart...)
      wrap(level, count: count, size: size, priority: priority)
    } else {
      let mayRefer = references.count > level.referenceStart
      let tree = bytes.withUnsafeBytes { all in
        PageTree.make(all, starts[level.entryStart...], leaves: leaves, mayRefer: mayRefer, priority: priority)
      }
      truncate(to: level)
      append(PackedKind.tree, tree)
    }
    addLeaves(leaves)
    isFinished = levels.isEmpty
  }

  /// Returns the tree; empty when there was no value or the value is incomplete.
  public func finish() -> Node {
    guard isFinished, levels.isEmpty else { return .empty }
    return bytes.withUnsafeBytes { all in
      guard let base = all.baseAddress else { return .empty }
      let value = PackedValue(base)
      switch value.kind {
      case PackedKind.nothing: return .empty
      case PackedKind.tree: return Node(.tree(value.tree.takeUnretainedValue()))
      default:
        var writer = PageWriter(entryCount: 0, byteCount: all.count)
        writer.value(value, mayRefer: !references.isEmpty)
        return Node(.packed(writer.finish(), 0))
      }
    }
  }
}

extension NodeBuilder {
  private mutating func beginValue() {
    guard let level = levels.last else {
      bytes.removeAll(keepingCapacity: true)
      references.removeAll(keepingCapacity: true)
      isFinished = true
      return
    }
    if !level.isKeyPending { append(key: UnsafeRawBufferPointer(start: nil, count: 0)) }
    levels[levels.count - 1].isKeyPending = false
  }

  /// Counts leaves of the innermost open node.
  private mutating func addLeaves(_ count: Int) {
    if !levels.isEmpty { levels[levels.count - 1].leaves &+= count }
  }

  /// Counts the leaves in the entries of a level.
  private func leaves(of level: Level) -> Int {
    bytes.withUnsafeBytes { all in
      guard let base = all.baseAddress else { return 0 }
      var totals = PageTotals()
      for start in starts[level.entryStart...] { totals.add(contentOf: PackedEntry(base + start).value) }
      return totals.leaves
    }
  }

  private mutating func truncate(to level: Level) {
    bytes.removeSubrange(level.byteStart...)
    references.removeSubrange(level.referenceStart...)
    starts.removeSubrange(level.entryStart...)
  }

  private mutating func appendNothing() {
    bytes.append(PackedKind.nothing)
    if !levels.isEmpty { levels[levels.count - 1].hasNothing = true }
  }

  private mutating func append(_ head: PackedHead, from first: Int = 0) {
    head.withBytes(from: first) { bytes.append(contentsOf: $0) }
  }

  private mutating func append(_ kind: UInt8, _ object: AnyObject) {
    append(PackedHead(kind: kind, object))
    references.append(object)
  }

  private mutating func append(_ scalar: Scalar, priority: Scalar?) {
    let (start, text, object) = PackedHead.parts(of: scalar)
    if let object { references.append(object) }
    if let priority {
      bytes.append(UInt8(truncatingIfNeeded: start.bits) | PackedValue.priorityFlag)
      append(priority, priority: nil)
      append(start, from: 1)
    } else {
      append(start)
    }
    if let text { bytes.append(contentsOf: text.utf8) }
  }

  /// Sorts the entries of a level by key, keeps the last entry of a repeated key, and drops empty ones.
  private mutating func arrange(_ level: Level) {
    let arranged: [UInt8] = bytes.withUnsafeBytes { all in
      guard let base = all.baseAddress else { return [] }
      var order = starts[level.entryStart...].map { (start: $0, key: OrderedKey(PackedEntry(base + $0).key)) }
      order.sort { a, b in
        let result = a.key.compare(b.key.bytes, rank: b.key.rank)
        return result != 0 ? result < 0 : a.start < b.start
      }
      var result: [UInt8] = []
      starts.removeSubrange(level.entryStart...)
      for (i, item) in order.enumerated() {
        let entry = PackedEntry(base + item.start)
        let isRepeated = i + 1 < order.count && order[i + 1].key.bytes.elementsEqualBytes(entry.key)
        guard !isRepeated, entry.value.kind != PackedKind.nothing else { continue }
        starts.append(level.byteStart + result.count)
        result.append(contentsOf: UnsafeRawBufferPointer(start: entry.start, count: entry.end - entry.start))
      }
      return result
    }
    bytes.removeSubrange(level.byteStart...)
    bytes.append(contentsOf: arranged)
  }

  /// Inserts the head of a packed interior value before its entries.
  private mutating func wrap(_ level: Level, count: Int, size: Int, priority: Scalar?) {
    let hasReferences = references.count > level.referenceStart
    let end = bytes.count
    bytes.append(
      PackedKind.interior | (priority == nil ? 0 : PackedValue.priorityFlag)
        | (hasReferences ? PackedValue.referencesFlag : 0))
    if let priority { append(priority, priority: nil) }
    bytes.append(UInt8(count))
    bytes.append(UInt8(truncatingIfNeeded: size))
    bytes.append(UInt8(truncatingIfNeeded: size >> 8))
    let head = Array(bytes[end...])
    bytes.removeSubrange(end...)
    bytes.insert(contentsOf: head, at: level.byteStart)
  }
}

extension UnsafeRawBufferPointer {
  var isASCII: Bool {
    var (i, bits) = (0, UInt64(0))
    while i + 8 <= count {
      bits |= loadUnaligned(fromByteOffset: i, as: UInt64.self)
      i += 8
    }
    while i < count {
      bits |= UInt64(self[i])
      i += 1
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }
}
