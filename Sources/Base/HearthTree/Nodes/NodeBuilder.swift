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

  /// The store to which full pages move while their node is open; `nil` when everything stays in memory.
  private var spill: (any NodeSpill)?
  /// The size of ``bytes`` from which children of open nodes move to the store.
  private var spillSizeBytes = Int.max
  /// The children of open nodes that have moved, by the index of the node in ``levels``.
  private var spilled: [Int: SpilledChildren] = [:]

  private struct Level {
    var byteStart: Int
    var referenceStart: Int
    var entryStart: Int
    var isOrdered = true
    var hasNothing = false
    var lastRank: UInt64 = 0
    var isKeyPending = false
    /// The number of leaves in it, while no key was repeated.
    var leaves = 0
  }

  /// Creates a builder that expects the root's value.
  public init() {}

  init(_ spill: any NodeSpill, sizeBytes: Int) { (self.spill, spillSizeBytes) = (spill, sizeBytes) }

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
    if bytes.count >= spillSizeBytes { spillLargestLevel() }
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
    guard utf8.isASCII else { return leaf(.string(String(decoding: utf8, as: UTF8.self)), priority: priority) }
    string(validUTF8: utf8, priority: priority)
  }

  /// Adds a leaf that is a string, whose bytes are known to be UTF-8.
  mutating func string(validUTF8 utf8: UnsafeRawBufferPointer, priority: Scalar? = nil) {
    guard priority == nil, utf8.count <= PackedValue.inlineStringSizeBytesMax else {
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
    append(node)
  }

  private mutating func append(_ node: Node) {
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
    if !spilled.isEmpty, spilled[levels.count] != nil { return closeSpilled(level, priority: priority) }
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
      append(PackedKind.tree, spill?.stored(tree) ?? tree)
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

  /// Keeps a text alive, which may move to the store, and returns the head of its value.
  private mutating func refer(to text: PageText) -> PackedHead {
    let text = spill?.stored(text) ?? text
    references.append(text)
    return PackedHead(kind: PackedKind.text, text)
  }

  private mutating func append(_ scalar: Scalar, priority: Scalar?) {
    let (head, text, object) = PackedHead.parts(of: scalar)
    let start = if let object { refer(to: object) } else { head }
    if let priority {
      bytes.append(start.tag | PackedValue.priorityFlag)
      append(priority, priority: nil)
      append(start, from: 1)
    } else {
      append(start)
    }
    if let text { bytes.append(contentsOf: text.utf8) }
  }

  /// Sorts the entries of a level by key, keeps the last entry of a repeated key, and drops empty ones.
  private mutating func arrange(_ level: Level) {
    let arranged = bytes.withUnsafeBytes { Self.arranged($0, starts[level.entryStart...], dropsNothing: true) }
    starts.replaceSubrange(level.entryStart..., with: arranged.starts.map { level.byteStart + $0 })
    bytes.replaceSubrange(level.byteStart..., with: arranged.bytes)
  }

  /// Returns entries in key order, with their offsets: the last one of a repeated key, and empty ones unless they are
  /// dropped.
  static func arranged(
    _ all: UnsafeRawBufferPointer, _ starts: ArraySlice<Int>, dropsNothing: Bool
  ) -> (bytes: [UInt8], starts: [Int]) {
    var result: (bytes: [UInt8], starts: [Int]) = ([], [])
    guard let base = all.baseAddress else { return result }
    var order = starts.map { (start: $0, key: OrderedKey(PackedEntry(base + $0).key)) }
    order.sort { a, b in
      let result = a.key.compare(b.key.bytes, rank: b.key.rank)
      return result != 0 ? result < 0 : a.start < b.start
    }
    for (i, item) in order.enumerated() {
      let entry = PackedEntry(base + item.start)
      let isRepeated = i + 1 < order.count && order[i + 1].key.bytes.elementsEqualBytes(entry.key)
      if isRepeated || dropsNothing && entry.value.kind == PackedKind.nothing { continue }
      result.starts.append(result.bytes.count)
      result.bytes.append(contentsOf: UnsafeRawBufferPointer(start: entry.start, count: entry.end - entry.start))
    }
    return result
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

extension NodeBuilder {
  /// Moves the complete entries of the open node with most of them to the store.
  private mutating func spillLargestLevel() {
    guard let last = levels.last, !last.isKeyPending else { return }
    let sizes = levels.indices.map { end(ofCompleteEntriesIn: $0).byte - levels[$0].byteStart }
    guard let largest = sizes.indices.max(by: { sizes[$0] < sizes[$1] }), sizes[largest] > 0 else { return }
    spillEntries(ofLevel: largest)
  }

  /// Returns where the entries of an open node end that have a value: before the key of the child that is open.
  private func end(ofCompleteEntriesIn index: Int) -> (byte: Int, entry: Int) {
    guard index + 1 < levels.count else { return (bytes.count, starts.count) }
    let entry = levels[index + 1].entryStart - 1
    return (starts[entry], entry)
  }

  private mutating func spillEntries(ofLevel index: Int) {
    guard let spill else { return }
    let (level, end) = (levels[index], end(ofCompleteEntriesIn: index))
    let referenceEnd = index + 1 < levels.count ? levels[index + 1].referenceStart : references.count
    let (size, count) = (end.byte - level.byteStart, end.entry - level.entryStart)
    bytes.withUnsafeBytes { all in
      let entries = UnsafeRawBufferPointer(rebasing: all[level.byteStart..<end.byte])
      let offsets = starts[level.entryStart..<end.entry].map { $0 - level.byteStart }
      spilled[index, default: SpilledChildren()].append(
        entries, offsets, isOrdered: level.isOrdered && !level.hasNothing,
        mayRefer: referenceEnd > level.referenceStart,
        to: spill)
    }
    bytes.removeSubrange(level.byteStart..<end.byte)
    starts.removeSubrange(level.entryStart..<end.entry)
    references.removeSubrange(level.referenceStart..<referenceEnd)
    for i in level.entryStart..<starts.count { starts[i] -= size }
    for i in levels.indices.dropFirst(index + 1) {
      levels[i].byteStart -= size
      levels[i].entryStart -= count
      levels[i].referenceStart -= referenceEnd - level.referenceStart
    }
    (levels[index].isOrdered, levels[index].hasNothing) = (true, false)
  }

  /// Ends the interior node that was opened last, of which children have moved to the store.
  private mutating func closeSpilled(_ level: Level, priority: Scalar?) {
    levels.append(level)
    spillEntries(ofLevel: levels.count - 1)
    levels.removeLast()
    guard let spill, var children = spilled.removeValue(forKey: levels.count) else { return }
    truncate(to: level)
    append(children.finish(spill).with(priority: priority))
    isFinished = levels.isEmpty
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
