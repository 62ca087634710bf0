import HearthTree

/// The state of one client of one database: listens, cached data, pending writes and transactions, and requests to the
/// server.
///
/// Calls of the app and messages of the server go in; events for the app and requests for the server come out. It has
/// no socket, file, clock or thread of its own. It belongs to one serial executor and is not reentrant: neither a
/// transaction's function nor the clock may call it.
public final class SyncCore {
  let clock: () -> Int64
  let storeSizeBytesMax: Int
  let getPatienceMilliseconds: Int64
  let tree = SyncTree()
  let info = SyncTree()
  /// The data below `.info`.
  var infoData = Node.empty
  var outbox = Outbox()
  var onDisconnectTree = OnDisconnectTree()
  let transactions = TransactionTree()
  var storage: Storage?

  /// The events and requests that the current step has produced.
  var reaction = Reaction()

  var nextWriteID = 1
  private var nextTransaction = 0
  private var lastHiddenRegistration = 0
  var keptSynced: [QuerySpec: RegistrationID] = [:]
  var hasWarnedOfTransactions = false
  /// True when a transaction waits for its delay.
  var hasWaitingTransactions = false

  /// The offset added to the local clock to get the server's time; 0 before the first connection.
  public internal(set) var serverTimeOffsetMilliseconds: Int64 = 0

  /// A disconnected client without data.
  ///
  /// - Parameters:
  ///   - clock: the wall clock in milliseconds since 1970.
  ///   - store: the store of cached data and writes; nil keeps them in memory alone. With one, call ``restore()``
  ///     before anything else.
  ///   - storeSizeBytesMax: the data that the store may take beside that of active listens.
  ///   - getPatienceMilliseconds: the time that a `get` waits without a connection, counted from its call or from the
  ///     loss of the connection that carried it.
  public init(
    clock: @escaping () -> Int64, store: (any SyncStore)? = nil, storeSizeBytesMax: Int = 10 << 20,
    getPatienceMilliseconds: Int64 = 3_000
  ) {
    self.clock = clock
    self.storeSizeBytesMax = storeSizeBytesMax
    self.getPatienceMilliseconds = getPatienceMilliseconds
    infoData = Node.empty.replacing(Self.connectedKey, with: Node(.bool(false)))
    storage = store.map { Storage($0, clock: clock, sizeBytesMax: storeSizeBytesMax) }
    tree.observer = storage
  }

  /// The first key of the data that clients generate themselves.
  static let infoKey: Key = ".info"
  static let connectedKey: Key = "connected"
  static let offsetKey: Key = "serverTimeOffset"

  var serverTimeMilliseconds: Int64 { clock().addingReportingOverflow(serverTimeOffsetMilliseconds).partialValue }

  /// Runs one step and returns the events and requests that it produced.
  func step(_ body: () -> Void) -> Reaction {
    reaction = Reaction()
    body()
    for text in storage?.takeWarnings() ?? [] { reaction.events.append(.warning(text)) }
    reaction.requests += outbox.take()
    defer { reaction = Reaction() }
    return reaction
  }

  func raise(_ events: [DataEvent]) {
    for event in events { reaction.events.append(.data(event)) }
  }

  func raise(_ event: SyncEvent) { reaction.events.append(event) }

  /// Returns a registration of the core's own, which receives no events.
  func hiddenRegistration() -> Registration {
    lastHiddenRegistration -= 1
    return Registration(RegistrationID(lastHiddenRegistration), types: [])
  }

  func takeWriteID() -> Int {
    defer { nextWriteID += 1 }
    return nextWriteID
  }

  func takeTransactionOrder() -> Int {
    defer { nextTransaction += 1 }
    return nextTransaction
  }
}

// MARK: - Listening

extension SyncCore {
  /// Delivers the known data of a query to a registration, and its changes from then on.
  ///
  /// This side answers listens of `.info`: `connected` and `serverTimeOffset`.
  public func listen(_ query: QuerySpec, _ registration: Registration) -> Reaction {
    step {
      if isInfo(query.path) {
        raise(info.add(registration, to: query))
        followInfoListens()
      } else {
        register(registration, to: query)
      }
    }
  }

  /// Ends a registration, which then receives no events. At a default query, registrations of all queries at the path
  /// are searched.
  public func remove(_ id: RegistrationID, from query: QuerySpec) -> Reaction {
    step {
      if isInfo(query.path) {
        info.remove(id, from: query)
        _ = info.takeListenChanges()
      } else {
        unregister(id, from: query)
      }
    }
  }

  /// Ends all registrations of a query; at a default query, those of all queries at the path. ``keepSynced(_:_:)``
  /// stays in force.
  public func removeAll(from query: QuerySpec) -> Reaction {
    step {
      let tree = isInfo(query.path) ? info : tree
      tree.removeAll(from: query)
      if tree === info { _ = info.takeListenChanges() } else { followListens() }
    }
  }

  /// Keeps a query's data in sync and stored without a listener. The setting is on or off, not counted.
  public func keepSynced(_ query: QuerySpec, _ isOn: Bool) -> Reaction {
    step {
      if isInfo(query.path) { return raise(.warning("keepSynced has no meaning for \(query.path)")) }
      if isOn, keptSynced[query] == nil {
        let registration = hiddenRegistration()
        keptSynced[query] = registration.id
        register(registration, to: query)
      } else if !isOn, let id = keptSynced.removeValue(forKey: query) {
        unregister(id, from: query)
      }
    }
  }

  func register(_ registration: Registration, to query: QuerySpec) {
    raise(tree.add(registration, to: query))
    followListens()
  }

  func unregister(_ id: RegistrationID, from query: QuerySpec) {
    tree.remove(id, from: query)
    followListens()
  }

  func isInfo(_ path: Path) -> Bool { path.keys.first == Self.infoKey }

  /// Sends the requests that begin or end the tree's listens.
  func followListens() {
    for change in tree.takeListenChanges() {
      switch change {
      case .start(let spec, let tag):
        let listen = Outbox.Listen(spec: spec, tag: tag)
        outbox.listen(listen, listenRequest(listen))
      case .stop(let spec, let tag): outbox.unlisten(Outbox.Listen(spec: spec, tag: tag))
      }
    }
  }

  /// Returns a listen request with the hashes of the cached data.
  func listenRequest(_ listen: Outbox.Listen) -> SyncRequest.Body {
    let node = tree.serverNode(ofListen: listen.spec) ?? .empty
    let isLarge = node.estimatedSizeBytes > Self.simpleHashSizeBytesMax
    return .listen(
      listen.spec, tag: listen.tag, hash: node.simpleHash(), compoundHash: isLarge ? node.compoundHash() : nil)
  }

  /// The size above which a listen also sends hashes of ranges, so that the server sends only the ranges that differ.
  static let simpleHashSizeBytesMax = 1024

  // MARK: .info

  func followInfoListens() {
    for case .start(let spec, _) in info.takeListenChanges() {
      let node = infoNode(spec.path)
      if !node.isEmpty { raise(info.serverOverwrite(Location(path: spec.path), node)) }
    }
  }

  func infoNode(_ path: Path) -> Node { infoData[Path(Array(path.keys.dropFirst()))] }

  func setInfo(_ key: Key, _ value: Scalar) {
    infoData = infoData.replacing(key, with: Node(value))
    raise(info.serverOverwrite(Location(path: Path([Self.infoKey, key])), Node(value)))
  }
}
