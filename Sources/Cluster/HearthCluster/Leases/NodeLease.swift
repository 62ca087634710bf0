/// The state of a node's lease at one instant, as the node itself may assume it.
package struct LeaseStatus: Sendable, Equatable {
  /// The node's incarnation; nil before it is registered.
  package var incarnation: Incarnation?
  /// The instant until which no other node can have taken over this node's databases.
  package var validUntil: MonotonicInstant
  /// The start of the current gapless sequence of heartbeats; nil when there was none.
  package var gaplessSince: MonotonicInstant?
  var leaseMilliseconds: Int64

  /// Returns true when the lease can be assumed valid: gets and transactions may be answered, and beats sent.
  package func isValid(at now: MonotonicInstant) -> Bool { incarnation != nil && now < validUntil }

  /// Returns true when this node may claim databases of lapsed leases. After an outage of the store all leases have
  /// lapsed at once; by sending heartbeats for a whole lease, the node has given every living node the time to renew
  /// its own.
  package func mayClaim(at now: MonotonicInstant) -> Bool {
    guard isValid(at: now), let gaplessSince else { return false }
    return now.isAtLeast(leaseMilliseconds, after: gaplessSince)
  }
}

/// A node's lease: one heartbeat for all its databases.
///
/// The node computes the validity of the lease from its own clock: the store counts from the arrival of a heartbeat,
/// which is later than its sending. A node that counts from the sending, and stops a margin earlier, stops before the
/// store does, provided that both clocks run at about the same speed; their readings do not matter.
package struct NodeLease: Sendable {
  /// A request to the store.
  package enum Call: Sendable, Equatable {
    /// Registers a new incarnation of the node, with a lease.
    case register(NodeID)
    /// Renews the lease of an incarnation, unless it was declared ended.
    case heartbeat(Incarnation)
  }

  /// The store's answer.
  package enum Answer: Sendable, Equatable {
    case registered(Incarnation)
    /// - Parameter gaps: The number of heartbeats of this incarnation that found the lease lapsed. It is a count and
    ///   not a flag, because the answer to such a heartbeat may be lost.
    case renewed(gaps: Int64)
    /// Another node declared this incarnation ended: the on-disconnect writes of its sessions were made, or will be.
    case ended
    case failed
  }

  /// An action for the driver to perform.
  package enum Action: Sendable, Equatable {
    /// Calls the store; the driver answers with the given instant.
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

  /// A node that is not registered yet.
  package init(node: NodeID, timing: ClusterTiming) {
    self.node = node
    self.timing = timing
    status = LeaseStatus(
      incarnation: nil, validUntil: .distantPast, gaplessSince: nil, leaseMilliseconds: timing.leaseMilliseconds)
  }

  /// Sends a heartbeat or registration when it is due.
  package mutating func tick(at now: MonotonicInstant) -> [Action] {
    if let lastSent, !now.isAtLeast(timing.heartbeatMilliseconds, after: lastSent) { return [] }
    lastSent = now
    return [.ask(status.incarnation.map(Call.heartbeat) ?? .register(node), sentAt: now)]
  }

  /// Handles the answer to a call.
  ///
  /// - Parameters:
  ///   - sentAt: The instant of ``Action/ask(_:sentAt:)``.
  ///   - now: The instant of the answer: proofs of ownership from before it may be void after a gap.
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
