/// The form in which an index is stored with the pages of its entries.
///
/// ```
/// index = {"count": integer,            the number of children
///          "values": integer,           the number of those with a value; absent when there is none
///          "sparse": true,              absent when children without a value have entries, too
///          "entries": entries}          absent when there is none
/// ```
extension ChildIndex {
  /// The key of the entries in the stored form.
  package static let entriesKey: Key = "entries"
  private static let countKey: Key = "count"
  private static let valueCountKey: Key = "values"
  private static let sparseKey: Key = "sparse"

  /// The stored form, which shares the pages of the entries.
  package var stored: Node {
    Node.empty.replacing([
      (Path([Self.countKey]), Node(.int(Int64(count)))),
      (Path([Self.valueCountKey]), valueCount > 0 ? Node(.int(Int64(valueCount))) : .empty),
      (Path([Self.sparseKey]), isSparse ? Node(.bool(true)) : .empty),
      (Path([Self.entriesKey]), entries),
    ])
  }

  /// Creates an index from its stored form, without reading its entries; nil when its numbers contradict each other.
  package init?(stored node: Node, by order: Query.Order) {
    guard order != .key, case .int(let count)? = node.child(Self.countKey).scalar, (0...Self.countMax).contains(count)
    else { return nil }
    let isSparse = node.child(Self.sparseKey).scalar == .bool(true)
    let values = node.child(Self.valueCountKey)
    let valueCount: Int64? = if case .int(let number)? = values.scalar { number } else { values.isEmpty ? 0 : nil }
    let entries = node.child(Self.entriesKey)
    guard let valueCount, (0...count).contains(valueCount), entries.priority == nil, !entries.isLeaf,
      entries.childCount == Int(isSparse ? valueCount : count)
    else { return nil }
    self.init(order, count: Int(count), entries: entries, valueCount: Int(valueCount), isSparse: isSparse)
  }

  private static let countMax: Int64 = 1 << 48

  /// The bytes of the entries' pages.
  package var entryBytes: Int { entries.heldBytes() }

  /// Builds all pages of the entries anew: the branches above them may contain the keys of entries that were removed.
  package mutating func rebuildEntries() {
    guard !entries.isEmpty else { return }
    var builder = NodeBuilder()
    builder.open()
    var cursor = NodeCursor(entries)
    while let step = cursor.next() {
      defer { withExtendedLifetime(step.page) {} }
      builder.append(key: step.entry.key)
      builder.leaf(.bool(true))
    }
    builder.close()
    entries = builder.finish()
  }
}
