import HearthCluster
import HearthJournal

/// The state that a node starts from; the log continues after it.
package struct SimulatedSnapshot: Sendable {
  package var head = JournalHead.empty
  package var state = SimulatedDecider.State()
  /// The encoded session table.
  package var table = SessionTable().encoded

  /// Creates the empty snapshot, after which the log is known from its first row.
  package init() {}

  package init(of node: SimulatedNode) {
    (head, state, table) = (node.member.replica.head, node.decider.applied, node.member.table.encoded)
  }
}
