/// Which node is to own a database. None of it protects data: at most a database is moved once more than it had to be.
package enum Placement {
  /// Nodes in the order in which they are asked to own a database that nobody owns. Every node comes to the same order, and
  /// of each pair of nodes one is in front for about half of all databases, so that none gets all of them; without a node,
  /// the others' order stays (rendezvous hashing).
  package static func order(_ nodes: [NodeID], for journal: String) -> [NodeID] {
    nodes.map { (weight: weight(of: $0, for: journal), node: $0) }
      .sorted { ($0.weight, $1.node) > ($1.weight, $0.node) }
      .map(\.node)
  }

  /// What a node that takes databases has to do.
  package struct Load: Sendable, Equatable {
    /// The node.
    package var node: NodeID
    /// The number of databases that it owns.
    package var ownedCount: Int

    /// A node that owns so many.
    package init(_ node: NodeID, ownedCount: Int) { (self.node, self.ownedCount) = (node, ownedCount) }
  }

  /// To whom a node gives some of its databases so that all own about as many: one for each that is to be moved now. A node
  /// that owns little more than its share gives none, so that nothing goes to and fro.
  ///
  /// - Parameters:
  ///   - ownedCount: How many databases this node owns.
  ///   - others: All others that take databases.
  ///   - countMax: How many may be moved now.
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

  /// Returns true when a node may be given one of this node's databases without having to give one away for it.
  ///
  /// - Parameters:
  ///   - ownedCount: How many databases this node owns.
  ///   - others: All others that take databases.
  package static func hasRoom(_ node: NodeID, ownedCount: Int, others: [Load]) -> Bool {
    guard let load = others.first(where: { $0.node == node }) else { return false }
    return load.ownedCount < bound(share(of: ownedCount, others))
  }

  /// Returns the number of databases that each node has when all have about as many.
  private static func share(of ownedCount: Int, _ others: [Load]) -> Int {
    let total = others.reduce(ownedCount) { $0 + $1.ownedCount }
    return (total + others.count) / (others.count + 1)
  }

  /// How many a node may have before it gives some away: a tenth more than its share, and one.
  private static func bound(_ share: Int) -> Int { share + 1 + share / 10 }

  /// FNV-1a over both names, mixed once more so that names that differ at their ends are far from each other.
  private static func weight(of node: NodeID, for journal: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in Array(node.name.utf8) + [0] + Array(journal.utf8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
    return hash ^ hash >> 33
  }
}
