import HearthCluster
import HearthDatabase
import HearthEngine
import Synchronization

/// The connection from a node's database to the owner of its log, through the database's member, on this node or
/// another.
final class MemberLine: OwnerLine {
  private struct State {
    weak var driver: DatabaseDriver<EngineTenant>?
    /// The pending transactions by ticket.
    var transactions: [UInt64: PassedTransaction] = [:]
  }

  private let state = Mutex(State())

  /// Sets the driver. Called before the database has any client.
  func lead(to driver: DatabaseDriver<EngineTenant>) { state.withLock { $0.driver = driver } }

  private var driver: DatabaseDriver<EngineTenant>? { state.withLock { $0.driver } }

  func open(_ session: UInt64) { driver?.handle(.opened(SessionID(rawValue: session))) }

  func ask(_ session: UInt64, ticket: UInt64, _ question: OwnerQuestion) {
    let kind: ForwardedRequest.Kind
    switch question {
    case .newest: kind = .get([])
    case .change(let change): kind = .write(PassedChange.content(of: change))
    case .transaction(let transaction):
      let passed = PassedTransaction(transaction)
      state.withLock { $0.transactions[ticket] = passed }
      kind = .write(.value(passed))
    }
    driver?.handle(.submitted(SessionID(rawValue: session), ticket: ticket, kind))
  }

  func close(_ session: UInt64) { driver?.handle(.submitted(SessionID(rawValue: session), ticket: 0, .close)) }

  func snapshotIsDue() { driver?.perform { member, tenant in tenant.writeSnapshot(with: member.table) } }

  /// Ends a request with or without an answer: a transaction that has not run will not.
  func settled(_ ticket: UInt64) {
    _ = state.withLock { $0.transactions.removeValue(forKey: ticket) }?.take()
  }
}
