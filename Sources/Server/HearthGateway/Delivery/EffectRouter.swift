import Dispatch
import HearthAccounts
import HearthEngine
import HearthTree
import NIOCore

/// A router of a database's effects to the event loops of their connections: once for each loop and batch.
package struct EffectRouter: Sendable {
  private let loops: [any EventLoop]
  let inboxes: [LoopInbox]
  /// The receipts of revocations.
  package let receipts: ReceiptStore
  private let meters: GatewayMeters
  /// The quotas of clients in each database.
  let quotas: QuotaRegistry
  /// The jobs of the pool that reads values.
  package let poolJobs = PoolJobMonitor()

  /// Makes one hub for each loop.
  package init(
    loops: [any EventLoop], denials: DenialLog, receipts: ReceiptStore = ReceiptStore(), meters: GatewayMeters = .none
  ) async {
    var inboxes: [LoopInbox] = []
    for (index, loop) in loops.enumerated() {
      let hub = await withCheckedContinuation { made in
        loop.execute {
          FaultScope.markEventLoop()
          let hub = LoopHub(loop: loop, index: index, denials: denials)
          made.resume(returning: NIOLoopBound(hub, eventLoop: loop))
        }
      }
      inboxes.append(LoopInbox(loop: loop, hub: hub, meters: meters))
    }
    self.receipts = receipts
    self.meters = meters
    quotas = QuotaRegistry(meters: meters)
    self.inboxes = inboxes
    self.loops = loops
  }

  /// The loop for work that belongs to no connection.
  package var anyLoop: any EventLoop { loops[0] }

  /// Returns the hub of the caller's loop.
  func hub(on loop: any EventLoop) -> LoopHub {
    let index = loops.firstIndex { $0 === loop } ?? 0  // always found: a hub of another loop would trap
    return inboxes[index].hubOnLoop
  }

  /// Runs `work` on the loop of that connection, with its hub.
  func execute(for connection: ConnectionID, _ work: @escaping @Sendable (LoopHub) -> Void) {
    let index = connection.loopIndex
    if index < inboxes.count { inboxes[index].execute(work) }
  }

  /// Runs `work` on some loop, with its hub.
  package func executeAnywhere(_ work: @escaping @Sendable (LoopHub) -> Void) { inboxes[0].execute(work) }

  /// Notifies the clients of a database, on every loop, that it is deleted.
  package func endClients(of database: String) {
    for inbox in inboxes { inbox.execute { hub in hub.endClients(of: database) } }
  }

  /// Disconnects the clients of a database, on every loop, so that they reconnect.
  package func disconnectClientsForRetry(of database: String) {
    for inbox in inboxes { inbox.execute { hub in hub.disconnectClientsForRetry(of: database) } }
  }

  /// Disconnects one client, so that it reconnects.
  package func disconnectForRetry(_ connection: ConnectionID) {
    execute(for: connection) { hub in
      hub.client(connection)?.disconnectForRetry(from: nil)
      hub.flush()
    }
  }

  /// Revokes credentials on every loop and in every database. Thread-safe; to be called once the revocation is durable.
  ///
  /// - Returns: the revocation's number, by which its receipts are found.
  package func revoke(_ revocation: Revocation, because event: AuditEvent.Kind) -> UInt64 {
    let process = receipts.begin(revocation, event: event, loopCount: inboxes.count)
    begin(process, revocation)
    return process.number
  }

  /// Signs out, on every loop and in every database, the clients with a credential of these sessions of the console.
  /// Thread-safe; to be called once the sessions have ended.
  package func endConsoleSessions(_ sessions: [UInt64]) {
    for inbox in inboxes {
      inbox.execute { hub in
        for session in sessions { hub.endConsoleSession(session) }
      }
    }
  }

  /// Revokes the same credentials as another node of a cluster has.
  ///
  /// - Parameter position: this node's position in the accounts' log with the revocation.
  package func follow(_ revocation: Revocation, because event: AuditEvent.Kind, to position: Int64) {
    let process = receipts.begin(revocation, event: event, loopCount: inboxes.count, followedTo: position)
    begin(process, revocation)
  }

  private func begin(_ process: RevocationProcess, _ revocation: Revocation) {
    for inbox in inboxes {
      inbox.execute { hub in process.reviewed(endedCount: hub.revoke(revocation, process.number)) }
    }
  }

  /// Returns the number of recipients of a database's effects that wait for the busiest loop. Thread-safe.
  package func waitingRecipientCount(of database: String) -> Int {
    inboxes.reduce(0) { max($0, $1.waitingRecipientCount(of: database)) }
  }

  /// Delivers effects. Called on a queue of the database; only sorts and queues.
  ///
  /// - Parameter arrival: the time of the oldest command with these effects; 0 when that is not known.
  package func deliver(_ effects: [Effect], of database: String, arrival: UInt64 = 0) {
    let effects = loopEffects(effects, of: database)
    let parts = inboxes.count > 1 ? split(effects) : [effects]
    // Every loop gets its part before the wait for a slow one.
    let roomSemaphores = zip(inboxes, parts).compactMap { inbox, part in
      part.isEmpty ? nil : inbox.enqueueWithoutBlocking(part, of: database, arrival: arrival)
    }
    for room in roomSemaphores { room.wait() }
  }

  private func loopEffects(_ effects: [Effect], of database: String) -> [LoopEffect] {
    var hasBulk = false
    return effects.map { effect in
      switch effect {
      case .event(_, let recipients):
        // The answer to a write comes after its events.
        hasBulk = hasBulk || recipients.count >= DeliveryLimits.standard.bulkRecipientsMin
        return .effect(effect)
      case .reply(let id, let request, let reply) where hasBulk:
        hasBulk = false
        return .bulkReply(id, request: request, reply)
      case .redecided(let redecision):
        meters.cancelled(redecision)
        return .cancel(redecision, receipts.open(redecision, of: database))
      case .queryEvent, .reply, .authenticationEnded, .denied: return .effect(effect)
      }
    }
  }

  /// Returns the effects for the connections of each loop.
  private func split(_ effects: [LoopEffect]) -> [[LoopEffect]] {
    var parts = [[LoopEffect]](repeating: [], count: inboxes.count)
    func append(_ effect: LoopEffect, for id: ConnectionID) {
      if id.loopIndex < parts.count { parts[id.loopIndex].append(effect) }
    }
    for effect in effects {
      switch effect {
      case .effect(.event(let event, let recipients)):
        for (index, part) in split(recipients).enumerated() where !part.isEmpty {
          parts[index].append(.effect(.event(event, to: part)))
        }
      case .effect(.queryEvent(let event, let recipients)):
        var groups = [[TaggedRecipient]](repeating: [], count: inboxes.count)
        for recipient in recipients where recipient.connection.loopIndex < groups.count {
          groups[recipient.connection.loopIndex].append(recipient)
        }
        for (index, group) in groups.enumerated() where !group.isEmpty {
          parts[index].append(.effect(.queryEvent(event, to: group)))
        }
      case .cancel(let redecision, _), .effect(.redecided(let redecision)):
        // Each loop cancels its own clients' listens.
        guard !redecision.cancelled.isEmpty else { continue }
        for index in parts.indices { parts[index].append(effect) }
      case .effect(.reply(let id, _, _)), .bulkReply(let id, _, _), .effect(.authenticationEnded(let id)):
        append(effect, for: id)
      case .effect(.denied(let denial)): append(effect, for: denial.connection)
      }
    }
    return parts
  }

  private func split(_ recipients: [ConnectionID]) -> [[ConnectionID]] {
    var parts = [[ConnectionID]](repeating: [], count: inboxes.count)
    for id in recipients where id.loopIndex < parts.count { parts[id.loopIndex].append(id) }
    return parts
  }
}
