import Dispatch
import HearthCluster
import Synchronization

/// The driver of a node's lease, its connections to other nodes, and its member of each database. Each of them is
/// handled by one thread at a time.
///
/// It has no timer of its own: the caller calls ``tick()`` several times in each `ClusterTiming.beatMilliseconds`.
package final class NodeDriver<Host: DatabaseHost>: Sendable {
  /// The connections to the other nodes.
  package let links: NodeLinks
  private let node: NodeID
  private let timing: ClusterTiming
  private let clock: any NodeClock
  private let store: any ClusterStore
  private let queue: DispatchQueue
  private let lease: LockedLease
  private let directory: DatabaseDirectory<Host>

  /// Creates the driver of a node that is not registered yet.
  ///
  /// - Parameters:
  /// - onHandOver: Called with a database that another node has handed over to this one, and that is not open here.
  /// - makeLinks: Makes the connections; their events are to be passed to its argument.
  package init(
    _ node: NodeID, timing: ClusterTiming, clock: any NodeClock, store: any ClusterStore,
    onHandOver: @escaping @Sendable (DatabaseID) -> Void = { _ in },
    makeLinks: (@escaping @Sendable (LinkEvent) -> Void) -> NodeLinks
  ) {
    (self.node, self.timing, self.clock, self.store) = (node, timing, clock, store)
    queue = DispatchQueue(label: "hearth.node.\(node)")
    lease = LockedLease(NodeLease(node: node, timing: timing))
    let directory = DatabaseDirectory<Host>(onHandOver: onHandOver)
    self.directory = directory
    links = makeLinks { event in directory.handle(event) }
  }

  /// The state of the node's lease.
  package var leaseStatus: LeaseStatus { lease.status }

  /// Opens a database from a known state.
  ///
  /// - Returns: Its driver, which may have existed before.
  package func open(_ database: DatabaseID, _ member: DatabaseMember, _ host: Host) -> DatabaseDriver<Host> {
    let dependencies = DatabaseDriver<Host>.Dependencies(
      timing: timing, clock: clock, store: store,
      leaseStatus: { [lease] in lease.status },
      send: { [links] database, peer, message in links.send(message, of: database, to: peer) })
    return directory.add(DatabaseDriver(database, member, host, dependencies))
  }

  /// Closes a database without handing it over: for that database, the effect is that of a crash of the node.
  package func close(_ database: DatabaseID) { directory.remove(database)?.halt() }

  /// Advances the lease and the databases.
  package func tick() {
    queue.async { [self] in
      changeLease { lease, now in lease.tick(at: now) }
      directory.handleAll(.tick)
    }
  }

  /// Stops at once, with the effect of a crash: connections end, and answers are ignored. Pending store calls may still
  /// have their effect.
  package func halt() {
    lease.halt()
    for driver in directory.all { driver.halt() }
    links.close()
  }

  /// Changes the lease, and performs the resulting actions.
  private func changeLease(_ body: (inout NodeLease, MonotonicInstant) -> [NodeLease.Action]) {
    let now = clock.now
    for action in lease.change({ lease in body(&lease, now) }) {
      switch action {
      case .ask(let call, let sentAt): callStore(call, sentAt: sentAt)
      case .dropAll(let incarnation):
        directory.handleAll(.incarnationEnded(incarnation))
        links.end()
      case .began(let incarnation): links.begin(incarnation)
      }
    }
  }

  private func callStore(_ call: NodeLease.Call, sentAt: MonotonicInstant) {
    store.ask(call) { [weak self] answer in
      guard let self else { return }
      queue.async { [self] in
        changeLease { lease, now in lease.answered(call, sentAt: sentAt, answer, at: now) }
      }
    }
  }
}

/// The node's lease, which its databases read while it is renewed.
private final class LockedLease: Sendable {
  private struct State {
    var lease: NodeLease
    var isHalted = false
  }

  private let state: Mutex<State>

  init(_ lease: NodeLease) { state = Mutex(State(lease: lease)) }

  var status: LeaseStatus { state.withLock { $0.lease.status } }

  func change(_ body: (inout NodeLease) -> [NodeLease.Action]) -> [NodeLease.Action] {
    state.withLock { state in state.isHalted ? [] : body(&state.lease) }
  }

  func halt() { state.withLock { $0.isHalted = true } }
}
