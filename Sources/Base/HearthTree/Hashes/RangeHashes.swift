import HearthBytes

/// The hashes of ranges of a node's leaves, computed in one walk over the node.
///
/// The hash of a range that has leaves is base64 of the SHA-1 over `(` S `)`, where S of a leaf is its scalar as
/// `string:"text"`, `number:` with sixteen hexadecimal digits or `boolean:true`, after `priority:`, its priority and
/// `:` if it has one; and S of an interior node is its children with leaves in the range, each as `"key":(S)`, with
/// commas between. Quoted texts have a backslash before each quote and backslash, and no other escapes.
struct RangeHashes {
  private(set) var hashes: [String] = []

  /// A range that clients apply wrongly when it is sent without one of its neighbours.
  private struct Companion {
    var range: Int
    /// The index of the neighbouring range that must be sent too, or of the range itself; between the two there are
    /// only ranges of priorities.
    var neighbour: Int
  }
  private var companions: [Companion] = []

  private let posts: [Path]
  /// The keys from the node down to the one visited. Valid during the walk, which holds the node.
  private var keys: [UnsafeRawBufferPointer] = []
  private var text = SimpleHash.Text(endsAtNUL: false)
  /// True when the current range has any leaf.
  private var hasText = false
  /// The number of ``keys`` that are open in the text.
  private var openCount = 0
  /// The range of the last leaf that is not a priority.
  private var lastLeafRange = 0
  /// Ranges that contain priorities but no leaf before them; for each, the range of the next leaf is not known yet.
  private var waiting: [Int] = []

  init(of node: Node, posts: [Path]) {
    self.posts = posts
    hashes.reserveCapacity(posts.count + 1)
    UnmanagedNode.withNode(node) { if !$0.isEmpty { visit($0) } }
    while hashes.count <= posts.count { endRange() }
  }

  /// Marks the ranges that clients need to apply the marked ones correctly.
  ///
  /// Clients drop the priority of an interior node when the same range contains none of its children. They also remove
  /// the priority of a leaf when a range begins after exactly this leaf.
  func complete(_ isSent: inout [Bool]) {
    var isSettled = false
    while !isSettled {
      isSettled = true
      // Both directions, so that a chain of companions is completed in one pass each way.
      for companion in [companions, companions.reversed()].joined() where isSent[companion.range] {
        let (first, last) = (min(companion.range, companion.neighbour), max(companion.range, companion.neighbour))
        for i in first...last where !isSent[i] {
          isSent[i] = true
          isSettled = false
        }
      }
    }
  }
}

// MARK: - The walk

extension RangeHashes {
  private mutating func visit(_ node: UnmanagedNode) {
    guard node.isInterior else { return visit(leaf: node) }
    let depth = keys.count
    var priority = node.priority
    var hasChildBefore = false
    Self.withPriorityKey { priorityKey in
      node.forEachChild { key, child in
        if let pending = priority, priorityKey.compare(key) < 0 {
          visit(priority: pending, key: priorityKey.bytes, hasChildBefore: hasChildBefore, hasChildAfter: true)
          priority = nil
        }
        hasChildBefore = true
        keys.append(key)
        visit(child)
        keys.removeLast()
        close(to: depth)
        return true
      }
      if let priority {
        visit(priority: priority, key: priorityKey.bytes, hasChildBefore: hasChildBefore, hasChildAfter: false)
      }
    }
  }

  private mutating func visit(leaf node: UnmanagedNode) {
    beginLeaf()
    lastLeafRange = hashes.count
    for range in waiting where range != lastLeafRange {
      companions.append(Companion(range: range, neighbour: lastLeafRange))
    }
    waiting.removeAll(keepingCapacity: true)
    if let priority = node.priority {
      if lastLeafRange < posts.count, order(to: posts[lastLeafRange]) == 0 {
        companions.append(Companion(range: lastLeafRange + 1, neighbour: lastLeafRange))
      }
      text.add("priority:")
      add(priority)
      text.add(":")
    }
    let isString = node.withPackedString {
      text.add("string:")
      text.add(quoted: $0)
    }
    if !isString, let scalar = node.scalar { add(scalar) }
  }

  /// Visits the priority of the interior node at ``keys``.
  private mutating func visit(
    priority: Scalar, key: UnsafeRawBufferPointer, hasChildBefore: Bool, hasChildAfter: Bool
  ) {
    let depth = keys.count
    keys.append(key)
    beginLeaf()
    add(priority)
    keys.removeLast()
    close(to: depth)
    let range = hashes.count
    if hasChildBefore, lastLeafRange == range { return }
    if hasChildAfter {
      waiting.append(range)
    } else {
      companions.append(Companion(range: range, neighbour: lastLeafRange))
    }
  }

  /// Moves to the range of the leaf at ``keys`` and writes the keys that are not open there.
  private mutating func beginLeaf() {
    while hashes.count < posts.count, order(to: posts[hashes.count]) > 0 { endRange() }
    text.add(hasText ? "," : "(")
    hasText = true
    while openCount < keys.count {
      text.add(quoted: keys[openCount])
      text.add(":(")
      openCount += 1
    }
  }

  /// Closes the keys below `depth` in the text.
  private mutating func close(to depth: Int) {
    while openCount > depth {
      text.add(")")
      openCount -= 1
    }
  }

  private mutating func endRange() {
    guard hasText else { return hashes.append("") }
    close(to: 0)
    text.add(")")
    hashes.append(text.sha.finish().base64)
    text = SimpleHash.Text(endsAtNUL: false)
    hasText = false
  }

  /// The order of the leaf at ``keys`` and `post`: negative when the leaf comes first, zero when they are equal,
  /// positive when it comes after.
  private func order(to post: Path) -> Int {
    for (key, other) in zip(keys, post.keys) {
      let order = other.withUTF8 { OrderedKey(key).compare($0) }
      if order != 0 { return order }
    }
    return keys.count - post.count
  }

  private mutating func add(_ scalar: Scalar) {
    switch scalar {
    case .bool(let value): text.add(value ? "boolean:true" : "boolean:false")
    case .int(let value): add(Double(value))
    case .double(let value): add(value)
    case .string(var value):
      text.add("string:")
      value.withUTF8 { text.add(quoted: UnsafeRawBufferPointer($0)) }
    }
  }

  private mutating func add(_ value: Double) {
    text.add("number:")
    text.add(hexadecimal: value.bitPattern)
  }

  private static func withPriorityKey(_ body: (OrderedKey) -> Void) {
    Key.interiorPriority.withUTF8 { body(OrderedKey($0)) }
  }
}

extension SimpleHash.Text {
  fileprivate mutating func add(quoted bytes: UnsafeRawBufferPointer) {
    add("\"")
    var start = 0
    for i in bytes.indices where bytes[i] == UInt8(ascii: "\"") || bytes[i] == UInt8(ascii: "\\") {
      add(UnsafeRawBufferPointer(rebasing: bytes[start..<i]))
      add("\\")
      start = i
    }
    add(UnsafeRawBufferPointer(rebasing: bytes[start...]))
    add("\"")
  }
}
