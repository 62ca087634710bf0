import HearthTree

/// Tells large values from small ones before they are written as JSON.
enum JSONSize {
  /// True when the value's text has more bytes than that, not counting escapes. Looks at no more than it must.
  static func exceeds(_ node: Node, bytes: Int) -> Bool {
    var left = bytes
    spend(node, &left)
    return left < 0
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
