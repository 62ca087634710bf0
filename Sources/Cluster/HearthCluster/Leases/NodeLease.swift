/// The state of a node's lease at one instant, as computed by the node itself.
package struct LeaseStatus: Sendable, Equatable {
  /// The node's incarnation; nil before it is registered.
  package var incarnation: Incarnation?
  /// The instant until which no other node can have taken over this node's databases.
  package var validUntil: MonotonicInstant
  /// The start of the current gapless sequence of heartbeats; nil when there was none.
  package var gaplessSince: MonotonicInstant?
  var leaseMilliseconds: Int64

  /// Returns true when the lease can be assumed valid: the node may answer gets and transactions, and write beats to
  /// the logs.
  package func isValid(at now: MonotonicInstant) -> Bool { incarnation != nil && now < validUntil }

  /// Returns true when this node may claim databases of nodes whose leases have lapsed. After an outage of the store,
  /// the leases of all nodes have lapsed. This node therefore sends heartbeats for the length of a lease first, so that
  /// every running node has the time to renew its own.
  package func mayClaim(at now: MonotonicInstant) -> Bool {
    guard isValid(at: now), let gaplessSince else { return false }
    return now.isAtLeast(leaseMilliseconds, after: gaplessSince)
  }
}

/// A node's lease: one heartbeat for all its databases.
///
/// The node computes the validity of the lease with its own clock. The store measures the lease from the arrival of a
/// heartbeat; the node measures from its sending, which is earlier, and subtracts a margin. So the lease ends on the
/// node before it ends in the store, provided that both clocks run at about the same speed; their readings do not
/// matter.
package struct NodeLease: Sendable {
  /// A request to the store.
  package enum Call: Sendable, Equatable {
    /// Registers a new incarnation of the node, with a lease.
    case register(NodeID)
    /// Renews the lease of an incarnation, unless another node has declared the incarnation ended.
    case heartbeat(Incarnation)
  }

  /// The store's answer.
  package enum Answer: Sendable, Equatable {
    case registered(Incarnation)
    /// - Parameter gaps: The number of heartbeats of this incarnation that arrived after the lease had lapsed. It is a
    ///   count rather than a flag, because the answer to such a heartbeat may be lost.
    case renewed(gaps: Int64)
    /// Another node declared this incarnation ended: the on-disconnect writes of its sessions were executed, or will
    /// be.
    case ended
    case failed
  }

  /// An action for the driver to perform.
  package enum Action: Sendable, Equatable {
    /// Calls the store; the driver passes `sentAt` back with the answer.
    case ask(Call, sentAt: MonotonicInstant)
    /// The incarnation has ended, so every role is dropped and every client's socket closed.
    case dropAll(Incarnation)
    /// A new incarnation has begun.
    case began(Incarnation)
  }

  /// The current state of the lease.
  package private(set) var status: LeaseStatus
  private let node: NodeID
  private let timing: ClusterTiming
  private var lastSent: MonotonicInstant?
  /// The number of gaps known so far.
  private var gaps: Int64 = 0

  /// Creates the lease of a node that is not registered yet.
  package init(node: NodeID, timing: ClusterTiming) {
    self.node = node
    self.timing = timing
    status = LeaseStatus(
      incarnation: nil, validUntil: .distantPast, gaplessSince: nil, leaseMilliseconds: timing.leaseMilliseconds)
  }

  /// Returns the next heartbeat or registration when it is due.
  package mutating func tick(at now: MonotonicInstant) -> [Action] {
    if let lastSent, !now.isAtLeast(timing.heartbeatMilliseconds, after: lastSent) { return [] }
    lastSent = now
    return [.ask(status.incarnation.map(Call.heartbeat) ?? .register(node), sentAt: now)]
  }

  /// Handles the answer to a call.
  ///
  /// - Parameters:
  /// - sentAt: The instant of ``Action/ask(_:sentAt:)``.
  /// - now: The time when the answer arrived. After a gap, proofs of ownership from before this time may be invalid.
  package mutating func answered(
    _ call: Call, sentAt: MonotonicInstant, _ answer: Answer, at now: MonotonicInstant
  ) -> [Action] {
    switch (call, answer) {
    case (.register, .registered(let incarnation)) where status.incarnation == nil:
      status.incarnation = incarnation
      status.gaplessSince = now
      gaps = 0
      extendValidity(from: sentAt)
      return [.began(incarnation)]
    case (.heartbeat(let incarnation), .renewed(let found)) where incarnation == status.incarnation:
      if found > gaps { status.gaplessSince = now }
      gaps = max(gaps, found)
      extendValidity(from: sentAt)
      return []
    case (.heartbeat(let incarnation), .ended) where incarnation == status.incarnation:
      status.incarnation = nil
      status.gaplessSince = nil
      status.validUntil = .distantPast
      lastSent = nil
      return [.dropAll(incarnation)]
    default: return []
    }
  }

  private mutating func extendValidity(from sentAt: MonotonicInstant) {
    let until = sentAt.advanced(by: timing.leaseMilliseconds - timing.marginMilliseconds)
    status.validUntil = max(status.validUntil, until)
  }
}
