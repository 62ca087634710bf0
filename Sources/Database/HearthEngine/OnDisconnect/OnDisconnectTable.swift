import HearthTree

/// The state of on-disconnect writes that is not stored in ``OnDisconnectSessions``: each connection's usage of the
/// limits, and the sessions that must still be ended.
struct OnDisconnectTable {
  /// The usage of one connection.
  fileprivate struct Usage {
    /// The number of writes and server values.
    var count = 0
    var sizeBytes = 0
    /// The number of the next write.
    var nextOrder: Int64 = 0
    /// The connection's claim to ``sizeBytes`` of the shared limit; nil before the usage is recorded in a table.
    var share: FairShareLimit.Claim?

    init() {}

    /// Creates the usage of a connection whose writes another engine accepted.
    init(of writes: OnDisconnectWrites, _ limits: EngineLimits) {
      count = writes.count
      sizeBytes = writes.tree.heldBytes(upTo: limits.onDisconnectBytesPerConnectionMax)
      nextOrder = writes.nextOrder
    }
  }

  /// A change of a connection's on-disconnect writes, within the limits, to be made durable and then recorded by
  /// ``note(_:)``.
  struct PlannedChange {
    /// Locations in the tree of sessions with their new data.
    let changes: [(location: Location, node: Node)]
    fileprivate let connection: Connection
    /// The new usage; nil when no writes are left.
    fileprivate let usage: Usage?
  }

  private let limits: EngineLimits
  private var usages: [ConnectionID: Usage] = [:]
  /// The memory of all on-disconnect writes, shared by the connections.
  private var shares: FairShareLimit
  /// The sessions to end, the next one last: those that were open when the server last stopped or crashed, and those
  /// whose connection ended while the disk was full.
  private var leftovers: [Session]
  /// The sessions whose connection has ended and that are ended once the disk has space, the next one first.
  private var waiting: [Session] = []
  /// The ended connections whose sessions are to be ended later, because a page that this needs cannot be read.
  private var retries: [(connection: ConnectionID, principal: Principal)] = []
  /// The time of the next attempt, on the monotonic clock; nil when there is none.
  private(set) var nextRetryMonotonicMilliseconds: Int64?
  /// The connections whose identity changed while the disk was full, so that the change is not stored yet.
  private var unnoted: Set<ConnectionID> = []

  /// Creates a table for new connections.
  init(limits: EngineLimits) {
    (self.limits, leftovers) = (limits, [])
    shares = Self.shares(limits)
  }

  /// Creates a table after a start.
  ///
  /// - Parameter sessions: The recovered sessions, all of which must be ended.
  init(ended sessions: OnDisconnectSessions, limits: EngineLimits) {
    (self.limits, leftovers) = (limits, sessions.all.reversed())
    shares = Self.shares(limits)
  }

  /// The memory that the shared limit lets every client without on-disconnect writes use while there is any left, in
  /// bytes: enough for a few small writes.
  private static let unitBytes = 4 << 10

  private static func shares(_ limits: EngineLimits) -> FairShareLimit {
    FairShareLimit(max: limits.onDisconnectBytesMax, unit: unitBytes)
  }

  /// Creates a table for connections that continue.
  ///
  /// - Parameter sessions: The sessions that other servers have recorded.
  init(open sessions: OnDisconnectSessions, limits: EngineLimits) {
    self.init(limits: limits)
    for session in sessions.all {
      set(session.connection, Usage(of: session.writes, limits), ShareClaimant(account: session.principal.uid))
    }
  }

  // MARK: On-disconnect writes

  /// Computes a change of a connection's on-disconnect writes.
  ///
  /// - Parameter change: Receives the on-disconnect writes, and the number of the next write.
  /// - Returns: nil when `change` changes nothing.
  /// - Throws: The errors of `change`, and ``Failure/tooManyOnDisconnects``.
  mutating func plannedChange(
    of connection: Connection, in sessions: OnDisconnectSessions,
    _ change: (inout OnDisconnectWrites, Int64) throws(Failure) -> Void
  ) throws(Failure) -> PlannedChange? {
    let (id, principal) = (connection.id, connection.principal)
    var (usage, writes) = (usages[id] ?? Usage(), sessions.writes(of: id))
    try change(&writes, usage.nextOrder)
    guard !writes.changes.isEmpty else { return nil }
    usage.nextOrder += 1
    usage.count += writes.addedCount
    let oldSizeBytes = usage.sizeBytes
    usage.sizeBytes = writes.tree.heldBytes(upTo: limits.onDisconnectBytesPerConnectionMax)
    // Removals are accepted even when the limits are exceeded.
    let isMore = writes.addedCount > 0 || usage.sizeBytes > oldSizeBytes
    let isTooMuch =
      usage.count > limits.onDisconnectsPerConnectionMax
      || usage.sizeBytes > limits.onDisconnectBytesPerConnectionMax
      || !mayHold(usage.sizeBytes - oldSizeBytes, usage.share, connection)
    guard !isMore || !isTooMuch else { throw .tooManyOnDisconnects }
    let path = OnDisconnectSessions.path(of: id)
    guard !writes.tree.isEmpty else {
      return PlannedChange(changes: [(Location(path: path), .empty)], connection: connection, usage: nil)
    }
    let below = path.appending(OnDisconnectSessions.writesKey)
    let changes =
      sessions.contains(id)
      ? writes.changes.map { ($0.location.under(below), $0.node) }
      : [(Location(path: path), OnDisconnectSessions.opened(by: principal, writes))]
    return PlannedChange(changes: changes, connection: connection, usage: usage)
  }

