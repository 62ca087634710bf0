import HearthTree

/// One live listen of one connection, and the grant it lives by: what its permission was decided from.
final class Listen {
  /// Grows with every listen; what is decided again together is decided in this order.
  let serial: UInt64
  unowned let connection: Connection
  let node: ListenNode
  let path: Path

  /// All listens with the same query to the same place; nil for a listen without a query.
  let group: QueryGroup?

  /// How the connection knows a listen with a query.
  var tag: Int32?

  /// Under whom it was last allowed.
  var principal: Principal

  /// The last commit in its first value.
  var firstPosition: Int64 = 0

  /// The places in ``DependencyIndex`` that hold this listen.
  var dependencies: [(node: DependencyNode, slot: Int)] = []

  /// The rule looked at the time.
  var usesClock = false

  /// The `now` of the last decision.
  var decidedWallMilliseconds: Int64 = 0

  /// How many listens of the same connection stand above this one. They are told everything that this one would be.
  /// Always 0 for a listen with a query, and none stands above anything.
  var shadowCount = 0

  /// The ``RedecisionQueue/lastSerial`` of its last decision.
  var decidedSerial: UInt64 = 0

  /// True when it stands in the list of a ``PendingRedecision``.
  var isQueued = false

  /// The first event that it was not told while its decision was pending; nil when it was told everything.
  var missed: MissedEvent?

  /// False once it is cancelled or given up.
  var isLive = true

  /// Its places in the arrays of its audience; -1 when it is not in one.
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

  /// What the rules are asked about: the query whose result it is sent.
  var sentQuery: Query? { group.flatMap { $0.isWhole ? nil : $0.query } }

  /// The last commit that it was told of.
  var lastPosition: Int64 { missed?.lastPosition ?? max(firstPosition, group?.lastPosition ?? node.lastPosition) }

  /// Notes with its audience whether its permission depends on the time.
  func setClock(_ usesClock: Bool) {
    self.usesClock = usesClock
    if let group {
      group.audience.setClock(self, usesClock)
    } else {
      node.audience.setClock(self, usesClock)
    }
  }
}

/// What the engine knows of one connection.
final class Connection {
  let id: ConnectionID
  let address: AddressClass
  /// The client's network; nil when that is not known here.
  let network: NetworkPrefix?
  var principal = Principal.signedOut

  /// Names the principal among all that the engine has seen: the deadline of an earlier one is known to be stale.
  var identitySerial: UInt64 = 0

  /// The ``identitySerial`` of the last principal that rules could tell from the one before.
  var principalSerial: UInt64 = 0

  /// Listens whose ``Listen/decidedSerial`` is lower are to be decided again: the principal is another one.
  var doubtSerial: UInt64 = 0

  /// What decides its listens again; nil when nothing does.
  var redecision: PendingRedecision?

  /// True when it has ended. Its listens are taken out of the indexes slice by slice.
  var hasEnded = false

  /// By the trie node that each stands at, or the group of its query.
  var listens = DenseTable<ObjectIdentifier, Listen>()

  /// Its part of what listens may take.
  var share = SharedBound.Claim()

  /// Those with a query, by tag.
  var tagged = DenseTable<Int32, Listen>()

  init(id: ConnectionID, address: AddressClass = .unknown, network: NetworkPrefix? = nil) {
    (self.id, self.address, self.network) = (id, address, network)
  }

  /// The client, as shared bounds count it.
  var claimant: ShareClaimant {
    ShareClaimant(account: principal.uid, network: network, isAdministrator: principal.readsAll)
  }

  func listen(at node: ListenNode) -> Listen? { listens[ObjectIdentifier(node)] }
  func listen(in group: QueryGroup) -> Listen? { listens[ObjectIdentifier(group)] }
}
