import Dispatch
import HearthCluster
import Synchronization

/// A node of a cluster: its lease, its connections, and its databases' members, each one after another on a thread that it
/// does not share while it runs.
///
/// It does nothing by itself but answer: somebody calls ``tick()`` several times a beat.
package final class NodeDriver<Tenant: DatabaseTenant>: Sendable {
  /// Its connections.
  package let links: NodeLinks
  private let node: NodeID
  private let timing: ClusterTiming
  private let clock: any NodeClock
  private let store: any ClusterStore
  private let queue: DispatchQueue
  private let lease: HeldLease
  private let directory: DatabaseDirectory<Tenant>

  /// A node that is not registered yet.
  ///
  /// - Parameters:
  ///   - given: Told of a database that another node has given up for this one, which has no part in it yet.
  ///   - makeLinks: Makes its connections, which tell what happens by the closure that it gets.
  package init(
    _ node: NodeID, timing: ClusterTiming, clock: any NodeClock, store: any ClusterStore,
    given: @escaping @Sendable (DatabaseID) -> Void = { _ in },
    makeLinks: (@escaping @Sendable (LinkEvent) -> Void) -> NodeLinks
  ) {
    (self.node, self.timing, self.clock, self.store) = (node, timing, clock, store)
    queue = DispatchQueue(label: "hearth.node.\(node)")
    lease = HeldLease(NodeLease(node: node, timing: timing))
    let directory = DatabaseDirectory<Tenant>(given: given)
    self.directory = directory
    links = makeLinks { event in directory.handle(event) }
  }

  /// What the node believes of its lease.
  package var standing: LeaseStanding { lease.standing }

  /// Takes part in a database, from a state that is known.
  ///
  /// - Returns: What runs it, which may have been there before.
  package func open(_ database: DatabaseID, _ member: DatabaseMember, _ tenant: Tenant) -> DatabaseDriver<Tenant> {
    let surroundings = DatabaseDriver<Tenant>.TokenEnvironment(
      timing: timing, clock: clock, store: store,
      standing: { [lease] in lease.standing },
      send: { [links] database, peer, message in links.send(message, of: database, to: peer) })
    return directory.add(DatabaseDriver(database, member, tenant, surroundings))
  }

  /// Takes no part in a database any more: it is as if this node had died, as far as that is concerned.
  package func close(_ database: DatabaseID) { directory.remove(database)?.halt() }

  /// Time has passed.
  package func tick() {
    queue.async { [self] in
      change { lease, now in lease.tick(at: now) }
      directory.tellAll(.tick)
    }
  }

  /// Stops at once, as if the process had died: no connection is left, and no answer counts any more. What was asked of the
  /// store may still have its effect.
  package func halt() {
    lease.halt()
    for driver in directory.all { driver.halt() }
    links.close()
  }

  private func change(_ body: (inout NodeLease, MonotonicInstant) -> [NodeLease.Action]) {
    let now = clock.now
    for action in lease.change({ lease in body(&lease, now) }) {
      switch action {
      case .ask(let call, let sentAt): ask(call, sentAt: sentAt)
      case .dropAll(let run):
        directory.tellAll(.incarnationEnded(run))
        links.end()
      case .began(let run): links.begin(run)
      }
    }
  }

  private func ask(_ call: NodeLease.Call, sentAt: MonotonicInstant) {
    store.ask(call) { [weak self] answer in
      guard let self else { return }
      queue.async { [self] in
        change { lease, now in lease.answered(call, sentAt: sentAt, answer, at: now) }
      }
    }
  }
}

/// The node's lease, which its databases look at while it is renewed.
private final class HeldLease: Sendable {
  private struct State {
    var lease: NodeLease
    var isHalted = false
  }

  private let state: Mutex<State>

  init(_ lease: NodeLease) { state = Mutex(State(lease: lease)) }

  var standing: LeaseStanding { state.withLock { $0.lease.standing } }

  func change(_ body: (inout NodeLease) -> [NodeLease.Action]) -> [NodeLease.Action] {
    state.withLock { state in state.isHalted ? [] : body(&state.lease) }
  }

  func halt() { state.withLock { $0.isHalted = true } }
}
