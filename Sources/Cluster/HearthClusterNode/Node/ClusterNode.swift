import Dispatch
import Glibc
import HearthBytes
import HearthCluster
import HearthDatabase
import HearthEngine
import HearthJournal
import HearthRules
import Logging
import NIOCore
import Synchronization

/// A server as a node of a cluster: its lease, its connections to other nodes, and the databases that it follows or
/// owns.
package final class ClusterNode: Sendable {
  /// The handler of another node's question.
  package typealias AnswerHandler = @Sendable (_ question: [UInt8]) -> EventLoopFuture<[UInt8]>
  /// The handler that opens a database by its journal's name, with the collection; it completes when the database is
  /// served, or cannot be served.
  package typealias OpenHandler = @Sendable (_ journal: String) -> EventLoopFuture<Void>

  /// The name of this node.
  package let name: String
  /// The names of all other nodes, in order, connected or not.
  package let peers: [String]
  let store: any ClusterCatalog
  let driver: NodeDriver<EngineHost>
  private let answerHandler = LateBound<AnswerHandler>()
  /// The handler that opens databases for other nodes.
  let openHandler = LateBound<OpenHandler>()
  /// The handler that closes deleted databases.
  let deletionHandler = LateBound<DeletionHandler>()
  /// The handler that returns receipts for ended credentials.
  let receiptHandler = LateBound<ReceiptHandler>()
  let timing: ClusterTiming
  let clock: @Sendable () -> Instant
  let logger: Logger
  private let ticker: Ticker
  /// The timer of ``runPlacement()``.
  private let placementTimer: Ticker
  /// The queue that reads snapshots for databases whose next rows were pruned.
  let loadQueue = DispatchQueue(label: "hearth.cluster.load")
  /// The open databases by the names of their journals, with the collection.
  let members = Mutex<[String: OpenMember]>([:])
  /// The number of sessions that this incarnation has opened in databases that it has closed since.
  private let openedCounts = Mutex<[DatabaseID: UInt64]>([:])
  /// True when this node accepts databases without an owner.
  let acceptsDatabases: Atomic<Bool>
  private let counts = OwnershipCounts()
  /// The pending operations with other nodes.
  let pendingOperations = PendingOperations()
  /// The limiter of this node's questions for receipts.
  let receiptLimiter = QuestionLimiter(pendingMax: 100, waitingMax: 10_000)
  /// The number of calls of ``runPlacement()``.
  let placementRounds = Atomic(0)

  /// The interval of the state machines' ticks, in milliseconds.
  private static let tickMilliseconds = 100
  /// The interval of ``runPlacement()``, in milliseconds.
  private static let placementMilliseconds = 1_000

  /// Connects to the other nodes and begins the lease. The node owns and follows nothing before
  /// ``open(_:of:initialRules:environment:limits:)``.
  ///
  /// - Parameters:
  /// - store: The store of logs and leases; closed with the node, and when this initializer throws.
  /// - loop: The event loop of the connections.
  /// - Throws: `JournalError`, ``LinkIdentity/Failure``, or NIO's error when the address cannot be bound.
  package init(
    _ options: ClusterOptions, _ store: any ClusterCatalog, timing: ClusterTiming = ClusterTiming(),
    on loop: any EventLoop, clock: @escaping @Sendable () -> Instant, logger: Logger
  ) async throws {
    let identity = try LinkIdentity(folder: options.identityFolder)
    let node = NodeID(options.node.name)
    (name, self.store, self.timing) = (options.node.name, store, timing)
    (self.clock, self.logger) = (clock, logger)
    peers = Set(options.peers.map(\.name)).subtracting([options.node.name]).sorted()
    acceptsDatabases = Atomic(!options.ownsNothing)
    let placed = ClusterNodeReference()
    driver = NodeDriver<EngineHost>(
      node, timing: timing, clock: MachineClock(), store: store, onHandOver: { placed.node?.openHandedOver($0) },
      makeLinks: { onEvent in
        NodeLinks(
          node, cluster: store.cluster, identity, on: loop, logger: logger,
          answering: { question, _ in
            placed.node?.answer(question, on: loop) ?? loop.makeFailedFuture(LinkRefusal.noHandler)
          }, onEvent: onEvent)
      })
    do {
      _ = try await driver.links.listen(host: options.node.host, port: options.node.port)
    } catch {
      store.close()
      throw error
    }
    var addresses: [NodeID: (host: String, port: Int)] = [:]
    for peer in options.peers { addresses[NodeID(peer.name)] = (peer.host, peer.port) }
    driver.links.setPeers(addresses)
    ticker = Ticker(everyMilliseconds: Self.tickMilliseconds) { [driver] in driver.tick() }
    placementTimer = Ticker(everyMilliseconds: Self.placementMilliseconds) { placed.node?.runPlacement() }
    placed.node = self
  }

  // MARK: Databases

  /// Opens a database, which is created when it is missing, and waits until clients can be served. Blocks while its
  /// snapshot and log are read.
  ///
  /// - Parameters:
  /// - name: The name of its journal.
  /// - collection: The prefix of the names of the journals of one kind, such as databases.
  /// - denied: Receives the refusals that this node decides as the owner, for the operator's log.
  /// - Throws: `JournalError`, `RecordError`; ``DatabaseUnavailable`` when it cannot be served now.
  package func open(
    _ name: String, of collection: String, initialRules: RuleSet, environment: DatabaseEnvironment,
    limits: DatabaseLimits, denied: @escaping @Sendable ([Denial]) -> Void
  ) throws -> Database {
    let id = try store.database(name, of: collection)
    let journal = try store.openJournal(name, of: collection)
    do {
      return try open(name, as: collection + name, id, journal, initialRules, environment, limits, denied)
    } catch {
      try? journal.close()
      throw error
    }
  }

  private func open(
    _ name: String, as key: String, _ id: DatabaseID, _ journal: any Journal, _ initialRules: RuleSet,
    _ environment: DatabaseEnvironment, _ limits: DatabaseLimits, _ denied: @escaping @Sendable ([Denial]) -> Void
  ) throws -> Database {
    let (start, head, table) = try start(of: journal, id, name, initialRules)
    let (connection, served, owner, loaded) = (MemberConnection(), ServedSignal(), KnownOwner(), LoadedSnapshot())
    var watched = environment
    watched.servingChanged = { isServing in
      served.set(isServing)
      environment.servingChanged(isServing)
    }
    let database = Database(
      name: name, following: connection, of: journal, from: start, environment: watched, limits: limits,
      makeSession: { UInt64.random(in: 1...UInt64.max) })
    let host = EngineHost(
      database, limits: limits.engine, connection: connection,
      .init(
        clock: clock, owner: owner, denied: denied,
        notice: { [logger, counts, product = store.product] notice in
          counts.note(notice)
          Self.log(notice, of: name, in: product, logger)
        },
        ownershipChanged: environment.ownershipChanged,
        first: ReplicationStart(initialRules: initialRules),
        reload: { [weak self] in self?.reload(key, name, journal, initialRules, into: loaded) }, loaded: loaded))
    // The count continues that of earlier openings: a session's number is never reused within an incarnation.
    let openedCount = openedCounts.withLock { $0[id] ?? 0 }
    var member = DatabaseMember(
      node: NodeID(self.name), timing: timing, head: head, table: table, openedCount: openedCount)
    member.isWanted = acceptsDatabases.load(ordering: .relaxed)
    let running = driver.open(id, member, host)
    connection.connect(to: running)
    members.withLock { $0[key] = OpenMember(database: database, driver: running, owner: owner) }
    seekOwner(of: key)
    guard served.wait(seconds: Self.openSeconds) else {
      close(key)
      throw DatabaseUnavailable(
        description:
          "\(name) has no owner in the cluster, or its owner is unreachable; the next request tries again"
      )
    }
    return database
  }

  /// Reads the state from which a database begins to follow its log.
  private func start(
    of journal: any Journal, _ id: DatabaseID, _ name: String, _ initialRules: RuleSet
  ) throws -> (ReplicationStart, JournalHead, SessionTable) {
    let start = try ReplicationStart(of: journal, initialRules: initialRules)
    let table = try start.members.map { (bytes) throws(MalformedBytes) in try SessionTable(encoded: bytes) }
    return (start, try head(at: start.position, of: id, name), table ?? SessionTable())
  }

  /// Loads the snapshot that replaces pruned rows; clients then reconnect.
  private func reload(
    _ key: String, _ name: String, _ journal: any Journal, _ initialRules: RuleSet, into loaded: LoadedSnapshot
  ) {
    loadQueue.async { [self] in
      guard let member = members.withLock({ $0[key] }) else { return }
      do {
        let (start, head, table) = try start(of: journal, member.driver.database, name, initialRules)
        loaded.put(start, at: head)
        member.driver.handle(.restored(head, table))
      } catch {
        logger.error("a snapshot could not be read", metadata: ["database": "\(name)", "error": "\(error)"])
        loadQueue.asyncAfter(deadline: .now() + 1) { [weak self] in
          self?.reload(key, name, journal, initialRules, into: loaded)
        }
      }
    }
  }

  /// The time limit for a database to apply the log from its snapshot to its end.
  private static let openSeconds = 30

  /// Returns the head of the log at a snapshot's position.
  private func head(at position: Int64, of id: DatabaseID, _ name: String) throws -> JournalHead {
    guard position > 0 else { return .empty }
    let answer = AnswerBox()
    store.ask(.read(after: position), of: id) { answer.put($0) }
    guard case .rows(let reading)? = answer.wait(seconds: Self.openSeconds) else {
      throw JournalError(.unavailable, "\(store.product) did not return the log of \(name)")
    }
    guard let start = reading.start else {
      throw JournalError(.corrupt, "the log of \(name) does not continue its snapshot at position \(position)")
    }
    return start
  }

  /// Closes a database on this node. The caller closes the ``Database`` itself.
  private func close(_ key: String) {
    guard let member = members.withLock({ $0.removeValue(forKey: key) }) else { return }
    let (id, count) = (member.driver.database, member.driver.withMember { member, _ in member.requests.openedCount })
    openedCounts.withLock { $0[id] = count }
    driver.close(id)
  }

  /// Closes a database on this node; the caller then closes the ``Database`` itself. Blocks.
  ///
  /// - Parameters:
  /// - journal: The name of its journal, with the collection.
  /// - isForced: True to close the database even when this node owns it and other nodes follow; pending requests end
  ///   without an answer.
  /// - Returns: False when it stays open because other nodes need it.
  package func close(_ journal: String, isForced: Bool) -> Bool {
    guard let member = members.withLock({ $0[journal] }) else { return true }
    if !isForced {
      let status = member.driver.withMember { member, _ in member.status }
      guard status.followerCount == 0, releaseOwnership(member) else { return false }
    }
    close(journal)
    return true
  }

  /// Releases the ownership of a database without a successor, so that any node may claim it at once.
  private func releaseOwnership(_ member: OpenMember) -> Bool {
    member.driver.handle(.wanted(false))
    for _ in 0..<Self.releaseTries {
      guard member.driver.withMember({ member, _ in member.ownership.isInactive }) else {
        member.driver.handle(.handOver(to: NodeID(name)))
        usleep(UInt32(Self.releasePauseMilliseconds) * 1_000)
        continue
      }
      return true
    }
    member.driver.handle(.wanted(acceptsDatabases.load(ordering: .relaxed)))
    return false
  }

  private static let releaseTries = 200
  private static let releasePauseMilliseconds = 10

  private static func log(_ notice: EngineHost.Notice, of name: String, in product: String, _ logger: Logger) {
    switch notice {
    case .began(let epoch):
      logger.notice("this node owns the database", metadata: ["database": "\(name)", "epoch": "\(epoch)"])
    case .ended: logger.notice("this node no longer owns the database", metadata: ["database": "\(name)"])
    case .room(false):
      logger.error("\(product) is full: writes are refused until you free space", metadata: ["database": "\(name)"])
    case .room(true): logger.notice("\(product) has free space again", metadata: ["database": "\(name)"])
    case .dataLost(let loss):
      logger.critical(
        "\(product) lost commits that it had acknowledged", metadata: ["database": "\(name)", "loss": "\(loss)"])
    case .unreadable(let finding):
      logger.critical(
        "the log has records of a newer version; this node does not serve the database until you upgrade it",
        metadata: ["database": "\(name)", "finding": "\(finding)"])
    }
  }

  // MARK: The node

  /// True when the store has accepted this node's heartbeats recently.
  package var isLeaseValid: Bool { driver.leaseStatus.isValid(at: MachineClock().now) }

  /// Asks another node a question; fails with `QuestionProblem`.
  package func ask(_ node: String, _ question: [UInt8], timeoutSeconds: Int) -> EventLoopFuture<[UInt8]> {
    driver.links.ask(NodeID(node), question, timeoutSeconds: timeoutSeconds)
  }

  /// Sets the handler of other nodes' questions, except those about nodes; before that, they are refused.
  package func setAnswerHandler(_ answer: @escaping AnswerHandler) { answerHandler.set(answer) }

  private func answer(_ question: [UInt8], on loop: any EventLoop) -> EventLoopFuture<[UInt8]> {
    guard !NodeQuestion.canDecode(question) else { return answer(about: question, on: loop) }
    return answerHandler.current?(question) ?? loop.makeFailedFuture(LinkRefusal.noHandler)
  }

  /// Sets the handler that opens databases that other nodes hand over to this one or that it is asked to own.
  package func setOpenHandler(_ open: @escaping OpenHandler) { openHandler.set(open) }

  /// Returns the nodes and databases of the cluster in its store. Blocks.
  package func overview() throws(JournalError) -> ClusterOverview { try store.overview() }

  /// The name of the store's database product, for messages.
  package var product: String { store.product }

  /// The status of this node. May wait for its databases, but not for event loops.
  package var status: ClusterStatus {
    let leaseStatus = driver.leaseStatus
    let databases = members.withLock { $0 }.map { name, member in
      (name, member.driver.withMember { member, _ in member.status })
    }
    return ClusterStatus(
      node: name, run: leaseStatus.incarnation?.number,
      isLeaseValid: leaseStatus.isValid(at: MachineClock().now),
      acceptsDatabases: acceptsDatabases.load(ordering: .relaxed),
      connected: driver.links.connected.map(\.node.name), databases: databases, counts: counts.now,
      now: MachineClock().now)
  }

  /// Returns the owner of a database, as far as this node knows.
  ///
  /// - Parameter journal: The name of its journal, with the collection.
  package func owner(of journal: String) -> String? {
    members.withLock { $0[journal] }?.owner.name
  }

  /// Leaves the cluster: other nodes take over once the lease has lapsed, or at once for databases handed over before.
  package func close() {
    placementTimer.stop()
    ticker.stop()
    driver.halt()
    store.close()
  }
}

