import HearthCluster
import NIOCore

/// Which node owns a database: where nobody does, where one leaves, and where one has more than its share.
extension ClusterNode {
  /// The time that another node may take to open a database.
  private static let openSeconds = 30
  /// The time that another node may take to say how much it has to do.
  private static let loadSeconds = 2
  /// A database whose owner was not heard for this long is looked after, by those who do not take it themselves.
  private static let silenceMilliseconds: Int64 = 2_000
  /// Every how many calls of ``place()`` databases are spread, and followed by a second node.
  private static let spreadEvery = 5
  /// Every how many calls of ``place()`` a standby is told that it still is one.
  private static let standbyEvery = 60
  /// A database of so many bytes of snapshot and log takes too long to be read when its owner is gone.
  private static let standbyBytes = 16 << 20
  /// The number of databases that are on their way to other nodes at a time.
  private static let movesMax = 4

  // MARK: Questions of other nodes

  /// Answers a ``NodeQuestion``.
  func answer(about question: [UInt8], on loop: any EventLoop) -> EventLoopFuture<[UInt8]> {
    let isWilling = isWilling.load(ordering: .relaxed)
    let answer: EventLoopFuture<NodeAnswer>
    switch try? NodeQuestion(encoded: question) {
    case .load:
      answer = loop.makeSucceededFuture(.load(isWilling: isWilling, ownedCount: UInt32(clamping: owned.count)))
    case .open(let journal):
      guard isWilling, let opening = opener.current?(journal) else {
        return loop.makeSucceededFuture(NodeAnswer.declined.encoded)
      }
      answer = opening.map { .opened }.recover { _ in .declined }
    case .look:
      guard let looked = looker.current?() else { return loop.makeFailedFuture(LinkRefusal.unattended) }
      answer = looked.hop(to: loop).map { .looked }
    case .receipts(let credentials, let position): answer = receipts(of: credentials, position, on: loop)
    // It is a later version that asks.
    case nil: return loop.makeFailedFuture(LinkRefusal.unattended)
    }
    return answer.map(\.encoded)
  }

  /// Another node has given up a database for this one, which has no part in it.
  func take(given database: DatabaseID) {
    guard isWilling.load(ordering: .relaxed) else { return }
    loading.async { [self] in
      if let journal = try? store.name(of: database) { _ = opener.current?(journal) }
    }
  }

  func ask(_ node: NodeID, _ question: NodeQuestion, seconds: Int) -> EventLoopFuture<NodeAnswer> {
    driver.links.ask(node, question.encoded, timeoutSeconds: seconds)
      .flatMapThrowing { try NodeAnswer(encoded: $0) }
  }

  // MARK: Owners

  /// What this node owns.
  private var owned: [String: OpenMember] {
    members.withLock { members in
      members.filter { $0.value.driver.look { member, _ in member.ownership.epoch != nil } }
    }
  }

  private var connected: [NodeID] { driver.links.connected.map(\.node) }

  /// Time has passed: looks after databases that nobody owns, or that are not where they should be.
  func place() {
    let now = MachineClock().now
    for (journal, member) in members.withLock({ $0 }) {
      let status = member.driver.look { member, _ in member.status }
      guard status.role != .owner, now.isAtLeast(Self.silenceMilliseconds, after: status.ownerHeardAt) else { continue }
      seekOwner(of: journal, known: status.owner)
    }
    let turn = looks.wrappingAdd(1, ordering: .relaxed).newValue
    guard turn % Self.spreadEvery == 0 else { return }
    spread()
    keepStandbys(isAll: turn % Self.standbyEvery == 0)
  }

  /// Has another node take part in a database: the one that is known as its owner but may have closed it, or, if this one
  /// takes none, one that does.
  func seekOwner(of journal: String, known: NodeID? = nil) {
    let (connected, isWilling) = (connected, isWilling.load(ordering: .relaxed))
    var asked = known.map { connected.contains($0) ? [$0] : [] } ?? []
    if !isWilling { asked += Placement.order(connected, for: journal).filter { $0 != known } }
    guard !asked.isEmpty, errands.begin(.seeking, journal) else { return }
    open(journal, at: asked[...], .seeking)
  }

  /// Has the first of some nodes open a database that does; then the errand is over.
  private func open(_ journal: String, at nodes: ArraySlice<NodeID>, _ errand: PendingOperations.Kind) {
    guard let node = nodes.first else { return errands.end(errand, journal) }
    ask(node, .open(journal: journal), seconds: Self.openSeconds).whenComplete { [self] result in
      if case .success(.opened) = result { return errands.end(errand, journal) }
      open(journal, at: nodes.dropFirst(), errand)
    }
  }

