import HearthTree

/// One live listen of one connection, and the grant it lives by: what its permission was decided from.
final class Listen {
  /// Grows with every listen; what is decided again together is decided in this order.
  let serial: UInt64
  unowned let connection: Connection
  let node: ListenNode
  let path: Path

  /// The places in ``DependencyIndex`` that hold this listen.
  var dependencies: [(node: DependencyNode, slot: Int)] = []

  /// The rule looked at the time.
  var usesClock = false

  /// The `now` of the last decision.
  var decidedWallMilliseconds: Int64 = 0

  /// How many listens of the same connection stand above this one. They are told everything that this one would be.
  var shadowCount = 0

  /// False once it is cancelled or given up.
  var isLive = true

  /// Its places in the arrays of ``node``; -1 when it is not in one.
  var slot = -1
  var recipientSlot = -1
  var clockSlot = -1

  init(serial: UInt64, connection: Connection, node: ListenNode, path: Path) {
    self.serial = serial
    self.connection = connection
    self.node = node
    self.path = path
  }
}

/// What the engine knows of one connection.
final class Connection {
  let id: ConnectionID
  var identity = Identity.signedOut

  /// Names the identity among all that the engine has seen: the deadline of an earlier one is known to be stale.
  var identitySerial: UInt64 = 0

  /// By the trie node that each stands at.
  var listens = DenseTable<ObjectIdentifier, Listen>()

  init(id: ConnectionID) { self.id = id }

  func listen(at node: ListenNode) -> Listen? { listens[ObjectIdentifier(node)] }
}
