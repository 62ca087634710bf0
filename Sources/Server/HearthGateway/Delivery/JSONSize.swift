import HearthEngine
import HearthTree

/// Tells large values from small ones before they are written as JSON: counts bytes down, and stops looking when none are
/// left. Escapes are not counted.
struct JSONSize {
  private var left: Int

  /// - Parameter bytes: those that a small value has at most.
  private init(bytes: Int) { left = bytes }

  private var isExceeded: Bool { left < 0 }

  /// True when the value's text has more bytes than that. Looks at no more than it must.
  static func exceeds(_ node: Node, bytes: Int) -> Bool {
    var size = JSONSize(bytes: bytes)
    size.count(node)
    return size.isExceeded
  }

  /// The bytes of the value's text, or `max` when it has more. Looks at no more than it must.
  static func bytes(of node: Node, max: Int) -> Int {
    var size = JSONSize(bytes: max)
    size.count(node)
    return max - Swift.max(0, size.left)
  }

  /// True when the text of a change, with the paths in it, has more bytes than that. Looks at no more than it must.
  ///
  /// Paths count because they may be far longer than the values: 100,000 removals, for example, are nothing but paths.
  fileprivate static func exceeds(_ change: Event.Change, bytes: Int) -> Bool {
    var size = JSONSize(bytes: bytes)
    size.count(change)
    return size.isExceeded
  }

  /// The same for a change, with the paths in it.
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
    for (key, child) in node.children {
      left -= key.text.utf8.count + 4
      guard !isExceeded else { return }
      count(child)
    }
  }
}

extension Event.Change {
  /// True when the text of its paths and values has more bytes than that. Looks at no more than it must.
  func exceeds(bytes: Int) -> Bool { JSONSize.exceeds(self, bytes: bytes) }

  /// The bytes of the text of its paths and values, or `max` when it has more.
  func bytes(max: Int) -> Int { JSONSize.bytes(of: self, max: max) }
}
