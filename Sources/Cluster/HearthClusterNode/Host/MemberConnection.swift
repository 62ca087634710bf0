import HearthCluster
import HearthDatabase
import HearthEngine
import Synchronization

/// The connection from a node's database to the owner of its log, through the database's member, on this node or
/// another.
final class MemberConnection: OwnerConnection {
  private struct State {
    weak var driver: DatabaseDriver<EngineHost>?
    /// The pending transactions by ticket.
    var transactions: [UInt64: InProcessTransaction] = [:]
  }

  private let state = Mutex(State())

  /// Sets the driver. Called before the database has clients.
  func connect(to driver: DatabaseDriver<EngineHost>) { state.withLock { $0.driver = driver } }

  private var driver: DatabaseDriver<EngineHost>? { state.withLock { $0.driver } }

  func open(_ session: UInt64) { driver?.handle(.opened(SessionID(rawValue: session))) }

  func send(_ session: UInt64, ticket: UInt64, _ question: OwnerRequest) {
    let kind: ForwardedRequest.Kind
    switch question {
    case .newest: kind = .get([])
    case .change(let change): kind = .write(InProcessChange.content(of: change))
    case .transaction(let transaction):
      let passed = InProcessTransaction(transaction)
      state.withLock { $0.transactions[ticket] = passed }
      kind = .write(.value(passed))
    }
    driver?.handle(.submitted(SessionID(rawValue: session), ticket: ticket, kind))
  }

  func close(_ session: UInt64) { driver?.handle(.submitted(SessionID(rawValue: session), ticket: 0, .close)) }

  /// Has the owner's part decide the session's request whose work in the background is done.
  func workIsDone(for session: SessionID) { driver?.handle(.workDone(session)) }

  func snapshotIsDue() { driver?.perform { member, host in host.writeSnapshot(with: member.table) } }

  /// Discards the transaction of a request that has ended, answered or not, so that it cannot run later.
  func discardTransaction(_ ticket: UInt64) {
    _ = state.withLock { $0.transactions.removeValue(forKey: ticket) }?.take()
  }
}
