/// What a node may believe of its own lease, at one moment.
package struct LeaseStanding: Sendable, Equatable {
  /// The node's run; nil before it is registered.
  package var incarnation: Incarnation?
  /// Until when nobody else can have taken over what this node owns.
  package var believedUntil: MonotonicInstant
  /// Since when its heartbeats have come without a gap; nil when none has.
  package var steadySince: MonotonicInstant?
  var leaseMilliseconds: Int64

  /// Returns true when the lease is believed: gets and transactions may be answered, and beats sent.
  package func isBelieved(at now: MonotonicInstant) -> Bool { incarnation != nil && now < believedUntil }

  /// Whether this node may take from others what their leases do not hold any more. After an outage of the store all
  /// leases are over at once; who has beaten for a whole lease since has given every living node the time to do the same.
  package func mayClaim(at now: MonotonicInstant) -> Bool {
    guard isBelieved(at: now), let steadySince else { return false }
    return now.isAtLeast(leaseMilliseconds, after: steadySince)
  }
}

/// A node's lease: one heartbeat for all its databases.
///
/// A lease is believed from what the node itself knows: the store counts from when a heartbeat arrived, which is later than
/// when it was sent. Whoever counts from the sending, and stops a margin earlier, stops first, as long as the two clocks
/// run at about the same speed; what they show does not matter.
package struct NodeLease: Sendable {
  /// What is asked of the store.
  package enum Call: Sendable, Equatable {
    /// A new run of the node, with a lease.
    case register(NodeID)
    /// A new lease for a run, if that was not declared over.
    case heartbeat(Incarnation)
  }

  /// What the store answers.
  package enum Answer: Sendable, Equatable {
    case registered(Incarnation)
    /// - Parameter gaps: How many heartbeats of this run have found the lease over. A count, and not whether this one did:
    ///   the answer to the one that did may be lost.
    case renewed(gaps: Int64)
    /// Somebody declared this run over: its sessions' on-disconnect writes were made, or will be.
    case ended
    case failed
  }

  /// What is to be done.
  package enum Action: Sendable, Equatable {
    /// To be answered with the moment it bears.
    case ask(Call, sentAt: MonotonicInstant)
    /// This run is over: every role is dropped, every client's socket closed.
    case dropAll(Incarnation)
    /// A new run has begun.
    case began(Incarnation)
  }

  /// What may be believed.
  package private(set) var standing: LeaseStanding
  private let node: NodeID
  private let timing: ClusterTiming
  private var lastSent: MonotonicInstant?
  /// The gaps that are known of.
  private var gaps: Int64 = 0

  /// A node that is not registered yet.
  package init(node: NodeID, timing: ClusterTiming) {
    self.node = node
    self.timing = timing
    standing = LeaseStanding(
      incarnation: nil, believedUntil: .distantPast, steadySince: nil, leaseMilliseconds: timing.leaseMilliseconds)
  }

  /// Time has passed.
  package mutating func tick(at now: MonotonicInstant) -> [Action] {
    if let lastSent, !now.isAtLeast(timing.heartbeatMilliseconds, after: lastSent) { return [] }
    lastSent = now
    return [.ask(standing.incarnation.map(Call.heartbeat) ?? .register(node), sentAt: now)]
  }

  /// A call was answered.
  ///
  /// - Parameters:
  ///   - sentAt: What ``Action/ask(_:sentAt:)`` said.
  ///   - now: When the answer came: what was proved before that may have been lost during a gap.
  package mutating func answered(
    _ call: Call, sentAt: MonotonicInstant, _ answer: Answer, at now: MonotonicInstant
  ) -> [Action] {
    switch (call, answer) {
    case (.register, .registered(let incarnation)) where standing.incarnation == nil:
      standing.incarnation = incarnation
      standing.steadySince = now
      gaps = 0
      believe(from: sentAt)
      return [.began(incarnation)]
    case (.heartbeat(let incarnation), .renewed(let found)) where incarnation == standing.incarnation:
      if found > gaps { standing.steadySince = now }
      gaps = max(gaps, found)
      believe(from: sentAt)
      return []
    case (.heartbeat(let incarnation), .ended) where incarnation == standing.incarnation:
      standing.incarnation = nil
      standing.steadySince = nil
      standing.believedUntil = .distantPast
      lastSent = nil
      return [.dropAll(incarnation)]
    default: return []
    }
  }

  private mutating func believe(from sentAt: MonotonicInstant) {
    let until = sentAt.advanced(by: timing.leaseMilliseconds - timing.marginMilliseconds)
    standing.believedUntil = max(standing.believedUntil, until)
  }
}
