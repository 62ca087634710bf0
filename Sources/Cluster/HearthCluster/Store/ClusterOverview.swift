/// A cluster as its store knows it: every node that was ever registered, and whose each database is.
package struct ClusterOverview: Sendable {
  /// A node.
  package struct Node: Sendable {
    /// As its operator named it.
    package var name: String
    /// The place where other nodes reach it.
    package var address: String
    /// Its last run.
    package var run: Int64
    /// True when its lease goes, by the store's clock.
    package var isAlive: Bool
    /// Until its lease ends; less than 0 since it ended.
    package var leaseMilliseconds: Int64

    /// A node with these values.
    package init(name: String, address: String, run: Int64, isAlive: Bool, leaseMilliseconds: Int64) {
      (self.name, self.address, self.run) = (name, address, run)
      (self.isAlive, self.leaseMilliseconds) = (isAlive, leaseMilliseconds)
    }
  }

  /// A database, or the accounts.
  package struct Journal: Sendable {
    /// As its journal is called, with its collection.
    package var name: String
    /// The last that was claimed.
    package var epoch: Int64
    /// `nil` when no node owns it.
    package var owner: String?
    /// The last durable position.
    package var position: Int64

    /// A database with these values.
    package init(name: String, epoch: Int64, owner: String?, position: Int64) {
      (self.name, self.epoch, self.owner, self.position) = (name, epoch, owner, position)
    }
  }

  /// In order of name.
  package var nodes: [Node]
  /// In order of name.
  package var journals: [Journal]

  /// An overview of these nodes and databases.
  package init(nodes: [Node], journals: [Journal]) { (self.nodes, self.journals) = (nodes, journals) }
}
