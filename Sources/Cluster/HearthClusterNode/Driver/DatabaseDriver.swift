import Dispatch
import HearthCluster
import Synchronization

/// The driver of one database's member on a node: passes it events one after another, and performs its actions.
///
/// Events that have arrived while others were handled are handled together, so that many requests make one row and one
/// round of answers.
package final class DatabaseDriver<Host: DatabaseHost>: Sendable {
  /// The dependencies of a driver.
  struct Dependencies: Sendable {
    var timing: ClusterTiming
    var clock: any NodeClock
    var store: any ClusterStore
    var leaseStatus: @Sendable () -> LeaseStatus
    var send: @Sendable (DatabaseID, NodeID, PeerMessage) -> Void
  }

  private struct State {
    var member: DatabaseMember
    var host: Host
    var lastTick = MonotonicInstant.distantPast
    var isHalted = false
  }

  /// The most events that are handled together for one row. With more, the row for the first events would be sent too
  /// late.
  private static var batchEventsMax: Int { 128 }

  /// The database.
  package let database: DatabaseID
  private let dependencies: Dependencies
  private let queue: DispatchQueue
  private let inbox = Mutex(DriverInbox())
  private let state: Mutex<State>

  init(_ database: DatabaseID, _ member: DatabaseMember, _ host: Host, _ dependencies: Dependencies) {
    self.database = database
    self.dependencies = dependencies
    queue = DispatchQueue(label: "hearth.database.\(database.rawValue)")
    state = Mutex(State(member: member, host: host))
  }

  /// Passes an event to the member, after earlier ones.
  ///
  /// - Parameter then: Called when the event was handled.
  package func handle(_ event: MemberEvent, then: (@Sendable () -> Void)? = nil) {
    put(DriverItem(event: event, then: then))
  }

  /// Calls the body between two events, after earlier ones.
  package func perform(_ body: @escaping @Sendable (DatabaseMember, Host) -> Void) {
    put(
      DriverItem { [self] in
        state.withLock { state in
          if !state.isHalted { body(state.member, state.host) }
        }
      })
  }

  /// Calls the body with the member and the host between two events; the body must not keep them.
  package func withMember<Value>(_ body: (DatabaseMember, Host) -> Value) -> Value {
    state.withLock { body($0.member, $0.host) }
  }

  /// Stops handling events.
  func halt() { state.withLock { $0.isHalted = true } }

  private func put(_ item: DriverItem) {
    if inbox.withLock({ $0.put(item) }) { queue.async { self.run() } }
  }

  private func run() {
    while true {
      let items = inbox.withLock { $0.take() }
      guard !items.isEmpty else { return }
      var rest = items[...]
      while !rest.isEmpty {
        // The event before other work is finished first, so that the work runs between two events.
        let events = rest.prefix(Self.batchEventsMax).prefix { $0.event != nil }
        if !events.isEmpty { run(events) }
        rest = rest.dropFirst(events.count)
        for item in events { item.then?() }
        if let item = rest.first, item.event == nil {
          item.then?()
          rest = rest.dropFirst()
        }
      }
    }
  }

  /// Handles events together.
  private func run(_ items: ArraySlice<DriverItem>) {
    state.withLock { state in
      for item in items { if let event = item.event { take(event, &state) } }
      guard !state.isHalted else { return }
      let actions = state.member.finish(at: dependencies.clock.now, dependencies.leaseStatus(), &state.host)
      perform(actions, &state)
    }
  }

  private func take(_ event: MemberEvent, _ state: inout State) {
    guard !state.isHalted else { return }
    let now = dependencies.clock.now
    if case .tick = event {
      state.lastTick = now
    } else if now.isAtLeast(dependencies.timing.beatMilliseconds, after: state.lastTick) {
      // The process may have been suspended: a tick first ends leases and roles that are no longer valid.
      take(.tick, &state)
    }
    perform(state.member.take(event, at: now, dependencies.leaseStatus(), &state.host), &state)
  }

  private func perform(_ actions: [MemberAction], _ state: inout State) {
    for action in actions {
      switch action {
      case .ask(let asker, let ticket, let call):
        if case .append(let row, _, _, _) = call { state.host.sealed(row) }
        dependencies.store.ask(call, of: database) { [weak self] answer in
          self?.handle(.stored(asker, ticket: ticket, answer))
        }
      case .send(let peer, let message): dependencies.send(database, peer, message)
      default: state.host.take(action)
      }
    }
  }
}
