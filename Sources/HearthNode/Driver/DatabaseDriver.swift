import Dispatch
import HearthCluster
import Synchronization

/// Runs one database's member on a node: takes its events one after another, and does what it says.
package final class DatabaseDriver<Tenant: DatabaseTenant>: Sendable {
  /// What is around a member.
  struct Surroundings: Sendable {
    var node: NodeID
    var timing: ClusterTiming
    var clock: any NodeClock
    var store: any ClusterStore
    var standing: @Sendable () -> LeaseStanding
    var send: @Sendable (DatabaseID, NodeID, PeerMessage) -> Void
  }

  private struct State {
    var member: DatabaseMember
    var tenant: Tenant
    var lastTick = MonotonicInstant.distantPast
    var isHalted = false
  }

  /// The database.
  package let database: DatabaseID
  private let surroundings: Surroundings
  private let queue: DispatchQueue
  private let state: Mutex<State>

  init(_ database: DatabaseID, _ member: DatabaseMember, _ tenant: Tenant, _ surroundings: Surroundings) {
    self.database = database
    self.surroundings = surroundings
    queue = DispatchQueue(label: "hearth.database.\(database.rawValue)")
    state = Mutex(State(member: member, tenant: tenant))
  }

  /// Tells the member what happened, after what it was told before.
  ///
  /// - Parameter then: Is called when it has done with it.
  package func handle(_ event: MemberEvent, then: (@Sendable () -> Void)? = nil) {
    queue.async { [self] in
      take(event)
      then?()
    }
  }

  /// Has something done between two events, after what the member was told before.
  package func perform(_ body: @escaping @Sendable (DatabaseMember, Tenant) -> Void) {
    queue.async { [self] in
      state.withLock { state in
        if !state.isHalted { body(state.member, state.tenant) }
      }
    }
  }

  /// Looks at the member and the tenant as they are between two events; neither may be held.
  package func look<Value>(_ body: (DatabaseMember, Tenant) -> Value) -> Value {
    state.withLock { body($0.member, $0.tenant) }
  }

  /// Nothing is done any more.
  func halt() { state.withLock { $0.isHalted = true } }

  private func take(_ event: MemberEvent) {
    state.withLock { state in
      let now = surroundings.clock.now
      if case .tick = event {
        run(event, at: now, &state)
      } else {
        // The process may have been stopped: what it believed before comes to nothing first.
        if now.isAtLeast(surroundings.timing.beatMilliseconds, after: state.lastTick) { run(.tick, at: now, &state) }
        run(event, at: now, &state)
      }
    }
  }

  private func run(_ event: MemberEvent, at now: MonotonicInstant, _ state: inout State) {
    guard !state.isHalted else { return }
    if case .tick = event { state.lastTick = now }
    let standing = surroundings.standing()
    for action in state.member.handle(event, at: now, standing, &state.tenant) {
      switch action {
      case .ask(let asker, let ticket, let call):
        surroundings.store.ask(call, of: database) { [weak self] answer in
          self?.handle(.stored(asker, ticket: ticket, answer))
        }
      case .send(let peer, let message) where peer == surroundings.node:
        if let run = standing.incarnation { handle(.received(message, from: run)) }
      case .send(let peer, let message): surroundings.send(database, peer, message)
      default: state.tenant.take(action)
      }
    }
  }
}
