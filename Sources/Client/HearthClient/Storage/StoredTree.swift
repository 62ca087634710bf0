import HearthTree

/// A builder of a node from records of the cache, in the order of their paths.
struct StoredTree {
  private static let slash = UInt8(ascii: "/")

  private var builder = NodeBuilder()
  /// The stored path of the innermost open container; at first that of the node.
  private var open: [UInt8]
  /// The lengths of the stored paths of the open containers, beginning with that of the node.
  private var lengths: [Int]
  /// The priorities of the open containers.
  private var priorities: [Scalar?] = [nil]
  private var isOpen = false
  /// True when the node has a record of its own.
  private var isWhole = false

  /// Creates a builder of the node at a path.
  init(at path: StoredPath) { (open, lengths) = (path.bytes, [path.bytes.count]) }

  /// Adds a record. All have stored paths at or below that of the node.
  ///
  /// - Parameters:
  ///   - path: The stored path.
  ///   - text: The node as JSON.
  /// - Returns: False for a record that no store has written.
  mutating func add(_ path: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer) -> Bool {
    if isWhole { return false }
    if path.count == lengths[0] {
      isWhole = true
      return read(text)
    }
    guard path.last == Self.slash else { return false }
    let start = path[lengths[0]..<path.count - 1].lastIndex(of: Self.slash).map { $0 + 1 } ?? lengths[0]
    let key = UnsafeRawBufferPointer(rebasing: path[start..<path.count - 1])
    enter(UnsafeRawBufferPointer(rebasing: path[..<start]))
    guard key.elementsEqual(".priority".utf8) else {
      builder.key(utf8: key)
      return read(text)
    }
    var reader = JSONReader(text)
    guard let node = try? reader.receivedValue(), (try? reader.end()) != nil else { return false }
    priorities[priorities.count - 1] = node.scalar
    return true
  }

  private mutating func read(_ text: UnsafeRawBufferPointer) -> Bool {
    var reader = JSONReader(text)
    return (try? reader.receivedValue(into: &builder)) != nil && (try? reader.end()) != nil
  }

  /// Closes and opens containers, so that the innermost open one is that with a stored path.
  private mutating func enter(_ parent: UnsafeRawBufferPointer) {
    if !isOpen { builder.open() }
    isOpen = true
    if parent.elementsEqual(open) { return }
    while !parent.starts(with: open) { close() }
    var start = open.count
    while start < parent.count, let end = parent[start...].firstIndex(of: Self.slash) {
      builder.key(utf8: UnsafeRawBufferPointer(rebasing: parent[start..<end]))
      builder.open()
      open.append(contentsOf: parent[start...end])
      lengths.append(open.count)
      priorities.append(nil)
      start = end + 1
    }
  }

  private mutating func close() {
    builder.close(priority: priorities.removeLast())
    lengths.removeLast()
    open.removeSubrange((lengths.last ?? 0)...)
  }

  /// Returns the node; empty without records.
  mutating func finish() -> Node {
    if isOpen { while !lengths.isEmpty { close() } }
    return builder.finish()
  }
}
