import ClusterSimulation
import Dispatch
import HearthCluster
import HearthClusterNode
import HearthJournal
import LinkTestKit
import Logging
import NIOPosix
import RandomTestKit
import Synchronization

@testable import HearthPostgres

/// Nodes in one process, each with its own connections to a real PostgreSQL and TLS links to the others. The test
/// controls their clocks and the server's clock for leases.
final class DrivenCluster: Sendable {
  struct Clock: NodeClock {
    let time = Time()

    final class Time: Sendable {
      let milliseconds = Atomic<Int64>(0)
    }

    var now: MonotonicInstant {
      MonotonicInstant(milliseconds: time.milliseconds.load(ordering: .sequentiallyConsistent))
    }
  }

  struct Node: Sendable {
    let id: NodeID
    let cluster: ClusterStoreClient
    let driver: NodeDriver<DrivenHost>
    let database: DatabaseDriver<DrivenHost>
  }

  let nodes: [Node]
  let board = ClientBoard()
  private let clock = Clock()
  private let psql: Mutex<Psql>
  private let schema: String
  private let halted = Mutex<Set<NodeID>>([])

  init(_ names: [String], timing: ClusterTiming) async throws {
    let certificates = try LinkCertificates(names)
    let fixture = try PostgresFixture()
    schema = fixture.schema
    psql = Mutex(try Psql(fixture.server.url))
    try fixture.sql(
      """
      CREATE SEQUENCE driven_clock MINVALUE 0;
      CREATE FUNCTION driven_now() RETURNS timestamptz LANGUAGE sql VOLATILE
        AS 'SELECT to_timestamp(last_value / 1000.0) FROM \(fixture.schema).driven_clock'
      """)
    var (made, addresses): ([Node], [NodeID: (host: String, port: Int)]) = ([], [:])
    for name in names {
      let cluster = try ClusterStoreClient(
        try fixture.peer(), sql: ClusterSQL(clock: "driven_now()"), leaseMilliseconds: timing.leaseMilliseconds)
      let identity = try certificates.identity(name)
      let id = NodeID(name)
      let driver = NodeDriver<DrivenHost>(id, timing: timing, clock: clock, store: cluster.store) { onEvent in
        NodeLinks(
          id, cluster: cluster.store.cluster, identity, on: MultiThreadedEventLoopGroup.singleton.next(),
          logger: Logger(label: name) { _ in SwiftLogNoOpLogHandler() }, onEvent: onEvent)
      }
      addresses[id] = ("127.0.0.1", try await driver.links.listen(host: "127.0.0.1", port: 0))
      let database = driver.open(
        cluster.database, DatabaseMember(node: id, timing: timing), DrivenHost(node: id, board: board))
      made.append(Node(id: id, cluster: cluster, driver: driver, database: database))
    }
    nodes = made
    for node in nodes { node.driver.links.setPeers(addresses) }
  }

  deinit { for node in nodes { node.driver.halt() } }

  var living: [Node] {
    let gone = halted.withLock { $0 }
    return nodes.filter { !gone.contains($0.id) }
  }

  /// The nodes that own the database.
  var owners: [Node] { living.filter { $0.database.withMember { member, _ in member.ownership.epoch != nil } } }

  /// Advances all clocks a little, and waits until all nodes have noticed.
  func step(milliseconds: Int64 = 25) async throws {
    let now = clock.time.milliseconds.add(milliseconds, ordering: .sequentiallyConsistent).newValue
    try psql.withLock { psql in _ = try psql.run("SELECT setval('\(schema).driven_clock', \(now))") }
    for node in living { node.driver.tick() }
    for node in living {
      await withCheckedContinuation { done in node.database.handle(.tick) { done.resume() } }
    }
    // Heartbeats are answered before the clock advances: otherwise leases would expire because the test's clock is
    // faster than the server.
    let nobody = Incarnation(node: NodeID("nobody"), number: 0)
    for node in living {
      await withCheckedContinuation { done in node.cluster.store.ask(.heartbeat(nobody)) { _ in done.resume() } }
    }
    // Messages between nodes take some real time.
    try await Task.sleep(for: .milliseconds(2))
  }

