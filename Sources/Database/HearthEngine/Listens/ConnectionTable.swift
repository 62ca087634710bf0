/// The connections that were announced and have not ended, with the deadlines of their credentials.
struct ConnectionTable {
  private var connections: [ConnectionID: Connection] = [:]
  private(set) var deadlines = DeadlineQueue()
  /// The number of identity changes of all connections, by which the deadline of an earlier principal is recognised as
  /// stale.
  private var lastIdentitySerial: UInt64 = 0

  var count: Int { connections.count }
  /// The connections, in no order.
  var all: some Collection<Connection> { connections.values }
  /// The connections' IDs, in no order.
  var ids: some Collection<ConnectionID> { connections.keys }

  subscript(id: ConnectionID) -> Connection? { connections[id] }

  mutating func insert(_ connection: Connection) { connections[connection.id] = connection }

  /// Removes and returns a connection; nil when it is unknown.
  mutating func remove(_ id: ConnectionID) -> Connection? { connections.removeValue(forKey: id) }

  /// Changes the principal of a connection, and queues the deadline of its credential.
  ///
  /// - Parameter isSame: True when the rules cannot decide differently for the new principal.
  mutating func identify(_ connection: Connection, as principal: Principal, isSame: Bool) {
    lastIdentitySerial += 1
    (connection.principal, connection.identitySerial) = (principal, lastIdentitySerial)
    if !isSame { connection.principalSerial = lastIdentitySerial }
    guard let deadline = principal.deadlineMonotonicMilliseconds else { return }
    deadlines.insert(
      DeadlineQueue.Entry(
        deadlineMonotonicMilliseconds: deadline, connection: connection.id, serial: connection.identitySerial))
    deadlines.dropStale(connections)
  }

  /// Removes and returns the next connection whose credential has expired, or nil when there is none.
  mutating func takeExpired(at now: Instant) -> Connection? {
    while let first = deadlines.first, first.deadlineMonotonicMilliseconds <= now.monotonicMilliseconds {
      guard let entry = deadlines.removeFirst() else { return nil }
      if let connection = connections[entry.connection], connection.identitySerial == entry.serial { return connection }
    }
    return nil
  }
}
