import HearthCluster
import HearthJournal

/// An append on its way, and whom to answer.
package struct SimulatedAppend {
  package var row: LogRow
  package var before: JournalHead
  package var claim: Int64
  package var ticket: UInt64
  package var process: Int
  /// The number of failovers that the store had when the statement began.
  package var failoverCount = 0
}

/// One node: its machines, and what becomes of it.
package final class SimulatedNode {
  package enum Delivery {
    case tick
    case leaseAnswer(NodeLease.Call, sentAt: MonotonicInstant, NodeLease.Answer)
    case member(MemberEvent)
    case connect(UInt16)
    case ask(UInt16, ticket: UInt64, ForwardedRequest.Kind)
    case restore
    /// Makes rows and answers of the events that were taken together.
    case finish
  }

  package let id: NodeID
  /// Counts starts of the process: what was on its way to an earlier one is lost.
  package var process = 0
  package var isUp = true
  package var frozenUntil: Int64 = 0
  package var inbox: [Delivery] = []
  package var lease: NodeLease
  package var member: DatabaseMember
  package var decider: SimulatedDecider
  /// The snapshot that its state was replaced by while it ran.
  package var loaded: SimulatedSnapshot?
  package var isOwner = false
  package var areSocketsOpen = false
  /// What its clock shows at the beginning, and how fast it runs, in millionths.
  package let clockOffset: Int64
  package let clockSpeed: Int64
  package let timing: ClusterTiming
  package let faults: Set<PlantedFault>
  /// The time when the store can be reached again.
  package var storeCutUntil: Int64 = 0
  /// The time when the last call of its owner's connection arrives.
  package var lastCallAt: Int64 = 0
  /// Appends that wait behind one another, and whether one is under way.
  package var appends: [SimulatedAppend] = []
  package var isAppending = false

  package init(
    _ id: NodeID, clockOffset: Int64, clockSpeed: Int64, timing: ClusterTiming, faults: Set<PlantedFault>
  ) {
    self.id = id
    self.clockOffset = clockOffset
    self.clockSpeed = clockSpeed
    self.timing = timing
    self.faults = faults
    decider = SimulatedDecider(faults: faults)
    lease = NodeLease(node: id, timing: timing)
    member = DatabaseMember(node: id, timing: timing)
  }

  /// A new process, which knows what a snapshot says.
  package func restart(from snapshot: SimulatedSnapshot) throws {
    process += 1
    isUp = true
    frozenUntil = 0
    (inbox, loaded) = ([], nil)
    lease = NodeLease(node: id, timing: timing)
    member = DatabaseMember(node: id, timing: timing, head: snapshot.head, table: try table(of: snapshot))
    decider = SimulatedDecider(snapshot.state, faults: faults)
    (isOwner, areSocketsOpen) = (false, false)
  }

  /// The sessions that a snapshot says there are.
  package func table(of snapshot: SimulatedSnapshot) throws -> SessionTable {
    faults.contains(.snapshotWithoutSessions) ? SessionTable() : try SessionTable(encoded: snapshot.table)
  }

  package func clock(at time: Int64) -> MonotonicInstant {
    MonotonicInstant(milliseconds: clockOffset + time * clockSpeed / 1_000_000)
  }
}
