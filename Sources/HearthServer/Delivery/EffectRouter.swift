import HearthAccounts
import HearthEngine
import NIOCore

/// Hands a database's effects to the event loops of their connections: once for each loop and batch.
struct EffectRouter: Sendable {
  private let loops: [any EventLoop]
  private let inboxes: [LoopInbox]

  /// Makes one hub for each loop.
  init(loops: [any EventLoop], denials: DenialLog) async {
    var inboxes: [LoopInbox] = []
    for (index, loop) in loops.enumerated() {
      let hub = await withCheckedContinuation { made in
        loop.execute {
          let hub = LoopHub(loop: loop, index: index, denials: denials)
          made.resume(returning: NIOLoopBound(hub, eventLoop: loop))
        }
      }
      inboxes.append(LoopInbox(loop: loop, hub: hub))
    }
    self.inboxes = inboxes
    self.loops = loops
  }

  /// For work that belongs to no connection.
  var anyLoop: any EventLoop { loops[0] }

  /// The hub of the loop that the caller is on.
  func hub(on loop: any EventLoop) -> LoopHub {
    let index = loops.firstIndex { $0 === loop } ?? 0  // the second never happens: a bound hub would trap
    return inboxes[index].hubOnLoop
  }

  /// Runs `work` on the loop of that connection, with its hub.
  func execute(for connection: ConnectionID, _ work: @escaping @Sendable (LoopHub) -> Void) {
    let index = Self.index(connection)
    if index < inboxes.count { inboxes[index].execute(work) }
  }

  /// Runs `work` on some loop, with its hub.
  func executeAnywhere(_ work: @escaping @Sendable (LoopHub) -> Void) { inboxes[0].execute(work) }

  /// Ends what the revocation means, on every loop and in every database. From any thread, once it is durable.
  func revoke(_ revocation: Revocation) {
    for inbox in inboxes { inbox.execute { hub in hub.revoke(revocation) } }
  }

  /// Called on a queue of the database; only sorts and hands over.
  func deliver(_ effects: [Effect], of database: String) {
    guard inboxes.count > 1 else { return inboxes[0].hand(effects, of: database) }
    var parts = [[Effect]](repeating: [], count: inboxes.count)
    for effect in effects {
      switch effect {
      case .event(let event, let recipients):
        for (index, part) in split(recipients).enumerated() where !part.isEmpty {
          parts[index].append(.event(event, to: part))
        }
      case .reply(let id, _, _), .cancel(let id, _, _), .authenticationEnded(let id):
        append(effect, for: id, to: &parts)
      case .denied(let denial): append(effect, for: denial.connection, to: &parts)
      }
    }
    for (index, part) in parts.enumerated() where !part.isEmpty { inboxes[index].hand(part, of: database) }
  }

  private func append(_ effect: Effect, for id: ConnectionID, to parts: inout [[Effect]]) {
    let index = Self.index(id)
    if index < parts.count { parts[index].append(effect) }
  }

  private func split(_ recipients: [ConnectionID]) -> [[ConnectionID]] {
    var parts = [[ConnectionID]](repeating: [], count: inboxes.count)
    for id in recipients where Self.index(id) < parts.count { parts[Self.index(id)].append(id) }
    return parts
  }

  private static func index(_ connection: ConnectionID) -> Int { Int(connection.rawValue & 0xFF) }
}
