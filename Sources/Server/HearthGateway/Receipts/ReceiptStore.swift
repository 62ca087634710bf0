import Dispatch
import HearthAccounts
import HearthEngine
import HearthTree
import Logging
import Synchronization

/// A store that opens receipts, keeps them and responds to requests for them.
///
/// Decisions and deliveries never wait for it: receipts are encoded, and written to the disk, on a queue of its own.
/// Receipts beyond the queue's limit are counted and dropped.
package final class ReceiptStore: Sendable {
  struct State {
    var lastID: UInt64 = 0
    var lastRevocation: UInt64 = 0
    var drafts: [ObjectIdentifier: ReceiptDraft] = [:]
    /// The drafts of redecisions that are delivered in parts, by the database and the redecision.
    var partial: [PartialRedecision: ReceiptDraft] = [:]
    var processes: [UInt64: RevocationProcess] = [:]
    /// The other nodes of a cluster; nil for a server by itself.
    var peers: ReceiptPeers?
    /// The processes of other nodes' revocations.
    var remoteRevocations = RemoteRevocations()
    var ring = ReceiptRing()
    var waiters: [UInt64: Waiter] = [:]
    var lastWaiter: UInt64 = 0
    /// The number of receipts on their way to the ring.
    var waitingCount = 0
    /// The number of receipts that were dropped since the last warning.
    var omittedCount = 0
    var isSweeping = false
    var isClosed = false
  }

  struct Waiter {
    var filter: ReceiptFilter
    var completion: @Sendable (ReceiptPage) -> Void
  }

  /// The server's name as a node of a cluster; nil for a server by itself.
  package let node: String?
  let limits: ReceiptLimits
  let clock: @Sendable () -> ReceiptInstant
  let state = Mutex(State())
  private let archive: ReceiptArchive?
  private let logger: Logger?
  private let meters: GatewayMeters
  private let queue = DispatchQueue(label: "hearth.receipts")

  /// - Parameters:
  ///   - node: the server's name as a node of a cluster; nil for a server by itself.
  ///   - archive: stores receipts on disk; nil keeps them in memory alone.
  package init(
    node: String? = nil, archive: ReceiptArchive? = nil, limits: ReceiptLimits = .standard, logger: Logger? = nil,
    meters: GatewayMeters = .none,
    clock: @escaping @Sendable () -> ReceiptInstant = { .now() }
  ) {
    self.node = node
    self.archive = archive
    self.limits = limits
    self.logger = logger
    self.meters = meters
    self.clock = clock
    guard let archive else { return }
    state.withLock { state in
      for entry in archive.tail(limits: limits) {
        state.lastID = max(state.lastID, entry.id)
        state.lastRevocation = max(state.lastRevocation, entry.revocation ?? 0)
        state.ring.append(entry, limits: limits)
      }
      // Numbers that a crash kept from the disk, and that a client may have seen, are not used again.
      guard state.lastID > 0 else { return }
      state.lastID += UInt64(limits.waitingMax)
      state.lastRevocation += UInt64(limits.waitingMax)
    }
  }

  /// Opens the receipts of a revocation, before any client is notified of it.
  ///
  /// - Parameter position: this node's position in the accounts' log with a revocation of another node, which will ask
  ///   for the results; nil for one of this server's, which asks the others.
  func begin(
    _ revocation: Revocation, event: AuditEvent.Kind, loopCount: Int, followedTo position: Int64? = nil
  ) -> RevocationProcess {
    let start = clock()
    let (process, peers) = state.withLock { state -> (RevocationProcess, ReceiptPeers?) in
      let peers = position == nil && revocation.isClusterWide ? state.peers : nil
      state.lastRevocation += 1
      let process = RevocationProcess(
        number: state.lastRevocation, revocation, event: event, at: start, loopCount: loopCount,
        nodes: peers?.names,
        makeDraft: { receipt, process in
          ReceiptDraft(
            receipt, startMicroseconds: process.start.monotonicMicroseconds, limits: self.limits,
            clock: self.clock,
            // The process holds its drafts.
            onClose: { [weak process] _, receipt in
              self.publish(receipt)
              process?.closed()
            })
        },
        onEnd: { process in self.end(process) })
      state.processes[process.number] = process
      if let position { state.remoteRevocations.add(process, of: revocation, at: position, limits: limits) }
      scheduleSweep(&state)
      return (process, peers)
    }
    peers?.ask(revocation) { [self] node, report in
      queue.async { [limits] in process.addReport(node, report.flatMap { NodeReceipt.decoded($0, limits: limits) }) }
    }
    return process
  }

  /// Begins the receipt of a database's decision, or continues the one that it belongs to.
  ///
  /// - Returns: the part for its cancelled listens; nil when no receipt is made of it.
  func open(_ redecision: Redecision, of database: String) -> ReceiptPart? {
    if let number = redecision.revocation {
      return state.withLock { $0.processes[number] }?.take(redecision, of: database)
    }
    if !redecision.isFirst { return continueReceipt(redecision, of: database) }
    // A user who signs in again and loses no permission needs no receipt; browsers do it every hour.
    if redecision.cancelled.isEmpty, case .identity = redecision.cause { return nil }
    let receipt = Receipt(
      database: database, cause: Receipt.Cause(redecision.cause), position: redecision.position,
      wallMilliseconds: redecision.instant.wallMilliseconds, connection: redecision.connection)
    let draft = ReceiptDraft(
      receipt, startMicroseconds: redecision.instant.monotonicMilliseconds.multipliedClamped(by: 1000), limits: limits,
      clock: clock,
      onClose: { draft, receipt in
        self.state.withLock { _ = $0.drafts.removeValue(forKey: ObjectIdentifier(draft)) }
        self.publish(receipt)
      })
    let isOpen = state.withLock { state in
      guard state.drafts.count < limits.openMax else {
        state.omittedCount += 1
        return false
      }
      state.drafts[ObjectIdentifier(draft)] = draft
      if !redecision.isLast { state.partial[PartialRedecision(database, redecision)] = draft }
      scheduleSweep(&state)
      return true
    }
    guard isOpen else { return nil }
    let part = draft.add(redecision)
    if redecision.isLast { draft.seal() }
    return part
  }

  /// Continues a receipt of a redecision that is delivered in parts; nil when it is closed by now.
  private func continueReceipt(_ redecision: Redecision, of database: String) -> ReceiptPart? {
    let key = PartialRedecision(database, redecision)
    let draft = state.withLock { redecision.isLast ? $0.partial.removeValue(forKey: key) : $0.partial[key] }
    guard let draft else { return nil }
    let part = draft.add(redecision)
    if redecision.isLast { draft.seal() }
    return part
  }

  // MARK: Closing

  /// The number of receipts that wait for clients' notifications.
  var openCount: Int { state.withLock { $0.drafts.count + $0.processes.count } }

  private func publish(_ receipt: Receipt) {
    meters.closedReceipt()
    let isRoom = state.withLock { state in
      guard state.waitingCount < limits.waitingMax else {
        state.omittedCount += 1
        return false
      }
      state.waitingCount += 1
      return true
    }
    if isRoom { queue.async { self.keep(receipt) } }
  }

  /// Keeps a receipt. Runs on the queue.
  private func keep(_ receipt: Receipt) {
    var receipt = receipt
    receipt.node = node
    receipt.id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    receipt.microseconds.sort()
    let entry = ReceiptRing.Entry(receipt, limits: limits)
    archive?.append(entry.line, limits: limits)
    let (ready, omittedCount, isIdle) = state.withLock { state in
      state.ring.append(entry, limits: limits)
      state.waitingCount -= 1
      let ready = takeWaiters(&state) { $0.revocation == nil && $0.matches(entry) }
      defer { state.omittedCount = 0 }
      return (ready, state.omittedCount, state.waitingCount == 0)
    }
    for (waiter, page) in ready { waiter.completion(page) }
    if isIdle { archive?.sync() }
    if omittedCount > 0 {
      logger?.warning("too many receipts at once; some were not kept", metadata: ["missing": "\(omittedCount)"])
    }
  }

  private func end(_ process: RevocationProcess) {
    queue.async {
      let ready = self.state.withLock { state in
        state.processes[process.number] = nil
        return self.takeWaiters(&state) { $0.revocation == process.number }
      }
      for (waiter, page) in ready { waiter.completion(page) }
    }
  }

  /// Schedules the closing of receipts that take too long.
  private func scheduleSweep(_ state: inout State) {
    guard !state.isSweeping, !state.isClosed else { return }
    state.isSweeping = true
    queue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in self?.sweep() }
  }

  /// Closes receipts that have been open for too long.
  func sweep() {
    let before = clock().monotonicMicroseconds - limits.openMilliseconds * 1000
    let (drafts, processes) = state.withLock { state in
      let drafts = state.drafts.values.filter { $0.startMicroseconds <= before }
      state.partial = state.partial.filter { $0.value.startMicroseconds > before }
      let processes = state.processes.values.filter { $0.start.monotonicMicroseconds <= before }
      state.isSweeping = false
      if state.drafts.count > drafts.count || state.processes.count > processes.count { scheduleSweep(&state) }
      return (drafts, processes)
    }
    for draft in drafts { draft.expire() }
    for process in processes { process.expire() }
  }

  /// Answers all waiting requests, and from now on new ones at once: the server is about to stop.
  package func dismissWaiters() {
    let left = state.withLock { state in
      state.isClosed = true
      return takeWaiters(&state) { _ in true }
    }
    for (waiter, page) in left { waiter.completion(page) }
  }

  /// Closes all open receipts, syncs them to the disk, and answers the waiting requests. Blocks.
  package func close() {
    let (drafts, processes) = state.withLock { (Array($0.drafts.values), Array($0.processes.values)) }
    for draft in drafts { draft.expire() }
    for process in processes { process.expire() }
    queue.sync {}
    dismissWaiters()
    archive?.close()
  }
}

/// A redecision that is delivered in parts.
struct PartialRedecision: Hashable {
  private let database: String
  private let serial: UInt64

  init(_ database: String, _ redecision: Redecision) { (self.database, serial) = (database, redecision.serial) }
}

extension ReceiptRing.Entry {
  fileprivate init(_ receipt: Receipt, limits: ReceiptLimits) {
    var revocation: UInt64?
    if case .revocation(let number, _, _) = receipt.cause { revocation = number }
    self.init(
      id: receipt.id, database: receipt.database, revocation: revocation, line: receipt.json(limits: limits).text())
  }
}

extension Int64 {
  fileprivate func multipliedClamped(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? (self < 0 ? .min : .max) : product
  }
}
