import HearthTree

/// One live listen of one connection, with its grant: the inputs of the decision that allows it.
final class Listen {
  /// The serial number, which grows with every listen; listens that are decided again together are decided in this
  /// order.
  let serial: UInt64
  unowned let connection: Connection
  let node: ListenNode
  let path: Path

  /// The group of all listens with the same query at the same location; nil for a listen without a query.
  let group: QueryGroup?

  /// The connection's tag for a listen with a query; nil for other listens.
  var tag: Int32?

  /// The principal of the last decision.
  var principal: Principal

  /// The last commit in its first value.
  var firstPosition: Int64 = 0

  /// The nodes in ``DependencyIndex`` with this listen, and its slots there.
  var dependencies: [(node: DependencyNode, slot: Int)] = []

  /// True when the rule read the time.
  var usesClock = false

  /// The `now` of the last decision.
  var decidedWallMilliseconds: Int64 = 0

  /// The number of listens of the same connection at locations above this one. They include all its events, so it
  /// receives none itself while the number is not 0. Always 0 for a listen with a query, which does not count for
  /// listens below it either.
  var shadowCount = 0

  /// The ``RedecisionQueue/lastSerial`` at the time of its last decision.
  var decidedSerial: UInt64 = 0

  /// True when it is in the list of a ``PendingRedecision``.
  var isQueued = false

  /// The first event that it missed while its decision was pending; nil when it has received all events.
  var missed: MissedEvent?

  /// False once it is cancelled or ended.
  var isLive = true

  /// The indexes of the listen in ``ListenAudience/listens``, `recipients` and ``ListenAudience/clockListens``; -1 when
  /// it is not in the array.
  var slot = -1
  var recipientSlot = -1
  var clockSlot = -1

  init(
    serial: UInt64, connection: Connection, node: ListenNode, path: Path, group: QueryGroup? = nil, tag: Int32? = nil
  ) {
    self.serial = serial
    self.connection = connection
    self.node = node
    self.path = path
    self.group = group
    self.tag = tag
    principal = connection.principal
  }

  var name: ListenName { ListenName(path: path, tag: tag) }

  /// The query that the rules evaluate; nil for a listen without one, or when the listen receives all data and the
  /// client filters it.
  var sentQuery: Query? { group.flatMap { $0.isUnfiltered ? nil : $0.query } }

  /// The last commit that it has received.
  var lastPosition: Int64 { missed?.lastPosition ?? max(firstPosition, group?.lastPosition ?? node.lastPosition) }

  /// Records in its audience that its permission depends on the time, or that it does not.
  func setClock(_ usesClock: Bool) {
    self.usesClock = usesClock
    if let group {
      group.audience.setClock(self, usesClock)
    } else {
      node.audience.setClock(self, usesClock)
    }
  }
}

/// The state of one connection in the engine.
final class Connection {
  let id: ConnectionID
  let address: AddressClass
  /// The client's network; nil when it is unknown.
  let network: NetworkPrefix?
  var principal = Principal.signedOut

  /// The serial number of the principal which is unique in the engine and shows that the deadline of an earlier
  /// principal is stale.
  var identitySerial: UInt64 = 0

  /// The ``identitySerial`` of the last principal for which the rules could decide differently than for the one before.
  var principalSerial: UInt64 = 0

  /// The lowest ``Listen/decidedSerial`` of a listen that is not in doubt: listens with a lower one must be decided
  /// again for the new principal.
  var doubtSerial: UInt64 = 0

  /// The pending redecision of its listens; nil when there is none.
  var redecision: PendingRedecision?

  /// True when the connection has ended. Its listens are removed from the indexes slice by slice.
  var hasEnded = false

  /// The listens by the identity of their ``ListenNode``, or of their ``QueryGroup`` for those with a query.
  var listens = DenseTable<ObjectIdentifier, Listen>()

  /// The connection's share of the listens' memory.
  var share = FairShareLimit.Claim()

  /// The listens with a query by tag.
  var tagged = DenseTable<Int32, Listen>()

  init(id: ConnectionID, address: AddressClass = .unknown, network: NetworkPrefix? = nil) {
    (self.id, self.address, self.network) = (id, address, network)
  }

  /// The client as ``FairShareLimit`` counts it: its connection, user and network.
  var claimant: ShareClaimant {
    ShareClaimant(account: principal.uid, network: network, isAdministrator: principal.readsAll)
  }

  /// Returns the payer of work on one of its listens that another client's command causes: that client, or the
  /// connection itself when it has more than ``EngineLimits/coveredListensMax``.
  func payer(causedBy cause: WorkPayer?) -> WorkPayer? {
    listens.count > EngineLimits.coveredListensMax ? WorkPayer(id) : cause
  }

  func listen(at node: ListenNode) -> Listen? { listens[ObjectIdentifier(node)] }
  func listen(in group: QueryGroup) -> Listen? { listens[ObjectIdentifier(group)] }
}
