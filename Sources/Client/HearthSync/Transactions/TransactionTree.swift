import HearthTree

/// The pending transactions by path, each path's in the order of their creation.
final class TransactionTree {
  let path: Path
  private(set) var queue: [SyncTransaction] = []
  private var children: [Key: TransactionTree] = [:]

  init(path: Path = .root) { self.path = path }

  var isEmpty: Bool { queue.isEmpty && children.isEmpty }

  func add(_ transaction: SyncTransaction) {
    var node = self
    for key in transaction.path.keys {
      if let child = node.children[key] {
        node = child
      } else {
        let child = TransactionTree(path: node.path.appending(key))
        node.children[key] = child
        node = child
      }
    }
    node.queue.append(transaction)
  }

  /// Removes transactions with an outcome at a path, above it and below it.
  func prune(at path: Path = .root) { prune(path.keys[...]) }

  private func prune(_ keys: ArraySlice<Key>) {
    queue.removeAll(where: \.isCompleted)
    for key in keys.first.map({ [$0] }) ?? Array(children.keys) {
      guard let child = children[key] else { continue }
      child.prune(keys.dropFirst())
      if child.isEmpty { children[key] = nil }
    }
  }

  /// True when the functions of all transactions at this path and below have run, and none was sent.
  var isReady: Bool { queue.allSatisfy(\.isRun) && children.values.allSatisfy(\.isReady) }

  /// Returns the topmost node with transactions at or above a path; otherwise the node at the path, if it or a
  /// descendant has transactions.
  func topmost(onTheWayTo path: Path) -> TransactionTree? {
    var node = self
    for key in path.keys {
      if !node.queue.isEmpty { return node }
      guard let child = node.children[key] else { return nil }
      node = child
    }
    return node
  }

  /// The transactions at this path and below, in the order of their creation.
  var all: [SyncTransaction] {
    var found: [SyncTransaction] = []
    collect(&found)
    return found.sorted { $0.order < $1.order }
  }

  private func collect(_ found: inout [SyncTransaction]) {
    found += queue
    for child in children.values { child.collect(&found) }
  }

  /// Returns the transactions at a path, above it and below it, grouped by path: from the root down, then those below.
  func queues(touching path: Path) -> [[SyncTransaction]] {
    var found: [[SyncTransaction]] = []
    var node = self
    for key in path.keys {
      if !node.queue.isEmpty { found.append(node.queue) }
      guard let child = node.children[key] else { return found }
      node = child
    }
    node.collectQueues(&found)
    return found
  }

  private func collectQueues(_ found: inout [[SyncTransaction]]) {
    if !queue.isEmpty { found.append(queue) }
    for key in children.keys.sorted() { children[key]?.collectQueues(&found) }
  }

  /// The topmost nodes with transactions, in key order.
  var topmostNodes: [TransactionTree] {
    if !queue.isEmpty { return [self] }
    return children.keys.sorted().flatMap { children[$0]?.topmostNodes ?? [] }
  }
}
