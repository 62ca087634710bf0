import HearthEngine
import HearthTree

/// A size check for values before they are written as JSON: it counts bytes down, and stops when none are left. Escapes
/// are not counted.
struct JSONSize {
  private var left: Int

  /// - Parameter bytes: the maximum size of a small value.
  private init(bytes: Int) { left = bytes }

  private var isExceeded: Bool { left < 0 }

  /// The maximum bytes of text, without escapes, for each byte that a tree holds.
  private static let textBytesPerHeldByte = 4
  /// The minimum bytes of text for each child: a key, its quotes, a colon, a comma and a value.
  private static let childBytesMin = 6

  /// Returns true when the value's text has more than `bytes` bytes. Reads no more than necessary.
  static func exceeds(_ node: Node, bytes: Int) -> Bool {
    if isCertainlySmall(node, bytes: bytes) { return false }
    var size = JSONSize(bytes: bytes)
    size.count(node)
    return size.isExceeded
  }

  /// Returns true when the value's text certainly has at most `bytes` bytes. Reads nothing but the size of the node.
  fileprivate static func isCertainlySmall(_ node: Node, bytes: Int) -> Bool {
    let heldBytesMax = bytes / textBytesPerHeldByte
    return node.heldBytes(upTo: heldBytesMax) <= heldBytesMax
  }

  /// Returns true when the text of a change, with the paths in it, has more than `bytes` bytes. Reads no more than
  /// necessary.
  ///
  /// Paths count because they may be far longer than the values: 100,000 removals, for example, consist of paths alone.
  fileprivate static func exceeds(_ change: Event.Change, bytes: Int) -> Bool {
    var size = JSONSize(bytes: bytes)
    size.count(change)
    return size.isExceeded
  }

  /// Returns the bytes of a change with the paths in it, or `max` when it has more.
  fileprivate static func bytes(of change: Event.Change, max: Int) -> Int {
    var size = JSONSize(bytes: max)
    size.count(change)
    return max - Swift.max(0, size.left)
  }

  private mutating func count(_ change: Event.Change) {
    switch change {
    case .put(let node): count(node)
    case .merge(let entries):
      for entry in entries {
        count(entry.path)
        count(entry.node)
        if isExceeded { return }
      }
    case .ranges(let ranges):
      for range in ranges {
        if let start = range.start { count(start) }
        if let end = range.end { count(end) }
        count(range.node)
        if isExceeded { return }
      }
    }
  }

  private mutating func count(_ path: Path) {
    for key in path.keys { left -= key.text.utf8.count + 1 }
  }

  // The depth of a tree is bounded by `DataLimits.depthMax`, and with it this recursion.
  private mutating func count(_ node: Node) {
    guard node.isInterior else {
      left -= node.withStringUTF8 { $0.count + 2 } ?? 1
      return
    }
    guard node.childCount <= left / Self.childBytesMin else {
      left = -1
      return
    }
    for (key, child) in node.children {
      left -= key.text.utf8.count + 4
      guard !isExceeded else { return }
      count(child)
    }
  }
}

extension LargeValuePool {
  /// Returns true when a value is written as JSON by the pool: it is large, or not all of it is in memory.
  static func takes(_ node: Node) -> Bool {
    if JSONSize.isCertainlySmall(node, bytes: loopBytesMax) { return !node.isResident }
    return FaultScope.resident { JSONSize.exceeds(node, bytes: loopBytesMax) } != false || !node.isResident
  }

  /// Returns true when an event is written as JSON by the pool: it is large, or not all of it is in memory.
  static func takes(_ change: Event.Change) -> Bool {
    if case .put(let node) = change { return takes(node) }
    return FaultScope.resident { change.exceeds(bytes: loopBytesMax) } != false
      || !change.allNodesSatisfy { $0.isResident }
  }
}

extension Event.Change {
  /// Returns true when all values in it satisfy a predicate.
  func allNodesSatisfy(_ predicate: (Node) -> Bool) -> Bool {
    switch self {
    case .put(let node): predicate(node)
    case .merge(let entries): entries.allSatisfy { predicate($0.node) }
    case .ranges(let ranges): ranges.allSatisfy { predicate($0.node) }
    }
  }

  /// Returns true when the text of its paths and values has more than `bytes` bytes. Reads no more than necessary.
  func exceeds(bytes: Int) -> Bool { JSONSize.exceeds(self, bytes: bytes) }

  /// Returns the bytes of the text of its paths and values, or `max` when it has more, or not all of it is in memory.
  func bytes(max: Int) -> Int { FaultScope.resident { JSONSize.bytes(of: self, max: max) } ?? max }
}
