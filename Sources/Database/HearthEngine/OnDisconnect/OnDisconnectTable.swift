import HearthTree

/// What connections want to be done at their ends, as far as it is not durable in ``Sessions``: how much each has asked for,
/// and whose end is still to be made.
struct OnDisconnectTable {
  /// How much one connection has asked for.
  fileprivate struct Usage {
    /// Writes, and values to be filled in.
    var count = 0
    var sizeBytes = 0
    /// The number of the next write.
    var nextOrder: Int64 = 0
    /// The connection's part of what all may take, which holds ``sizeBytes``; nil before it is noted.
    var share: SharedBound.Claim?

    init() {}

    /// That of a connection whose writes another engine took.
    init(of writes: OnDisconnectWrites, _ limits: EngineLimits) {
      count = writes.count
      sizeBytes = writes.tree.heldBytes(upTo: limits.onDisconnectBytesPerConnectionMax)
      nextOrder = writes.nextOrder
    }
  }

  /// A change of what a connection wants, within the limits, to be made durable and then noted by ``note(_:)``.
  struct Wish {
    /// Places of the tree of sessions, and what is there then.
    let changes: [(location: Location, node: Node)]
    fileprivate let connection: Connection
    /// nil when nothing is left.
    fileprivate let usage: Usage?
  }

  private let limits: EngineLimits
  private var usages: [ConnectionID: Usage] = [:]
  /// The bytes that all of them take, shared by the connections.
  private var shares: SharedBound
  /// Sessions that are to be ended, the next one last: those that were open when the database was last closed, or the
  /// server killed, and those that ended without room on the disk.
  private var leftovers: [Session]
  /// Sessions that end when there is room on the disk, the next one first.
  private var waiting: [Session] = []
  /// Connections that became somebody else while there was no room.
  private var unnoted: Set<ConnectionID> = []

  /// For connections that all begin now.
  init(limits: EngineLimits) {
    (self.limits, leftovers) = (limits, [])
    shares = Self.shares(limits)
  }

  /// - Parameter sessions: As they were found at the start; all of them are over.
  init(ended sessions: Sessions, limits: EngineLimits) {
    (self.limits, leftovers) = (limits, sessions.all.reversed())
    shares = Self.shares(limits)
  }

  /// The bytes of a connection that asks for a few small writes.
  private static let unitBytes = 4 << 10

  private static func shares(_ limits: EngineLimits) -> SharedBound {
    SharedBound(max: limits.onDisconnectBytesMax, unit: unitBytes)
  }

  /// - Parameter sessions: What others have noted of connections that go on.
  init(open sessions: Sessions, limits: EngineLimits) {
    self.init(limits: limits)
    for session in sessions.all {
      set(session.connection, Usage(of: session.writes, limits), ShareClaimant(account: session.principal.uid))
    }
  }

  // MARK: What is wanted

  /// Works out a change of what a connection wants.
  ///
  /// - Parameter change: Gets what the connection wants, and the number of its next write.
  /// - Returns: nil when it changes nothing.
  /// - Throws: What `change` throws, and ``Failure/tooManyOnDisconnects``.
  mutating func wish(
    of connection: Connection, in sessions: Sessions,
    _ change: (inout OnDisconnectWrites, Int64) throws(Failure) -> Void
  ) throws(Failure) -> Wish? {
    let (id, principal) = (connection.id, connection.principal)
    var (usage, writes) = (usages[id] ?? Usage(), sessions.writes(of: id))
    try change(&writes, usage.nextOrder)
    guard !writes.changes.isEmpty else { return nil }
    usage.nextOrder += 1
    usage.count += writes.addedCount
    let oldSizeBytes = usage.sizeBytes
    usage.sizeBytes = writes.tree.heldBytes(upTo: limits.onDisconnectBytesPerConnectionMax)
    // What only takes away is always welcome.
    let isMore = writes.addedCount > 0 || usage.sizeBytes > oldSizeBytes
    let isTooMuch =
      usage.count > limits.onDisconnectsPerConnectionMax
      || usage.sizeBytes > limits.onDisconnectBytesPerConnectionMax
      || !mayHold(usage.sizeBytes - oldSizeBytes, usage.share, connection)
    guard !isMore || !isTooMuch else { throw .tooManyOnDisconnects }
    let path = Sessions.path(of: id)
    guard !writes.tree.isEmpty else {
      return Wish(changes: [(Location(path: path), .empty)], connection: connection, usage: nil)
    }
    let below = path.appending(Sessions.writesKey)
    let changes =
      sessions.contains(id)
      ? writes.changes.map { ($0.location.under(below), $0.node) }
      : [(Location(path: path), Sessions.opened(by: principal, writes))]
    return Wish(changes: changes, connection: connection, usage: usage)
  }

  /// Notes what a connection has asked for.
  mutating func note(_ wish: Wish) { set(wish.connection.id, wish.usage, wish.connection.claimant) }

  /// Forgets how much a connection has asked for.
  mutating func forget(_ connection: ConnectionID) { set(connection, nil, ShareClaimant()) }

  /// Returns true when the connection may hold so many bytes more; a change that takes away is always welcome.
  private mutating func mayHold(_ bytes: Int, _ share: SharedBound.Claim?, _ connection: Connection) -> Bool {
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

  // MARK: Whose end is still to be made

  var hasLeftovers: Bool { !leftovers.isEmpty }

  /// The next session that is to be ended.
  mutating func takeLeftover() -> Session? { leftovers.popLast() }

  /// A connection ended while there is no room.
  mutating func wait(_ session: Session) { waiting.append(session) }

  /// From here on no on-disconnect write is made before the next start.
  mutating func halt() { (leftovers, waiting) = ([], []) }

  /// Without room on the disk sessions wait for their end.
  mutating func setStalled(_ isStalled: Bool) {
    if isStalled {
      (leftovers, waiting) = ([], leftovers.reversed())
    } else {
      (leftovers, waiting) = (waiting.reversed(), [])
    }
  }

  /// A connection became somebody else while there is no room.
  mutating func noteIdentityLater(of connection: ConnectionID) { unnoted.insert(connection) }

  /// Who became somebody else meanwhile, in order.
  mutating func takeUnnotedIdentities() -> [ConnectionID] {
    guard !unnoted.isEmpty else { return [] }
    defer { unnoted = [] }
    return unnoted.sorted { $0.rawValue < $1.rawValue }
  }
}
