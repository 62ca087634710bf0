import HearthCluster
import HearthJournal

/// What happened in a cluster, for who judges it: what clients were told, and what is in the log.
package struct ClusterHistory {
  /// A node at the end.
  package struct Node {
    package var id: NodeID
    package var isUp: Bool
    /// True when its process was the same all the time.
    package var hasLived: Bool
    package var head: JournalHead
    package var isOwner: Bool

    package init(id: NodeID, isUp: Bool, hasLived: Bool, head: JournalHead, isOwner: Bool) {
      (self.id, self.isUp, self.hasLived, self.head, self.isOwner) = (id, isUp, hasLived, head, isOwner)
    }
  }

  package var stored: [StoredRow]
  package var clients: [SimulatedClient]
  package var nodes: [Node]
  package var losses: [DataLoss] = []
  /// The time when the store first lost rows.
  package var lostTailAt: Int64?
  /// What was seen while it happened.
  package var violations: [String] = []

  package init(stored: [StoredRow], clients: [SimulatedClient], nodes: [Node]) {
    (self.stored, self.clients, self.nodes) = (stored, clients, nodes)
  }

  package init(_ run: Simulation) {
    self.init(
      stored: run.store.stored, clients: run.clients,
      nodes: run.nodes.map {
        Node(
          id: $0.id, isUp: $0.isUp, hasLived: $0.process == 0 && $0.loaded == nil, head: $0.member.replica.head,
          isOwner: $0.isOwner)
      })
    (losses, lostTailAt) = (run.losses, run.lostTailAt)
    violations = run.violations
    // A planted fault is to be found by what clients see.
    if run.faults.isEmpty { violations += run.nodes.flatMap(\.decider.problems) }
  }
}