  /// Other nodes that take databases, those with the fewest first.
  private func loads(on loop: any EventLoop) -> EventLoopFuture<[Placement.Load]> {
    let asked = connected.map { node in
      ask(node, .load, seconds: Self.loadSeconds).map { answer -> Placement.Load? in
        guard case .load(isWilling: true, let count) = answer else { return nil }
        return Placement.Load(node, ownedCount: Int(count))
      }.recover { _ in nil }
    }
    return EventLoopFuture.whenAllSucceed(asked, on: loop).map { loads in
      loads.compactMap { $0 }.sorted { ($0.ownedCount, $0.node) < ($1.ownedCount, $1.node) }
    }
  }

  // MARK: Moves

  /// Gives a database to another node, which is asked to follow it first: so writes wait for as long as two commits take,
  /// and not for as long as a tree is read.
  ///
  /// - Parameter isRequired: It is given away also when the other node does not follow it in time, and then reads it first.
  private func move(_ journal: String, _ member: OpenMember, to node: NodeID, isRequired: Bool) {
    guard errands.begin(.moving, journal) else { return }
    let seconds = isRequired ? Self.loadSeconds : Self.openSeconds
    ask(node, .open(journal: journal), seconds: seconds).whenComplete { [self] result in
      let isFollowing = if case .success(.opened) = result { true } else { false }
      if isFollowing || isRequired { member.driver.handle(.handOver(to: node)) }
      errands.end(.moving, journal)
    }
  }

  /// Gives other nodes some of what this one owns beyond its share, or else what their clients use most.
  private func spread() {
    let owned = owned
    guard !owned.isEmpty, isWilling.load(ordering: .relaxed), errands.count(.moving) == 0 else { return }
    let wanted = owned.compactMap { journal, member -> (String, OpenMember, NodeID)? in
      member.driver.look { member, _ in member.mostAskedFrom }.map { (journal, member, $0) }
    }
    guard owned.count > 1 || !wanted.isEmpty else { return }
    loads(on: driver.links.loop).whenSuccess { [self] others in
      let receivers = Placement.moves(ownedCount: owned.count, others: others, countMax: Self.movesMax)
      guard !receivers.isEmpty else {
        let next = wanted.first { Placement.hasRoom($2, ownedCount: owned.count, others: others) }
        guard let (journal, member, node) = next else { return }
        logger.info(
          "a database is given to the node whose clients use it",
          metadata: ["database": "\(journal)", "node": "\(node)"])
        return move(journal, member, to: node, isRequired: false)
      }
      loading.async { [self] in
        // Those with the fewest clients here.
        let order = owned.map { (count: $1.database.figures().connectionCount, journal: $0, member: $1) }
          .sorted { ($0.count, $0.journal) < ($1.count, $1.journal) }
        for (node, (_, journal, member)) in zip(receivers, order) {
          logger.info(
            "a database is given to a node with fewer", metadata: ["database": "\(journal)", "node": "\(node)"])
          move(journal, member, to: node, isRequired: false)
        }
      }
    }
  }

  // MARK: Standbys

  /// Has a second node follow each large database that this one owns, so that it can take the owner's place at once.
  ///
  /// - Parameter isAll: also those that some node follows: it may do so for its own clients, who leave.
  private func keepStandbys(isAll: Bool) {
    let owned = owned.filter { isAll || $0.value.driver.look { member, _ in member.status.followerCount == 0 } }
    guard !owned.isEmpty else { return }
    loading.async { [self] in
      for (journal, member) in owned {
        let figures = member.database.figures()
        guard figures.snapshotBytes + figures.journalBytes >= Self.standbyBytes,
          errands.begin(.standby, journal)
        else { continue }
        open(journal, at: Placement.order(connected, for: journal)[...], .standby)
      }
    }
  }

  /// Gives every database that it owns to another node, as far as one is connected that takes it, and takes none any more.
  /// Returns when that is done, or after a while.
  ///
  /// - Returns: the databases that it still owns.
  package func drain(seconds: Int) async -> [String] {
    isWilling.store(false, ordering: .relaxed)
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

  /// The server is about to end: what it owns is given away, if that is quickly done.
  package func leave() async { _ = await drain(seconds: Self.leaveSeconds) }

  private static let leaveSeconds = 3
}
