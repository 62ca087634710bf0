/// Whether every node has done what a commit asks of it, such as to cut listeners that it takes the permission from: which
/// have said so, and which have not in time.
package struct ReceiptCollector: Sendable, Equatable {
  /// What is known when all have answered, or the time is over.
  package struct Result: Sendable, Equatable {
    /// The commit.
    package var position: Int64
    /// Nodes that have applied it, and what comes before it.
    package var confirmed: [NodeID]
    /// Nodes that have not said so: whether they serve somebody who should be cut is not known before their own clock
    /// closes their clients' sockets.
    package var silent: [NodeID]
  }

  /// The commit.
  package let position: Int64
  private var waiting: Set<NodeID>
  private var confirmed: Set<NodeID> = []
  private let deadline: MonotonicInstant

  /// Nodes are asked.
  package init(position: Int64, of nodes: [NodeID], until deadline: MonotonicInstant) {
    self.position = position
    waiting = Set(nodes.prefix(ClusterLimits.receiptNodesMax))
    self.deadline = deadline
  }

  /// A node confirms. Nodes that were not asked are passed over.
  package mutating func received(from node: NodeID) {
    if waiting.remove(node) != nil { confirmed.insert(node) }
  }

  /// The result, once there is one.
  package func result(at now: MonotonicInstant) -> Result? {
    guard waiting.isEmpty || now >= deadline else { return nil }
    return Result(position: position, confirmed: confirmed.sorted(), silent: waiting.sorted())
  }
}
