import Dispatch
import HearthAccounts
import HearthEngine
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

  /// Makes one hub for each loop.
  package init(
    loops: [any EventLoop], denials: DenialLog, receipts: ReceiptStore = ReceiptStore(), meters: GatewayMeters = .none
  ) async {
    var inboxes: [LoopInbox] = []
    for (index, loop) in loops.enumerated() {
      let hub = await withCheckedContinuation { made in
        loop.execute {
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

  /// Delivers effects. Called on a queue of the database; only sorts and queues.
  ///
  /// - Parameter arrival: the time of the oldest command with these effects; 0 when that is not known.
  package func deliver(_ effects: [Effect], of database: String, arrival: UInt64 = 0) {
    guard inboxes.count > 1 else { return deliverToOne(effects, of: database, arrival) }
    var parts = [[LoopEffect]](repeating: [], count: inboxes.count)
    for effect in effects {
      switch effect {
      case .event(let event, let recipients):
        for (index, part) in split(recipients).enumerated() where !part.isEmpty {
          parts[index].append(.effect(.event(event, to: part)))
        }
      case .queryEvent(let event, let recipients):
        var groups = [[TaggedRecipient]](repeating: [], count: inboxes.count)
        for recipient in recipients where recipient.connection.loopIndex < groups.count {
          groups[recipient.connection.loopIndex].append(recipient)
        }
        for (index, group) in groups.enumerated() where !group.isEmpty {
          parts[index].append(.effect(.queryEvent(event, to: group)))
        }
      case .redecided(let redecision):
        // Each loop cancels its own clients' listens.
        meters.cancelled(redecision)
        let receipt = receipts.open(redecision, of: database)
        guard !redecision.cancelled.isEmpty else { continue }
        for index in parts.indices { parts[index].append(.cancel(redecision, receipt)) }
      case .reply(let id, _, _), .authenticationEnded(let id):
        append(effect, for: id, to: &parts)
      case .denied(let denial): append(effect, for: denial.connection, to: &parts)
      }
    }
    var roomSemaphores: [DispatchSemaphore] = []
    for (index, inbox) in inboxes.enumerated() where !parts[index].isEmpty {
      if let room = inbox.enqueueWithoutBlocking(parts[index], of: database, arrival: arrival) {
        roomSemaphores.append(room)
      }
    }
    // Every loop gets its part before the wait for a slow one.
    for room in roomSemaphores { room.wait() }
  }

  private func deliverToOne(_ effects: [Effect], of database: String, _ arrival: UInt64) {
    let effects = effects.map { effect -> LoopEffect in
      guard case .redecided(let redecision) = effect else { return .effect(effect) }
      meters.cancelled(redecision)
      return .cancel(redecision, receipts.open(redecision, of: database))
    }
    inboxes[0].enqueue(effects, of: database, arrival: arrival)
  }

  private func append(_ effect: Effect, for id: ConnectionID, to parts: inout [[LoopEffect]]) {
    let index = id.loopIndex
    if index < parts.count { parts[index].append(.effect(effect)) }
  }

  private func split(_ recipients: [ConnectionID]) -> [[ConnectionID]] {
    var parts = [[ConnectionID]](repeating: [], count: inboxes.count)
    for id in recipients where id.loopIndex < parts.count { parts[id.loopIndex].append(id) }
    return parts
  }
}
