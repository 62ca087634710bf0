/// The children of a node that are in a range, in the order of an index or backward, returned one at a time.
struct OrderedChildIterator {
  /// A child with its sort value.
  struct Item {
    let key: Key
    let node: Node
    let value: SortValue

    /// The child's point in the order.
    var point: QueryPoint { QueryPoint(value: value, key: .key(key)) }

    static func isBefore(_ a: Item, _ b: Item) -> Bool {
      let order = a.value.compare(b.value)
      return order != 0 ? order < 0 : a.key < b.key
    }
  }

  private let node: Node
  private let order: Query.Order
  private let range: QueryRange
  private let isReversed: Bool

  /// The cursor over the node, for the children without a value, used when the index has no entries for them; nil when
  /// it is at the end.
  private var missing: NodeCursor?
  /// The cursor over the index; nil when it is at the end.
  private var entries: NodeCursor?
  /// An entry that was read ahead and is returned next.
  private var passed: NodeCursor.Step?
  /// Children whose texts were truncated to the same bytes, sorted so that the next one is last.
  private var group: [Item] = []

  /// Creates an iterator.
  ///
  /// - Parameter index: The index of this version of the node.
  init(_ node: Node, _ index: ChildIndex, in range: QueryRange, isReversed: Bool) {
    self.node = node
    self.range = range
    self.isReversed = isReversed
    order = index.order
    let near = isReversed ? range.upper : range.lower
    let hasMissing = index.isSparse && index.count > index.valueCount
    // In reverse order, the children without a value come last.
    if hasMissing, isReversed || near == nil || near?.value.isMissing == true {
      missing = NodeCursor(node)
      Self.seekKey(&missing, near.flatMap { $0.value.isMissing ? $0 : nil }, isReversed: isReversed)
    }
    // In forward order, the children without a value come first, before all entries.
    if !index.entries.isEmpty, !(hasMissing && isReversed && near?.value.isMissing == true) {
      entries = NodeCursor(index.entries)
      let point = hasMissing && near?.value.isMissing == true ? nil : near
      Self.seekEntry(&entries, point, isReversed: isReversed)
    }
  }

  private static func seekKey(_ cursor: inout NodeCursor?, _ point: QueryPoint?, isReversed: Bool) {
    let natural = isReversed ? Query.BoundKey.highest : .lowest
    guard let point, point.key != natural else {
      if isReversed { cursor?.seekEnd() }
      return
    }
    if case .key(let key) = point.key {
      key.withUTF8 { cursor?.seek(OrderedKey($0), behind: isReversed == point.isInclusive) }
    } else {
      cursor = nil
    }
  }

  private static func seekEntry(_ cursor: inout NodeCursor?, _ point: QueryPoint?, isReversed: Bool) {
    guard let point else {
      if isReversed { cursor?.seekEnd() }
      return
    }
    var place = IndexKey(point.value)
    var isBehind = false
    if IndexKey.isCut(point.value) {
      // Collects the whole group, including children outside of the range.
      if isReversed { place.appendBehindKeys() }
    } else {
      switch point.key {
      case .lowest: break
      case .highest: place.appendBehindKeys()
      case .key(let key):
        key.withUTF8 { place.append(key: $0) }
        isBehind = isReversed == point.isInclusive
      }
    }
    place.bytes.withUnsafeBytes { cursor?.seek(OrderedKey($0), behind: isBehind) }
  }

  /// Returns the next child; nil when there is none left in the range.
  mutating func next(cost: inout QueryCost) -> Item? {
    while let item = step(cost: &cost) {
      let (isNear, isFar) = item.key.withUTF8 { key in
        let (above, below) = (range.isAboveLower(item.value, key), range.isBelowUpper(item.value, key))
        return isReversed ? (below, above) : (above, below)
      }
      guard isNear else { continue }
      guard isFar else { break }
      return item
    }
    (missing, entries, passed) = (nil, nil, nil)
    group = []
    return nil
  }

  private mutating func step(cost: inout QueryCost) -> Item? {
    if let item = group.popLast() { return item }
    if isReversed { return stepOverEntries(cost: &cost) ?? stepOverMissing(cost: &cost) }
    return stepOverMissing(cost: &cost) ?? stepOverEntries(cost: &cost)
  }

  private mutating func stepOverMissing(cost: inout QueryCost) -> Item? {
    while let step = isReversed ? missing?.previous() : missing?.next() {
      cost.entriesRead += 1
      let (key, child) = (step.key, step.node)
      if order.value(of: child).isMissing { return Item(key: key, node: child, value: .missing) }
    }
    missing = nil
    return nil
  }

  private mutating func passEntry(cost: inout QueryCost) -> NodeCursor.Step? {
    if let step = passed {
      passed = nil
      return step
    }
    guard let step = isReversed ? entries?.previous() : entries?.next() else { return nil }
    cost.entriesRead += 1
    return step
  }

  private mutating func stepOverEntries(cost: inout QueryCost) -> Item? {
    while let step = passEntry(cost: &cost) {
      // The entry's bytes are valid as long as its page is held.
      defer { withExtendedLifetime(step.page) {} }
      guard let parts = IndexKey.Parts(step.entry.key) else { continue }
      if parts.isCut {
        collectGroup(step, prefix: Array(step.entry.key[..<parts.valueEnd]), cost: &cost)
        if let first = group.popLast() { return first }
      } else if let item = Self.item(step.entry.key, parts, of: node, order) {
        return item
      }
    }
    entries = nil
    return nil
  }

  /// Returns the child of an entry; nil when the entry is invalid.
  private static func item(
    _ bytes: UnsafeRawBufferPointer, _ parts: IndexKey.Parts, of node: Node, _ order: Query.Order
  ) -> Item? {
    let key = UnsafeRawBufferPointer(rebasing: bytes[parts.keyStart...])
    let child = node.child(utf8: key)
    return child.isEmpty ? nil : Item(key: Key(utf8: key), node: child, value: order.value(of: child))
  }

  private mutating func collectGroup(_ first: NodeCursor.Step, prefix: [UInt8], cost: inout QueryCost) {
    var next: NodeCursor.Step? = first
    while let step = next {
      defer { withExtendedLifetime(step.page) {} }
      let bytes = step.entry.key
      guard bytes.count >= prefix.count, bytes.prefix(prefix.count).elementsEqual(prefix) else {
        passed = step
        break
      }
      if let parts = IndexKey.Parts(bytes), let item = Self.item(bytes, parts, of: node, order) { group.append(item) }
      next = passEntry(cost: &cost)
    }
    // The last one is returned first.
    group.sort { isReversed ? Item.isBefore($0, $1) : Item.isBefore($1, $0) }
  }
}

extension IndexKey {
  /// Returns true when an index contains only the beginning of the text.
  static func isCut(_ value: SortValue) -> Bool {
    guard case .text(let text) = value else { return false }
    return text.withUTF8 { $0.count > keptCount(of: $0) }
  }
}
