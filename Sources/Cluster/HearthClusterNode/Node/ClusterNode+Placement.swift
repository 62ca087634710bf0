import HearthCluster
import NIOCore

/// The placement of databases: which have no owner, whose owner shuts down, or whose owner has more than its share.
extension ClusterNode {
  /// The time limit for another node to open a database.
  private static let openSeconds = 30
  /// The time limit for another node to report its load.
  private static let loadSeconds = 2
  /// The silence of an owner after which nodes that do not claim its database look for another node.
  private static let silenceMilliseconds: Int64 = 2_000
  /// The number of calls of ``place()`` between two redistributions of databases and standbys.
  private static let spreadEvery = 5
  /// The number of calls of ``place()`` after which the other node is asked again to be a standby.
  private static let standbyEvery = 60
  /// The size of snapshot and log from which a database gets a standby, because reading it after the loss of its owner
  /// takes too long.
  private static let standbyBytes = 16 << 20
  /// The number of databases that move to other nodes at a time.
  private static let movesMax = 4

  // MARK: Questions of other nodes

  /// Answers a ``NodeQuestion``.
  func answer(about question: [UInt8], on loop: any EventLoop) -> EventLoopFuture<[UInt8]> {
    let acceptsDatabases = acceptsDatabases.load(ordering: .relaxed)
    let answer: EventLoopFuture<NodeAnswer>
    switch try? NodeQuestion(encoded: question) {
    case .load:
      answer = loop.makeSucceededFuture(
        .load(acceptsDatabases: acceptsDatabases, ownedCount: UInt32(clamping: owned.count)))
    case .open(let journal):
      guard acceptsDatabases, let opening = openHandler.current?(journal) else {
        return loop.makeSucceededFuture(NodeAnswer.declined.encoded)
      }
      answer = opening.map { .opened }.recover { _ in .declined }
    case .closeDeleted:
      guard let closed = deletionHandler.current?() else { return loop.makeFailedFuture(LinkRefusal.noHandler) }
      answer = closed.hop(to: loop).map { .closedDeleted }
    case .receipts(let credentials, let position): answer = receipts(of: credentials, position, on: loop)
    // The question comes from a later version.
    case nil: return loop.makeFailedFuture(LinkRefusal.noHandler)
    }
    return answer.map(\.encoded)
  }

  /// Opens a database that another node has handed over to this one.
  func openHandedOver(_ database: DatabaseID) {
    guard acceptsDatabases.load(ordering: .relaxed) else { return }
    loadQueue.async { [self] in
      if let journal = try? store.name(of: database) { _ = openHandler.current?(journal) }
    }
  }

  func ask(_ node: NodeID, _ question: NodeQuestion, seconds: Int) -> EventLoopFuture<NodeAnswer> {
    driver.links.ask(node, question.encoded, timeoutSeconds: seconds)
      .flatMapThrowing { try NodeAnswer(encoded: $0) }
  }

  // MARK: Owners

  /// The databases that this node owns.
  private var owned: [String: OpenMember] {
    members.withLock { members in
      members.filter { $0.value.driver.withMember { member, _ in member.ownership.epoch != nil } }
    }
  }

  private var connected: [NodeID] { driver.links.connected.map(\.node) }

  /// Finds owners for databases without one, and moves databases to better nodes. Called at regular intervals.
  func runPlacement() {
    let now = MachineClock().now
    for (journal, member) in members.withLock({ $0 }) {
      let status = member.driver.withMember { member, _ in member.status }
      guard status.role != .owner, now.isAtLeast(Self.silenceMilliseconds, after: status.ownerHeardAt) else { continue }
      seekOwner(of: journal, known: status.owner)
    }
    let turn = placementRounds.wrappingAdd(1, ordering: .relaxed).newValue
    guard turn % Self.spreadEvery == 0 else { return }
    spread()
    keepStandbys(isAll: turn % Self.standbyEvery == 0)
  }

  /// Makes another node open a database: the known owner, which may have closed it, or, if this node does not accept
  /// databases, one that does.
  func seekOwner(of journal: String, known: NodeID? = nil) {
    let (connected, acceptsDatabases) = (connected, acceptsDatabases.load(ordering: .relaxed))
    var asked = known.map { connected.contains($0) ? [$0] : [] } ?? []
    if !acceptsDatabases { asked += Placement.order(connected, for: journal).filter { $0 != known } }
    guard !asked.isEmpty, pendingOperations.begin(.seeking, journal) else { return }
    open(journal, at: asked[...], .seeking)
  }

  /// Asks the nodes in turn until one has opened a database, and ends the pending operation.
  private func open(_ journal: String, at nodes: ArraySlice<NodeID>, _ operation: PendingOperations.Kind) {
    guard let node = nodes.first else { return pendingOperations.end(operation, journal) }
    ask(node, .open(journal: journal), seconds: Self.openSeconds).whenComplete { [self] result in
      if case .success(.opened) = result { return pendingOperations.end(operation, journal) }
      open(journal, at: nodes.dropFirst(), operation)
    }
  }

