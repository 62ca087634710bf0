import HearthCluster
import HearthDatabase
import HearthEngine
import HearthNode
import Synchronization

/// The way from a node's database to the owner of its log: through the database's member, on this node or another.
final class MemberLine: OwnerLine {
  private struct State {
    weak var driver: DatabaseDriver<EngineTenant>?
    /// The numbers of transactions under way, by their tickets.
    var shelved: [UInt64: UInt64] = [:]
  }

  let shelf = TransactionShelf()
  private let state = Mutex(State())

  /// Leads to this member from here on. Comes before the database has any client.
  func lead(to driver: DatabaseDriver<EngineTenant>) { state.withLock { $0.driver = driver } }

  private var driver: DatabaseDriver<EngineTenant>? { state.withLock { $0.driver } }

  func open(_ session: UInt64) { driver?.handle(.opened(SessionID(rawValue: session))) }

  func ask(_ session: UInt64, ticket: UInt64, _ question: OwnerQuestion) {
    let kind: ForwardedRequest.Kind
    switch question {
    case .newest: kind = .get([])
    case .change(let change): kind = .write(change.encoded)
    case .transaction(let transaction):
      let (number, bytes) = shelf.put(transaction)
      state.withLock { $0.shelved[ticket] = number }
      kind = .write(bytes)
    }
    driver?.handle(.submitted(SessionID(rawValue: session), ticket: ticket, kind))
  }

  func close(_ session: UInt64) { driver?.handle(.submitted(SessionID(rawValue: session), ticket: 0, .close)) }

  func snapshotIsDue() { driver?.perform { member, tenant in tenant.writeSnapshot(with: member.table) } }

  /// A question was answered, or never will be: a transaction that has not run will not.
  func settled(_ ticket: UInt64) {
    let number = state.withLock { $0.shelved.removeValue(forKey: ticket) }
    if let number { shelf.forget(number) }
  }
}