  /// Advances the clock until a condition is true.
  func until(steps: Int = 4_000, _ isSo: () -> Bool) async throws -> Bool {
    for _ in 0..<steps {
      if isSo() { return true }
      try await step()
    }
    return false
  }

  /// Kills a node's process.
  func kill(_ node: Node) {
    halted.withLock { _ = $0.insert(node.id) }
    node.driver.halt()
    node.cluster.store.close()
    board.lose(allOf: node.id)
  }

  /// Connects a client to a node.
  func connect(_ random: inout SeededRandom, to node: Node) -> Int {
    let session = SessionID(rawValue: random.next())
    let client = board.open(session, node: node.id, index: nodes.firstIndex { $0.id == node.id } ?? 0)
    node.database.handle(.opened(session))
    return client
  }

  /// Sends a client's request to its node.
  func ask(_ client: Int, _ kind: Operation.Kind) {
    guard let (session, node, ticket) = board.asks(client, kind) else { return }
    let request: ForwardedRequest.Kind =
      switch kind {
      case .write(let content): .write(.encoded(content.bytes))
      case .get: .get([])
      }
    nodes.first { $0.id == node }?.database.handle(.submitted(session, ticket: ticket, request))
  }

  /// Returns the history for the checker.
  func history() throws -> ClusterHistory {
    let log = try living[0].cluster.log()
    var writers: [Int64: NodeID] = [:]
    for row in log {
      if case .takeover(let run)? = try LogRecord.decode(row.batch).first { writers[row.epoch] = run.node }
    }
    var history = ClusterHistory(
      stored: log.map {
        StoredRow(row: $0, writer: writers[$0.epoch] ?? NodeID("nobody"), epoch: $0.epoch, owner: nil)
      },
      clients: board.clients,
      nodes: nodes.map { node in
        let isUp = living.contains { $0.id == node.id }
        let (head, isOwner) = node.database.withMember { member, _ in
          (member.replica.head, member.ownership.epoch != nil)
        }
        return ClusterHistory.Node(id: node.id, isUp: isUp, hasLived: isUp, head: head, isOwner: isUp && isOwner)
      })
    history.violations = board.violations
    return history
  }
}

/// The simulation's tree and clients on a driven node.
struct DrivenHost: DatabaseHost {
  let node: NodeID
  let board: ClientBoard
  private var decider = SimulatedDecider()

  init(node: NodeID, board: ClientBoard) { (self.node, self.board) = (node, board) }

  var noRoom: ForwardedBody { decider.noRoom }

  mutating func began(at position: Int64) { decider.began(at: position) }

  mutating func decide(_ request: ForwardedRequest, at position: Int64) -> RequestDecision {
    decider.decide(request, at: position)
  }

  mutating func read(_ query: [UInt8], of session: SessionID, at position: Int64) -> [UInt8] {
    decider.read(query, of: session, at: position)
  }

  mutating func disconnect(_ session: SessionID, at position: Int64) -> (content: [UInt8], entries: [OutboxEntry]) {
    decider.disconnect(session, at: position)
  }

  func sealed(_ row: LogRow) {}

  mutating func take(_ action: MemberAction) {
    switch action {
    case .ask, .send, .began, .ownerSeen, .restored, .stored: break
    case .apply(let row, let records):
      decider.apply(row, records)
      board.tell(row, records, on: node)
    case .acknowledge(let session, let ticket, let outcome):
      board.acknowledge(session, ticket: ticket, outcome, on: node)
    case .closeClient(let session): board.lose(session)
    case .closeSockets: board.report("\(node) closes its sockets")
    case .openSockets: board.serve(node)
    case .rollBack(let position): decider.rollBack(to: position)
    case .room(let isThere): board.report("\(node): \(isThere ? "room again" : "no room")")
    case .reset: decider.reset()
    case .pruned(let position): board.report("\(node): no rows behind \(position)")
    case .dataLost(let loss): board.report("\(node): \(loss)")
    case .unreadable(let finding): board.report("\(node): \(finding)")
    }
  }
}
