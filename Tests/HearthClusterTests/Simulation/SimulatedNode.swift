import HearthCluster
import HearthJournal

/// An append on its way, and whom to answer.
struct SimulatedAppend {
  var row: LogRow
  var before: JournalHead
  var claim: Int64
  var ticket: UInt64
  var process: Int
  /// How many failovers the store had when the statement began.
  var failoverCount = 0
}

/// One node: its machines, and what becomes of it.
final class SimulatedNode {
  enum Delivery {
    case tick
    case leaseAnswer(NodeLease.Call, sentAt: MonotonicInstant, NodeLease.Answer)
    case member(MemberEvent)
    case connect(UInt16)
    case ask(UInt16, ForwardedRequest.Kind)
  }

  let id: NodeID
  /// Counts starts of the process: what was on its way to an earlier one is lost.
  var process = 0
  var isUp = true
  var frozenUntil: Int64 = 0
  var inbox: [Delivery] = []
  var lease: NodeLease
  var member: DatabaseMember
  var decider = SimulatedDecider()
  var isOwner = false
  var areSocketsOpen = false
  /// What its clock shows at the beginning, and how fast it runs, in millionths.
  let clockOffset: Int64
  let clockSpeed: Int64
  let timing: ClusterTiming
  /// When the store can be reached again.
  var storeCutUntil: Int64 = 0
  /// When the last call of its owner's connection arrives.
  var lastCallAt: Int64 = 0
  /// Appends that wait behind one another, and whether one is under way.
  var appends: [SimulatedAppend] = []
  var isAppending = false

  init(_ id: NodeID, clockOffset: Int64, clockSpeed: Int64, timing: ClusterTiming) {
    self.id = id
    self.clockOffset = clockOffset
    self.clockSpeed = clockSpeed
    self.timing = timing
    lease = NodeLease(node: id, timing: timing)
    member = DatabaseMember(node: id, timing: timing)
  }

  /// A new process, which knows nothing.
  func restart() {
    process += 1
    isUp = true
    frozenUntil = 0
    inbox = []
    lease = NodeLease(node: id, timing: timing)
    member = DatabaseMember(node: id, timing: timing)
    decider = SimulatedDecider()
    (isOwner, areSocketsOpen) = (false, false)
  }

  func clock(at time: Int64) -> MonotonicInstant {
    MonotonicInstant(milliseconds: clockOffset + time * clockSpeed / 1_000_000)
  }
}
