import HearthTree

/// About how many bytes of JSON a value is: exact for what is small, told from a sample for what is large.
enum SizeEstimate {
  /// - Parameter sample: values that are looked at, at most.
  static func bytes(of node: Node, sample: Int) -> Int {
    var left = sample
    return Int(min(size(node, &left), 1e15))
  }

  /// Recursion as deep as the data, which is limited.
  private static func size(_ node: Node, _ left: inout Int) -> Double {
    left -= 1
    guard node.isInterior else { return leafSize(node) }
    var (seen, bytes) = (0, 0.0)
    for (key, child) in node.children {
      guard left > 0 else { break }
      bytes += Double(key.text.utf8.count + 4) + size(child, &left)
      seen += 1
    }
    // Nothing was left for the first of them.
    guard seen > 0 else { return 2 + Double(node.childCount) * unseenBytes }
    return 2 + bytes * Double(node.childCount) / Double(seen)
  }

  /// A short name and a number.
  private static let unseenBytes = 16.0

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
