import Dispatch
import HearthAccounts
import HearthEngine
import NIOCore

/// Hands a database's effects to the event loops of their connections: once for each loop and batch.
package struct EffectRouter: Sendable {
  private let loops: [any EventLoop]
  private let inboxes: [LoopInbox]
  /// Told of every cause that took permissions away.
  package let receipts: ReceiptDesk

  /// Makes one hub for each loop.
  package init(loops: [any EventLoop], denials: DenialLog, receipts: ReceiptDesk = ReceiptDesk()) async {
    var inboxes: [LoopInbox] = []
    for (index, loop) in loops.enumerated() {
      let hub = await withCheckedContinuation { made in
        loop.execute {
          let hub = LoopHub(loop: loop, index: index, denials: denials)
          made.resume(returning: NIOLoopBound(hub, eventLoop: loop))
        }
      }
      inboxes.append(LoopInbox(loop: loop, hub: hub, clock: receipts.clock))
    }
    self.receipts = receipts
    self.inboxes = inboxes
    self.loops = loops
  }

  /// For work that belongs to no connection.
  package var anyLoop: any EventLoop { loops[0] }

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
  package func executeAnywhere(_ work: @escaping @Sendable (LoopHub) -> Void) { inboxes[0].execute(work) }

  /// Ends what the revocation means, on every loop and in every database. From any thread, once it is durable.
  ///
  /// - Returns: the revocation's number, by which its receipts are found.
  package func revoke(_ revocation: Revocation, because event: AuditEvent.Kind) -> UInt64 {
    let round = receipts.begin(revocation, event: event, loopCount: inboxes.count)
    for inbox in inboxes {
      inbox.execute { hub in round.reviewed(endedCount: hub.revoke(revocation, round.number)) }
    }
    return round.number
  }

  /// Called on a queue of the database; only sorts and hands over.
  package func deliver(_ effects: [Effect], of database: String) {
    guard inboxes.count > 1 else { return deliverToOne(effects, of: database) }
    var parts = [[Effect]](repeating: [], count: inboxes.count)
    var cuts = [[CutPart]](repeating: [], count: inboxes.count)
    for effect in effects {
      switch effect {
      case .event(let event, let recipients):
        for (index, part) in split(recipients).enumerated() where !part.isEmpty {
          parts[index].append(.event(event, to: part))
        }
      case .queryEvent(let event, let recipients):
        var groups = [[TaggedRecipient]](repeating: [], count: inboxes.count)
        for recipient in recipients where Self.index(recipient.connection) < groups.count {
          groups[Self.index(recipient.connection)].append(recipient)
        }
        for (index, group) in groups.enumerated() where !group.isEmpty {
          parts[index].append(.queryEvent(event, to: group))
        }
      case .redecided(let redecision): open(redecision, of: database, into: &cuts)
      case .reply(let id, _, _), .cancel(let id, _, _), .authenticationEnded(let id):
        append(effect, for: id, to: &parts)
      case .denied(let denial): append(effect, for: denial.connection, to: &parts)
      }
    }
    var rooms: [DispatchSemaphore] = []
    for (index, inbox) in inboxes.enumerated() where !parts[index].isEmpty || !cuts[index].isEmpty {
      if let room = inbox.takeIn(parts[index], cuts: cuts[index], of: database) { rooms.append(room) }
    }
    // Every loop has its part before a slow one is waited for.
    for room in rooms { room.wait() }
  }

  private func deliverToOne(_ effects: [Effect], of database: String) {
    var cuts: [[CutPart]] = [[]]
    for effect in effects {
      if case .redecided(let redecision) = effect { open(redecision, of: database, into: &cuts) }
    }
    inboxes[0].hand(effects, cuts: cuts[0], of: database)
  }

  /// Begins or goes on with the receipt of what was decided; its cancellations are followed on their loops.
  private func open(_ redecision: Redecision, of database: String, into cuts: inout [[CutPart]]) {
    guard let (draft, first) = receipts.take(redecision, of: database) else { return }
    var parts = [CutPart](repeating: CutPart(draft: draft), count: inboxes.count)
    for (offset, cancelled) in redecision.cancelled.enumerated() {
      let index = Self.index(cancelled.connection)
      guard index < parts.count else {
        draft.note(.gone, ofListener: first + offset)
        continue
      }
      parts[index].cuts.append((first + offset, cancelled.connection, cancelled.name))
    }
    for (index, part) in parts.enumerated() where !part.cuts.isEmpty { cuts[index].append(part) }
    if redecision.revocation == nil { draft.seal() }
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
