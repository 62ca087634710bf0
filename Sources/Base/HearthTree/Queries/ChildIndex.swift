/// The children of a node in another order than that of their keys.
///
/// It is a value type: every version of it can be kept without a copy, like the versions of a tree.
///
/// Its entries are the children of a ``Node``, under keys whose order is that of the query (see `IndexKey`). While only
/// few children have a value in this order, the others need no entries: they are sorted by key, as in the node. So an
/// index by priority takes no memory when the children have no priorities.
public struct ChildIndex: Sendable {
  /// The order of the children.
  public let order: Query.Order

  /// The number of children.
  public private(set) var count: Int

  /// The entries as children of a node; each has the value true.
  var entries: Node

  /// The number of children that have a value in this order.
  private(set) var valueCount: Int

  /// True when children without a value have no entries. They are found by walking the node, over those with a value.
  private(set) var isSparse: Bool

  /// The maximum number of children with a value in a sparse index, which a walk over the others has to skip. It is
  /// about the number of entries in a page.
  static let sparseValueCountMax = 64

  private static let mark = Node(.bool(true))

  /// The number of entries. Each takes about 20 bytes in addition to the child's key and to the text by which the child
  /// is ordered.
  public var entryCount: Int { entries.childCount }

  /// Creates the index of all children of a node.
  public init(_ node: Node, by order: Query.Order, cost: inout QueryCost) {
    self.order = order
    count = node.childCount
    entries = .empty
    valueCount = 0
    isSparse = true
    if order == .key { return }
    if !addValues(of: node, isSparse: true, cost: &cost) {
      isSparse = false
      _ = addValues(of: node, isSparse: false, cost: &cost)
    }
  }

  /// Creates the index for the order of keys, which needs no entries.
  init(keysOf node: Node) {
    order = .key
    count = node.childCount
    entries = .empty
    valueCount = 0
    isSparse = true
  }

  /// Creates an index from its parts.
  init(_ order: Query.Order, count: Int, entries: Node, valueCount: Int, isSparse: Bool) {
    (self.order, self.count, self.entries) = (order, count, entries)
    (self.valueCount, self.isSparse) = (valueCount, isSparse)
  }

  /// Creates all entries. Returns false, without a change, when there are too many values for a sparse index.
  private mutating func addValues(of node: Node, isSparse: Bool, cost: inout QueryCost) -> Bool {
    var builder = NodeBuilder()
    var (valueCount, scannedCount, isComplete) = (0, 0, true)
    builder.open()
    UnmanagedNode.withNode(node) { unmanaged in
      unmanaged.forEachChild { key, child in
        scannedCount += 1
        let value = order.value(of: child)
        if !value.isMissing { valueCount += 1 }
        if isSparse && valueCount > Self.sparseValueCountMax { isComplete = false }
        if !isComplete { return false }
        if !value.isMissing || !isSparse {
          IndexKey(value, key).bytes.withUnsafeBytes { builder.append(key: $0) }
          builder.leaf(.bool(true))
        }
        return true
      }
    }
    builder.close()
    cost.childrenScanned += scannedCount
    guard isComplete else { return false }
    entries = builder.finish()
    cost.entriesWritten += entries.childCount
    self.valueCount = valueCount
    return true
  }

  /// Replaces the entries by those of `body`, which must be equal: other versions of them, stored or evicted.
  package mutating func replaceEntries(_ body: (Node) throws -> Node) rethrows { entries = try body(entries) }

  /// Updates the entry of a child that was `old` and is now `new`; either may be empty.
  ///
  /// After all changes of one version call ``rebuildIfNeeded(_:cost:)``.
  public mutating func replace(_ key: Key, _ old: Node, _ new: Node, cost: inout QueryCost) {
    if isSparse, count == valueCount, valueCount > Self.sparseValueCountMax { isSparse = false }
    count += (new.isEmpty ? 0 : 1) - (old.isEmpty ? 0 : 1)
    if order == .key { return }
    let (before, after) = (value(of: old), value(of: new))
    valueCount += (after?.isMissing == false ? 1 : 0) - (before?.isMissing == false ? 1 : 0)
    if before == after { return }
    let (left, taken) = (entryKey(before, key), entryKey(after, key))
    if left == taken { return }
    if let left { setEntry(left, .empty, cost: &cost) }
    if let taken { setEntry(taken, Self.mark, cost: &cost) }
  }

  private func value(of child: Node) -> SortValue? { child.isEmpty ? nil : order.value(of: child) }

  /// Returns the key of a child's entry; nil when the child has no entry.
  private func entryKey(_ value: SortValue?, _ key: Key) -> [UInt8]? {
    guard let value, !(value.isMissing && isSparse) else { return nil }
    return key.withUTF8 { IndexKey(value, $0).bytes }
  }

  private mutating func setEntry(_ entryKey: [UInt8], _ node: Node, cost: inout QueryCost) {
    entries = entryKey.withUnsafeBytes { entries.updating(OrderedKey($0)) { _ in node } }
    cost.entriesWritten += 1
  }

  /// Ends the changes of one version, which is `node`. A sparse index is rebuilt, once, when too many children have a
  /// value; otherwise walks would become slower.
  public mutating func rebuildIfNeeded(_ node: Node, cost: inout QueryCost) {
    guard isSparse, order != .key, valueCount > Self.sparseValueCountMax else { return }
    isSparse = false
    if count > valueCount { _ = addValues(of: node, isSparse: false, cost: &cost) }
  }

  /// Moves the index to the next version of the node: ``replace(_:_:_:cost:)`` for each change, and
  /// ``rebuildIfNeeded(_:cost:)``.
  public mutating func apply(_ changes: [QueryWindow.ChildChange], node: Node, cost: inout QueryCost) {
    for change in changes { replace(change.key, change.old, change.new, cost: &cost) }
    rebuildIfNeeded(node, cost: &cost)
  }
}
