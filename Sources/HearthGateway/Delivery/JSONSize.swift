import HearthEngine
import HearthTree

/// Tells large values from small ones before they are written as JSON.
enum JSONSize {
  /// True when the value's text has more bytes than that, not counting escapes. Looks at no more than it must.
  static func exceeds(_ node: Node, bytes: Int) -> Bool {
    var left = bytes
    spend(node, &left)
    return left < 0
  }

  /// The same for several values together.
  static func exceeds(_ nodes: some Sequence<Node>, bytes: Int) -> Bool {
    var left = bytes
    for node in nodes {
      spend(node, &left)
      if left < 0 { return true }
    }
    return false
  }

  // The depth of a tree is bounded by `DataLimits.depthMax`, and with it this recursion.
  private static func spend(_ node: Node, _ left: inout Int) {
    guard node.isInterior else {
      left -= node.withStringUTF8 { $0.count + 2 } ?? 1
      return
    }
    for (key, child) in node.children {
      left -= key.text.utf8.count + 4
      guard left >= 0 else { return }
      spend(child, &left)
    }
  }
}

extension Event.Change {
  /// True when the text of all its values has more bytes than that. Looks at no more than it must.
  func exceeds(bytes: Int) -> Bool {
    switch self {
    case .put(let node): JSONSize.exceeds(node, bytes: bytes)
    case .merge(let entries): JSONSize.exceeds(entries.lazy.map(\.node), bytes: bytes)
    case .ranges(let ranges): JSONSize.exceeds(ranges.lazy.map(\.node), bytes: bytes)
    }
  }
}
