import HearthAccounts
import HearthEngine
import Synchronization

/// The processing of one revocation by all loops, databases and connections: a receipt for each database with
/// connections that it concerned, or a single one when there were none.
///
/// Every loop reports the number of connections whose credential it ended, and every one of those is confirmed by its
/// database once. When the two counts agree the revocation has been decided completely. In a cluster the other nodes
/// report their results, which are included in the same receipts.
final class RevocationProcess: Sendable {
  private struct State {
    var loopsLeft: Int
    var expectedCount = 0
    var decidedCount = 0
    var drafts: [String: ReceiptDraft] = [:]
    var isDecided = false
    var openCount = 0
    /// The nodes that have not reported yet.
    var nodesLeft: Set<String>
    /// The reports of nodes.
    var reports: [String: [NodeReceipt]] = [:]
    /// The nodes that sent no report.
    var silent: Set<String> = []
    /// The callbacks at the end; nil after it.
    var endHandlers: [@Sendable () -> Void]? = []
  }

  let number: UInt64
  let start: ReceiptInstant
  private let cause: Receipt.Cause
  private let state: Mutex<State>
  private let asksNodes: Bool
  private let makeDraft: @Sendable (Receipt, RevocationProcess) -> ReceiptDraft
  /// The handler that is called once, when all receipts are closed.
  private let onEnd: @Sendable (RevocationProcess) -> Void

  /// - Parameters:
  ///   - loopCount: the number of loops that will report; at least 1.
  ///   - nodes: the other nodes of a cluster that will report; nil when they are not asked.
  init(
    number: UInt64, _ revocation: Revocation, event: AuditEvent.Kind, at start: ReceiptInstant, loopCount: Int,
    nodes: [String]? = nil,
    makeDraft: @escaping @Sendable (Receipt, RevocationProcess) -> ReceiptDraft,
    onEnd: @escaping @Sendable (RevocationProcess) -> Void
  ) {
    self.number = number
    self.start = start
    cause = .revocation(number: number, revocation, event: event)
    asksNodes = nodes != nil
    state = Mutex(State(loopsLeft: loopCount, nodesLeft: Set(nodes ?? [])))
    self.makeDraft = makeDraft
    self.onEnd = onEnd
  }

  /// Records the report of one loop, which has ended the credentials of so many connections.
  func reviewed(endedCount: Int) {
    decide { state in
      state.loopsLeft -= 1
      state.expectedCount += endedCount
    }
  }

  /// Records that a database has signed one of the connections out.
  ///
  /// - Returns: the part of the receipt for its cancelled listens; nil when that is closed.
  func take(_ redecision: Redecision, of database: String) -> ReceiptPart? {
    var taken: ReceiptPart?
    decide { state in
      guard !state.isDecided else { return }
      let draft = state.drafts[database] ?? open(database, &state)
      if redecision.isFirst { draft.addSignedOut() }
      taken = draft.add(redecision)
      if redecision.isLast { state.decidedCount += 1 }
    }
    return taken
  }

  /// Records the report of another node; nil when it sent none.
  func addReport(_ node: String, _ receipts: [NodeReceipt]?) {
    decide { state in
      guard !state.isDecided, state.nodesLeft.remove(node) != nil else { return }
      if let receipts { state.reports[node] = receipts } else { state.silent.insert(node) }
    }
  }

  /// Calls `handler` when all receipts are closed; at once when they are.
  func whenEnded(_ handler: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      state.endHandlers?.append(handler)
      return state.endHandlers == nil
    }
    if isOver { handler() }
  }

  /// The current state of its receipts.
  var receipts: [Receipt] {
    let (drafts, isDecided) = state.withLock { (Array($0.drafts.values), $0.isDecided) }
    var receipts = drafts.map(\.current)
    if !isDecided {
      // It may still concern other databases.
      receipts.append(
        Receipt(
          cause: cause, position: 0, wallMilliseconds: start.wallMilliseconds, isComplete: false))
    }
    return receipts
  }

  /// Ends the process as it is, because some database does not answer.
  func expire() {
    let drafts = state.withLock { state in state.isDecided ? Array(state.drafts.values) : settle(&state) }
    for draft in drafts { draft.expire() }
  }

  /// Records that one of the receipts is closed.
  func closed() {
    let endHandlers = state.withLock { state -> [@Sendable () -> Void]? in
      state.openCount -= 1
      return state.isDecided && state.openCount == 0 ? state.endHandlers.take() : nil
    }
    guard let endHandlers else { return }
    onEnd(self)
    for handler in endHandlers { handler() }
  }

  private func decide(_ change: (inout State) -> Void) {
    let drafts = state.withLock { state -> [ReceiptDraft] in
      change(&state)
      guard !state.isDecided, state.loopsLeft == 0, state.decidedCount >= state.expectedCount, state.nodesLeft.isEmpty
      else { return [] }
      return settle(&state)
    }
    for draft in drafts { draft.seal() }
  }

  /// Ends the collection: nodes that have not reported by now count as silent.
  private func settle(_ state: inout State) -> [ReceiptDraft] {
    state.isDecided = true
    let reports = state.reports.sorted { $0.key < $1.key }
    for database in Set(reports.flatMap(\.value).compactMap(\.database)) where state.drafts[database] == nil {
      _ = open(database, &state)
    }
    if state.drafts.isEmpty { _ = open(nil, &state) }
    if asksNodes {
      let silent = state.nodesLeft.union(state.silent).sorted()
      let isComplete = reports.flatMap(\.value).allSatisfy(\.isComplete)
      for (database, draft) in state.drafts {
        draft.add(reports.map { ($0.key, $0.value.filter { ($0.database ?? "") == database }) }, silent: silent)
        if !isComplete { draft.noteIncomplete() }
      }
    }
    (state.nodesLeft, state.reports) = ([], [:])
    return Array(state.drafts.values)
  }

  private func open(_ database: String?, _ state: inout State) -> ReceiptDraft {
    let draft = makeDraft(
      Receipt(database: database, cause: cause, position: 0, wallMilliseconds: start.wallMilliseconds), self)
    state.drafts[database ?? ""] = draft
    state.openCount += 1
    return draft
  }
}
