import HearthTree

/// The path of a decision, and the data along it before and after the write. Nodes are looked up when a rule first
/// reads them.
struct PathCursor: ~Copyable {
  let oldRoot: BorrowedNode
  let newRoot: BorrowedNode
  /// The path of the request. It outlives the decision.
  private var path = UnsafeBufferPointer<Key>(start: nil, count: 0)
  /// The keys below the path to which validation has moved.
  private var pushed: [Key] = []
  /// The known nodes at each prefix of the path: those before the write, then those after it.
  private let memo: UnsafeMutablePointer<BorrowedNode>
  private var oldKnown = 0
  private var newKnown = 0

  /// The number of levels whose nodes are kept. Deeper nodes are looked up from the deepest kept node.
  static let memoLevels = 20

  /// Creates a cursor at the root. `memo` must have space for two nodes for each of ``memoLevels``.
  init(old: BorrowedNode, new: BorrowedNode, memo: UnsafeMutableBufferPointer<BorrowedNode>) {
    precondition(memo.count >= 2 * Self.memoLevels, "too little room for nodes")
    oldRoot = old
    newRoot = new
    self.memo = memo.baseAddress!  // the buffer is not empty
  }

  /// The number of keys.
  var count: Int { path.count + pushed.count }

  func key(at index: Int) -> Key { index < path.count ? path[index] : pushed[index - path.count] }

  /// Returns the first keys.
  func keys(_ count: Int) -> [Key] { (0..<min(count, self.count)).map { key(at: $0) } }

  /// Moves to another path and keeps the known nodes of the given number of shared keys.
  mutating func move(to path: UnsafeBufferPointer<Key>, sharing count: Int) {
    self.path = path
    pushed.removeAll()
    cut(to: count)
  }

  /// Moves to a child whose node after the write is known.
  mutating func push(_ key: Key, new node: BorrowedNode) {
    let depth = count
    pushed.append(key)
    guard newKnown == depth, depth < Self.memoLevels else { return }
    memo[Self.memoLevels + depth] = node
    newKnown = depth + 1
  }

  mutating func pop() {
    pushed.removeLast()
    cut(to: count)
  }

  private mutating func cut(to depth: Int) {
    oldKnown = min(oldKnown, depth)
    newKnown = min(newKnown, depth)
  }

  /// Returns the node before the write at the path of the first `depth` keys.
  mutating func old(at depth: Int) -> BorrowedNode {
    if depth == 0 { return oldRoot }
    if depth <= oldKnown { return memo[depth - 1] }
    let (node, known) = descend(from: oldRoot, memo, known: oldKnown, to: depth)
    oldKnown = known
    return node
  }

  /// Returns the node after the write at the path of the first `depth` keys.
  mutating func new(at depth: Int) -> BorrowedNode {
    if depth == 0 { return newRoot }
    let memo = memo + Self.memoLevels
    if depth <= newKnown { return memo[depth - 1] }
    let (node, known) = descend(from: newRoot, memo, known: newKnown, to: depth)
    newKnown = known
    return node
  }

  private func descend(
    from root: BorrowedNode, _ memo: UnsafeMutablePointer<BorrowedNode>, known: Int, to depth: Int
  ) -> (node: BorrowedNode, known: Int) {
    var node = known == 0 ? root : memo[known - 1]
    for level in known..<depth {
      node = node.child(key(at: level))
      if level < Self.memoLevels { memo[level] = node }
    }
    return (node, min(depth, Self.memoLevels))
  }
}
