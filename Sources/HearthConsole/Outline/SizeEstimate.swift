import HearthTree

/// About how many bytes of JSON a value is: exact for what is small, told from a sample for what is large.
enum SizeEstimate {
  /// - Parameter sample: about how many values are looked at, on each level of the data.
  static func bytes(of node: Node, sample: Int) -> Int {
    var left = sample
    return Int(min(exact(node, &left) ?? estimate(node, sample: sample), 1e15))
  }

  /// Recursion as deep as the data, which is limited.
  ///
  /// - Returns: nil when there are more values than that.
  private static func exact(_ node: Node, _ left: inout Int) -> Double? {
    left -= 1
    guard left >= 0 else { return nil }
    guard node.isInterior else { return leafSize(node) }
    var bytes = 2.0
    for (key, child) in node.children {
      guard let size = exact(child, &left) else { return nil }
      bytes += nameSize(key) + size
    }
    return bytes
  }

  /// Each child has its part of the sample, so that a large one is seen as such behind many small ones.
  private static func estimate(_ node: Node, sample: Int) -> Double {
    guard node.isInterior else { return leafSize(node) }
    let seen = min(node.childCount, max(1, sample))
    let bytes = node.children.prefix(seen).reduce(0) { bytes, child in
      bytes + nameSize(child.key) + estimate(child.node, sample: sample / seen)
    }
    return 2 + bytes * Double(node.childCount) / Double(max(1, seen))
  }

  /// With quotes, a colon and a comma.
  private static func nameSize(_ key: Key) -> Double { Double(key.text.utf8.count + 4) }

  private static func leafSize(_ node: Node) -> Double {
    if let count = node.withStringUTF8({ $0.count }) { return Double(count + 2) }
    switch node.scalar {
    case .bool(let value): return value ? 4 : 5
    case .int(let number): return Double(String(number).utf8.count)
    case .double: return 12
    case .string(let text): return Double(text.utf8.count + 2)
    case nil: return 4
    }
  }
}
