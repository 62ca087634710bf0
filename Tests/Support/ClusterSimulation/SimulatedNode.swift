import HearthCluster
import HearthJournal

/// An append in progress and the client to answer.
package struct SimulatedAppend {
  package var row: LogRow
  package var before: JournalHead
  package var claim: Int64
  package var ticket: UInt64
  package var process: Int
  /// The number of failovers that the store had when the statement began.
  package var failoverCount = 0
}

/// One simulated node: its state machines, its clock, and the work in progress on it.
package final class SimulatedNode {
  package enum Delivery {
    case tick
    case leaseAnswer(NodeLease.Call, sentAt: MonotonicInstant, NodeLease.Answer)
    case member(MemberEvent)
    case connect(UInt16)
    case ask(UInt16, ticket: UInt64, ForwardedRequest.Kind)
    case restore
    /// Turns the events that were handled together into rows and answers.
    case finish
  }

  package let id: NodeID
  /// The number of process starts; messages to an earlier process are lost.
  package var process = 0
  package var isUp = true
  package var frozenUntil: Int64 = 0
  package var inbox: [Delivery] = []
  package var lease: NodeLease
  package var member: DatabaseMember
  package var decider: SimulatedDecider
  /// The snapshot that replaced its state while it ran.
  package var loaded: SimulatedSnapshot?
  package var isOwner = false
  package var areSocketsOpen = false
  /// The initial reading of its clock in milliseconds, followed by the clock's deviation in millionths.
  package let clockOffset: Int64
  package let clockSpeed: Int64
  package let timing: ClusterTiming
  package let faults: Set<PlantedFault>
  /// The time when the store becomes reachable again.
  package var storeCutUntil: Int64 = 0
  /// The time when the last call of its owner's connection arrives.
  package var lastCallAt: Int64 = 0
  /// Appends in order, and whether the first one is in progress.
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

  /// Starts a new process with the state of a snapshot.
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

  /// Decodes the session table of a snapshot.
  package func table(of snapshot: SimulatedSnapshot) throws -> SessionTable {
    faults.contains(.snapshotWithoutSessions) ? SessionTable() : try SessionTable(encoded: snapshot.table)
  }

  package func clock(at time: Int64) -> MonotonicInstant {
    MonotonicInstant(milliseconds: clockOffset + time * clockSpeed / 1_000_000)
  }
}
