import HearthCluster
import HearthJournal

/// An append on its way, and whom to answer.
package struct SimulatedAppend {
  package var row: LogRow
  package var before: JournalHead
  package var claim: Int64
  package var ticket: UInt64
  package var process: Int
  /// How many failovers the store had when the statement began.
  package var failoverCount = 0
}

/// One node: its machines, and what becomes of it.
package final class SimulatedNode {
  package enum Delivery {
    case tick
    case leaseAnswer(NodeLease.Call, sentAt: MonotonicInstant, NodeLease.Answer)
    case member(MemberEvent)
    case connect(UInt16)
    case ask(UInt16, ForwardedRequest.Kind)
  }

  package let id: NodeID
  /// Counts starts of the process: what was on its way to an earlier one is lost.
  package var process = 0
  package var isUp = true
  package var frozenUntil: Int64 = 0
  package var inbox: [Delivery] = []
  package var lease: NodeLease
  package var member: DatabaseMember
  package var decider = SimulatedDecider()
  package var isOwner = false
  package var areSocketsOpen = false
  /// What its clock shows at the beginning, and how fast it runs, in millionths.
  package let clockOffset: Int64
  package let clockSpeed: Int64
  package let timing: ClusterTiming
  /// When the store can be reached again.
  package var storeCutUntil: Int64 = 0
  /// When the last call of its owner's connection arrives.
  package var lastCallAt: Int64 = 0
  /// Appends that wait behind one another, and whether one is under way.
  package var appends: [SimulatedAppend] = []
  package var isAppending = false

  package init(_ id: NodeID, clockOffset: Int64, clockSpeed: Int64, timing: ClusterTiming) {
    self.id = id
    self.clockOffset = clockOffset
    self.clockSpeed = clockSpeed
    self.timing = timing
    lease = NodeLease(node: id, timing: timing)
    member = DatabaseMember(node: id, timing: timing)
  }

  /// A new process, which knows nothing.
  package func restart() {
    process += 1
    isUp = true
    frozenUntil = 0
    inbox = []
    lease = NodeLease(node: id, timing: timing)
    member = DatabaseMember(node: id, timing: timing)
    decider = SimulatedDecider()
    (isOwner, areSocketsOpen) = (false, false)
  }

  package func clock(at time: Int64) -> MonotonicInstant {
    MonotonicInstant(milliseconds: clockOffset + time * clockSpeed / 1_000_000)
  }
}
