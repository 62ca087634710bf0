import HearthCluster
import Synchronization

/// The open databases of a node, and the dispatch of its connections' events to them.
final class DatabaseDirectory<Host: DatabaseHost>: Sendable {
  private struct State {
    var drivers: [DatabaseID: DatabaseDriver<Host>] = [:]
    var connected: Set<NodeID> = []
  }

  private let state = Mutex(State())
  /// The callback for a database that another node has handed over to this one, which has not opened it.
  private let onHandOver: @Sendable (DatabaseID) -> Void

  init(onHandOver: @escaping @Sendable (DatabaseID) -> Void) { self.onHandOver = onHandOver }

  var all: [DatabaseDriver<Host>] { state.withLock { Array($0.drivers.values) } }

  subscript(database: DatabaseID) -> DatabaseDriver<Host>? { state.withLock { $0.drivers[database] } }

  /// Adds a driver and informs it of the existing connections. Returns the existing driver of the database, if there is
  /// one.
  func add(_ driver: DatabaseDriver<Host>) -> DatabaseDriver<Host> {
    state.withLock { state in
      if let known = state.drivers[driver.database] { return known }
      state.drivers[driver.database] = driver
      for peer in state.connected.sorted() { driver.handle(.linkUp(peer)) }
      return driver
    }
  }

  func remove(_ database: DatabaseID) -> DatabaseDriver<Host>? {
    state.withLock { $0.drivers.removeValue(forKey: database) }
  }

  func handleAll(_ event: MemberEvent) {
    for driver in all { driver.handle(event) }
  }

  func handle(_ event: LinkEvent) {
    switch event {
    case .up(let run):
      state.withLock { state in
        state.connected.insert(run.node)
        for driver in state.drivers.values { driver.handle(.linkUp(run.node)) }
      }
    case .down(let run):
      state.withLock { state in
        state.connected.remove(run.node)
        for driver in state.drivers.values { driver.handle(.linkDown(run.node)) }
      }
    case .received(let database, let message, let run, let done):
      // The sender repeats a message for a database that is closed here once the database is open.
      guard let driver = self[database] else {
        if case .handoff = message { onHandOver(database) }
        return done()
      }
      driver.handle(.received(message, from: run), then: done)
    }
  }
}