  /// Returns the loads of the other nodes that accept databases, the least loaded first.
  private func loads(on loop: any EventLoop) -> EventLoopFuture<[Placement.Load]> {
    let asked = connected.map { node in
      ask(node, .load, seconds: Self.loadSeconds).map { answer -> Placement.Load? in
        guard case .load(acceptsDatabases: true, let count) = answer else { return nil }
        return Placement.Load(node, ownedCount: Int(count))
      }.recover { _ in nil }
    }
    return EventLoopFuture.whenAllSucceed(asked, on: loop).map { loads in
      loads.compactMap { $0 }.sorted { ($0.ownedCount, $0.node) < ($1.ownedCount, $1.node) }
    }
  }

  // MARK: Moves

  /// Hands a database over to another node, which first has to follow it. Writes then wait only for two commits instead
  /// of the loading of the whole tree.
  ///
  /// - Parameter isRequired: True to hand over even when the other node does not follow in time and has to load the
  ///   database first.
  private func move(_ journal: String, _ member: OpenMember, to node: NodeID, isRequired: Bool) {
    guard pendingOperations.begin(.moving, journal) else { return }
    let seconds = isRequired ? Self.loadSeconds : Self.openSeconds
    ask(node, .open(journal: journal), seconds: seconds).whenComplete { [self] result in
      let isFollowing = if case .success(.opened) = result { true } else { false }
      if isFollowing || isRequired { member.driver.handle(.handOver(to: node)) }
      pendingOperations.end(.moving, journal)
    }
  }

  /// Moves databases above this node's share to other nodes; when there are none, those that another node's clients use
  /// most.
  private func spread() {
    let owned = owned
    guard !owned.isEmpty, acceptsDatabases.load(ordering: .relaxed), pendingOperations.count(.moving) == 0 else {
      return
    }
    let wanted = owned.compactMap { journal, member -> (String, OpenMember, NodeID)? in
      member.driver.withMember { member, _ in member.busiestOtherNode }.map { (journal, member, $0) }
    }
    guard owned.count > 1 || !wanted.isEmpty else { return }
    loads(on: driver.links.loop).whenSuccess { [self] others in
      let receivers = Placement.moves(ownedCount: owned.count, others: others, countMax: Self.movesMax)
      guard !receivers.isEmpty else {
        let next = wanted.first { Placement.hasRoom($2, ownedCount: owned.count, others: others) }
        guard let (journal, member, node) = next else { return }
        logger.info(
          "moving a database to the node whose clients use it",
          metadata: ["database": "\(journal)", "node": "\(node)"])
        return move(journal, member, to: node, isRequired: false)
      }
      loadQueue.async { [self] in
        // The databases with the fewest clients here come first.
        let order = owned.map { (count: $1.database.figures().connectionCount, journal: $0, member: $1) }
          .sorted { ($0.count, $0.journal) < ($1.count, $1.journal) }
        for (node, (_, journal, member)) in zip(receivers, order) {
          logger.info(
            "moving a database to a node with fewer databases", metadata: ["database": "\(journal)", "node": "\(node)"])
          move(journal, member, to: node, isRequired: false)
        }
      }
    }
  }

  // MARK: Standbys

  /// Makes a second node follow each large database of this owner, so that it can take over at once.
  ///
  /// - Parameter isAll: True to include databases that have a follower already, because it may follow only as long as
  ///   it has clients for the database.
  private func keepStandbys(isAll: Bool) {
    let owned = owned.filter { isAll || $0.value.driver.withMember { member, _ in member.status.followerCount == 0 } }
    guard !owned.isEmpty else { return }
    loadQueue.async { [self] in
      for (journal, member) in owned {
        let figures = member.database.figures()
        guard figures.snapshotBytes + figures.journalBytes >= Self.standbyBytes,
          pendingOperations.begin(.standby, journal)
        else { continue }
        open(journal, at: Placement.order(connected, for: journal)[...], .standby)
      }
    }
  }

  /// Hands every database of this node over to another connected node that accepts it, and accepts none any more.
  /// Returns when that is done, or after `seconds`.
  ///
  /// - Returns: The databases that it still owns.
  package func drain(seconds: Int) async -> [String] {
    acceptsDatabases.store(false, ordering: .relaxed)
    let deadline = clock().monotonicMilliseconds + Int64(seconds) * 1_000
    var others: [NodeID] = []
    while true {
      for member in members.withLock({ Array($0.values) }) { member.driver.handle(.wanted(false)) }
      let owned = owned
      guard !owned.isEmpty, clock().monotonicMilliseconds < deadline else { return owned.keys.sorted() }
      if others.isEmpty { others = (try? await loads(on: driver.links.loop).get().map(\.node)) ?? [] }
      for (number, (journal, member)) in owned.sorted(by: { $0.key < $1.key }).enumerated() where !others.isEmpty {
        move(journal, member, to: others[number % others.count], isRequired: true)
      }
      try? await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Hands databases over before the server ends, as many as possible within ``leaveSeconds``.
  package func leave() async { _ = await drain(seconds: Self.leaveSeconds) }

  private static let leaveSeconds = 3
}