/// An open database of this node.
struct OpenMember: Sendable {
  var database: Database
  var driver: DatabaseDriver<EngineHost>
  var owner: KnownOwner
}

/// The reason why a database is not served now.
package struct DatabaseUnavailable: Error, CustomStringConvertible { package var description: String }

/// The status of a node.
package struct ClusterStatus: Sendable {
  /// The name of the node.
  package var node: String
  /// The incarnation; nil before the registration, and when it was declared ended.
  package var run: Int64?
  /// True when no other node can have taken over its databases.
  package var isLeaseValid: Bool
  /// True when it accepts databases without an owner.
  package var acceptsDatabases: Bool
  /// The connected nodes.
  package var connected: [String]
  /// The databases by the names of their journals, with the collection.
  package var databases: [(String, MemberStatus)]
  /// The counts of ownership changes since the start of the node.
  package var counts: OwnershipCounts.Values
  /// The instant of this status on the node's own clock.
  package var now: MonotonicInstant
}

/// A reference to the node for its own callbacks; nil before the node is complete and after it is released.
private final class ClusterNodeReference: Sendable {
  private struct Reference { weak var node: ClusterNode? }
  private let held = Mutex(Reference())

  var node: ClusterNode? {
    get { held.withLock { $0.node } }
    set { held.withLock { $0.node = newValue } }
  }
}

/// A signal that clients can be served, for a blocking wait.
private final class ServedSignal: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let isServing = Atomic(false)

  func set(_ isServing: Bool) {
    if isServing, !self.isServing.exchange(true, ordering: .relaxed) { semaphore.signal() }
  }

  func wait(seconds: Int) -> Bool { semaphore.wait(timeout: .now() + .seconds(seconds)) == .success }
}

/// An answer of the store, for a blocking wait.
private final class AnswerBox: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let answer = Mutex<StoreAnswer?>(nil)

  func put(_ found: StoreAnswer) {
    answer.withLock { $0 = found }
    semaphore.signal()
  }

  func wait(seconds: Int) -> StoreAnswer? {
    semaphore.wait(timeout: .now() + .seconds(seconds)) == .success ? answer.withLock { $0 } : nil
  }
}
