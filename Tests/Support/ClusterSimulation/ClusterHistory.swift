import HearthCluster
import HearthJournal

/// The history of a simulated cluster for the checker: the events that clients received, and the rows of the log.
package struct ClusterHistory {
  /// The state of one node at the end of a simulation.
  package struct Node {
    package var id: NodeID
    package var isUp: Bool
    /// True when the node ran in the same process from beginning to end.
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
  /// Violations that the simulation found while it ran.
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
    // A planted fault must be found from the events that clients receive.
    if run.faults.isEmpty { violations += run.nodes.flatMap(\.decider.contractViolations) }
  }
}
