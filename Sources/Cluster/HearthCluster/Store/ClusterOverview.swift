/// The nodes and databases of a cluster in its store: every node that was ever registered, and every owner.
package struct ClusterOverview: Sendable {
  /// A registered node.
  package struct Node: Sendable {
    /// The name that the operator gave it.
    package var name: String
    /// The address at which other nodes reach it.
    package var address: String
    /// The number of the node's last incarnation.
    package var run: Int64
    /// True when its lease has not lapsed by the store's clock.
    package var isAlive: Bool
    /// The time until its lease ends, in milliseconds; negative after the end.
    package var leaseMilliseconds: Int64

    /// Creates a node with these values.
    package init(name: String, address: String, run: Int64, isAlive: Bool, leaseMilliseconds: Int64) {
      (self.name, self.address, self.run) = (name, address, run)
      (self.isAlive, self.leaseMilliseconds) = (isAlive, leaseMilliseconds)
    }
  }

  /// The journal of a database or of the accounts.
  package struct Journal: Sendable {
    /// The name of the journal, with its collection.
    package var name: String
    /// The last claimed epoch.
    package var epoch: Int64
    /// The owner; nil when there is none.
    package var owner: String?
    /// The last durable position.
    package var position: Int64

    /// Creates a journal with these values.
    package init(name: String, epoch: Int64, owner: String?, position: Int64) {
      (self.name, self.epoch, self.owner, self.position) = (name, epoch, owner, position)
    }
  }

  /// The nodes in the order of their names.
  package var nodes: [Node]
  /// The journals in the order of their names.
  package var journals: [Journal]

  /// Creates an overview of these nodes and journals.
  package init(nodes: [Node], journals: [Journal]) { (self.nodes, self.journals) = (nodes, journals) }
}
