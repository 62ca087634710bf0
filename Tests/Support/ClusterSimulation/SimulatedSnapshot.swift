import HearthCluster
import HearthJournal

/// What a node begins with, and goes on from what the log holds behind it.
package struct SimulatedSnapshot: Sendable {
  package var head = JournalHead.empty
  package var state = SimulatedDecider.State()
  /// The sessions, as they are written down.
  package var table = SessionTable().encoded

  /// Nothing, of which the log is known from its first row.
  package init() {}

  package init(of node: SimulatedNode) {
    (head, state, table) = (node.member.replica.head, node.decider.applied, node.member.table.encoded)
  }
}
