import HearthEngine
import NIOCore
import Synchronization

/// The way of effects to one event loop.
///
/// What is handed over while the loop is still busy with what came before is performed together: each socket then
/// gets it in one write.
final class LoopInbox: Sendable {
  private struct Delivery {
    let database: String
    let effects: [Effect]
  }

  private struct State {
    var deliveries: [Delivery] = []
    var isScheduled = false
  }

  private let loop: any EventLoop
  private let hub: NIOLoopBound<LoopHub>
  private let state = Mutex(State())

  init(loop: any EventLoop, hub: NIOLoopBound<LoopHub>) {
    self.loop = loop
    self.hub = hub
  }

  /// From any thread. Effects of one database come in the order in which they were handed over.
  func hand(_ effects: [Effect], of database: String) {
    let isFirst = state.withLock { state in
      state.deliveries.append(Delivery(database: database, effects: effects))
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst { loop.execute { self.perform() } }
  }

  /// Runs `work` on the loop, with its hub.
  func execute(_ work: @escaping @Sendable (LoopHub) -> Void) {
    loop.execute { work(self.hub.value) }
  }

  /// The hub, for a caller on this loop.
  var hubOnLoop: LoopHub { hub.value }

  private func perform() {
    let deliveries = state.withLock { state in
      defer { state = State() }
      return state.deliveries
    }
    for delivery in deliveries { hub.value.perform(delivery.effects, of: delivery.database) }
    hub.value.flush()
    hub.value.resumePaused()
  }
}
