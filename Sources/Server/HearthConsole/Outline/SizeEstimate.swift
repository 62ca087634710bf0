import HearthTree

/// An estimate of the size of a value's JSON, in bytes: exact for a small value, sampled for a large one.
enum SizeEstimate {
  /// The bytes that a name and its separators take beside the name's own.
  static let memberBytes = 4
  /// The assumed size of a value that is not sampled: a short name and a number.
  private static let unseenBytes = 16.0
  /// The minimum sample of a child; a smaller one would say little of it.
  private static let shareMin = 8

  /// Returns the estimated size.
  ///
  /// - Parameter sample: the approximate number of values to read.
  static func bytes(of node: Node, sample: Int) -> Int { Int(min(size(node, sample).bytes, 1e15)) }

  /// Returns the size of a node. Each child gets its part of the sample, so that a large child is not estimated from
  /// its small neighbours, or they from it. Recursion as deep as the data, which is limited.
  private static func size(_ node: Node, _ sample: Int) -> (bytes: Double, sampledCount: Int) {
    guard node.isInterior else { return (leafSize(node), 1) }
    let count = node.childCount
    var (left, seen, bytes) = (sample - 1, 0, 0.0)
    for (key, child) in node.children {
      guard left > 0 else { break }
      let share = min(left, max(shareMin, left / (count - seen)))
      let (size, sampledCount) = size(child, share)
      bytes += Double(key.text.utf8.count + memberBytes) + size
      left -= sampledCount
      seen += 1
    }
    // The sample was used up before the first child.
    guard seen > 0 else { return (2 + Double(count) * unseenBytes, 1) }
    return (2 + bytes * Double(count) / Double(seen), sample - left)
  }

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