  /// Records a change of a connection's on-disconnect writes.
  mutating func note(_ plannedChange: PlannedChange) {
    set(plannedChange.connection.id, plannedChange.usage, plannedChange.connection.claimant)
  }

  /// Removes a connection's usage.
  mutating func forget(_ connection: ConnectionID) { set(connection, nil, ShareClaimant()) }

  /// Returns true when the connection may use `bytes` more; always true for a change that only removes.
  private mutating func mayHold(_ bytes: Int, _ share: FairShareLimit.Claim?, _ connection: Connection) -> Bool {
    guard bytes > 0 else { return true }
    if let share { return shares.admits(bytes, to: share) }
    var share = shares.join(connection.claimant)
    defer { shares.leave(&share) }
    return shares.admits(bytes, to: share)
  }

  private mutating func set(_ connection: ConnectionID, _ usage: Usage?, _ claimant: @autoclosure () -> ShareClaimant) {
    let last = usages.removeValue(forKey: connection)
    guard var usage else {
      if var share = last?.share { shares.leave(&share) }
      return
    }
    var share = last?.share ?? shares.join(claimant())
    shares.add(usage.sizeBytes - share.held, to: &share)
    usage.share = share
    usages[connection] = usage
  }

  // MARK: Sessions to end

  var hasLeftovers: Bool { !leftovers.isEmpty }

  /// Removes and returns the next session to end.
  mutating func takeLeftover() -> Session? { leftovers.popLast() }

  /// Queues a session that ended while the disk is full.
  mutating func wait(_ session: Session) { waiting.append(session) }

  /// Queues the end of a session for another attempt.
  mutating func retry(_ connection: ConnectionID, as principal: Principal, after now: Instant) {
    retries.append((connection, principal))
    nextRetryMonotonicMilliseconds =
      nextRetryMonotonicMilliseconds ?? now.monotonicMilliseconds + EngineLimits.onDisconnectRetryMilliseconds
  }

  /// Removes and returns ended connections whose sessions are to be ended now.
  mutating func takeRetries(at now: Instant, countMax: Int) -> [(connection: ConnectionID, principal: Principal)] {
    guard let time = nextRetryMonotonicMilliseconds, time <= now.monotonicMilliseconds else { return [] }
    let due = Array(retries.prefix(countMax))
    retries.removeFirst(due.count)
    nextRetryMonotonicMilliseconds = nil
    if !retries.isEmpty {
      nextRetryMonotonicMilliseconds = now.monotonicMilliseconds + EngineLimits.onDisconnectRetryMilliseconds
    }
    return due
  }

  /// Drops all sessions to end, which stay durable and end at the next start.
  mutating func halt() { (leftovers, waiting, retries, nextRetryMonotonicMilliseconds) = ([], [], [], nil) }

  /// Delays the ends of sessions while the disk is full, and queues them afterwards.
  mutating func setStalled(_ isStalled: Bool) {
    if isStalled {
      (leftovers, waiting) = ([], leftovers.reversed())
    } else {
      (leftovers, waiting) = (waiting.reversed(), [])
    }
  }

  /// Records a change of a connection's identity while the disk is full.
  mutating func noteIdentityLater(of connection: ConnectionID) { unnoted.insert(connection) }

  /// Removes and returns the connections whose identity changed while the disk was full, in order.
  mutating func takeUnnotedIdentities() -> [ConnectionID] {
    guard !unnoted.isEmpty else { return [] }
    defer { unnoted = [] }
    return unnoted.sorted { $0.rawValue < $1.rawValue }
  }
}
