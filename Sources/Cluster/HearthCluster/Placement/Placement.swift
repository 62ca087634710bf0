/// The choice of a database's owner. The safety of data does not depend on it: at worst a database is moved
/// unnecessarily.
package enum Placement {
  /// Returns the nodes in the order in which they are asked to own a database without an owner (rendezvous hashing).
  /// Every node computes the same order. The order differs between databases, which spreads them evenly. The removal of
  /// a node does not change the order of the others.
  package static func order(_ nodes: [NodeID], for journal: String) -> [NodeID] {
    nodes.map { (weight: weight(of: $0, for: journal), node: $0) }
      .sorted { ($0.weight, $1.node) > ($1.weight, $0.node) }
      .map(\.node)
  }

  /// The load of a node that accepts databases.
  package struct Load: Sendable, Equatable {
    /// The node.
    package var node: NodeID
    /// The number of databases that it owns.
    package var ownedCount: Int

    /// Creates the load of a node.
    package init(_ node: NodeID, ownedCount: Int) { (self.node, self.ownedCount) = (node, ownedCount) }
  }

  /// Returns the receivers of databases that a node gives away so that all nodes own about the same number: one node
  /// for each database to be moved now. A node that owns little more than its share gives none away, so that databases
  /// do not move back and forth.
  ///
  /// - Parameters:
  /// - ownedCount: The number of databases that this node owns.
  /// - others: All other nodes that accept databases.
  /// - countMax: The maximum number of moves now.
  package static func moves(ownedCount: Int, others: [Load], countMax: Int) -> [NodeID] {
    var (left, loads) = (ownedCount, others)
    let share = share(of: ownedCount, others)
    var found: [NodeID] = []
    guard ownedCount > bound(share) else { return [] }
    while found.count < countMax, left > share {
      let least = loads.indices.min { (loads[$0].ownedCount, loads[$0].node) < (loads[$1].ownedCount, loads[$1].node) }
      guard let least, loads[least].ownedCount < share else { break }
      found.append(loads[least].node)
      loads[least].ownedCount += 1
      left -= 1
    }
    return found
  }

  /// Returns true when a node can receive one of this node's databases without exceeding the number above which it
  /// would give one away.
  ///
  /// - Parameters:
  /// - ownedCount: The number of databases that this node owns.
  /// - others: All other nodes that accept databases.
  package static func hasRoom(_ node: NodeID, ownedCount: Int, others: [Load]) -> Bool {
    guard let load = others.first(where: { $0.node == node }) else { return false }
    return load.ownedCount < bound(share(of: ownedCount, others))
  }

  /// Returns the number of databases per node in an even distribution.
  private static func share(of ownedCount: Int, _ others: [Load]) -> Int {
    let total = others.reduce(ownedCount) { $0 + $1.ownedCount }
    return (total + others.count) / (others.count + 1)
  }

  /// Returns the number of databases above which a node gives some away: a tenth more than its share, plus one.
  private static func bound(_ share: Int) -> Int { share + 1 + share / 10 }

  /// Returns the FNV-1a hash of both names, with a final mixing step, so that names that differ only at the end get
  /// very different values.
  private static func weight(of node: NodeID, for journal: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in Array(node.name.utf8) + [0] + Array(journal.utf8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
    return hash ^ hash >> 33
  }
}
