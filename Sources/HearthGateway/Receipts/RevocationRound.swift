import HearthAccounts
import HearthEngine
import Synchronization

/// One revocation on its way through all loops, databases and connections: a receipt for each database in which
/// somebody was signed in with what ended, or a single one that says that nobody was.
///
/// Every loop says how many connections it ended, and every one of those is answered by its database once. When the
/// two counts agree the revocation has been decided to the end.
final class RevocationRound: Sendable {
  private struct State {
    var loopsLeft: Int
    var expectedCount = 0
    var decidedCount = 0
    var drafts: [String: ReceiptDraft] = [:]
    var isDecided = false
    var openCount = 0
  }

  let number: UInt64
  let start: ReceiptMoment
  private let cause: Receipt.Cause
  private let state: Mutex<State>
  private let makeDraft: @Sendable (Receipt, RevocationRound) -> ReceiptDraft
  /// Called once, when all receipts are closed.
  private let onEnd: @Sendable (RevocationRound) -> Void

  /// - Parameter loopCount: how many loops will say what they did; at least 1.
  init(
    number: UInt64, _ revocation: Revocation, event: AuditEvent.Kind, at start: ReceiptMoment, loopCount: Int,
    makeDraft: @escaping @Sendable (Receipt, RevocationRound) -> ReceiptDraft,
    onEnd: @escaping @Sendable (RevocationRound) -> Void
  ) {
    self.number = number
    self.start = start
    cause = .revocation(number: number, revocation, event: event)
    state = Mutex(State(loopsLeft: loopCount))
    self.makeDraft = makeDraft
    self.onEnd = onEnd
  }

  /// One loop has looked at all of its connections, and has ended the credentials of so many.
  func reviewed(endedCount: Int) {
    decide { state in
      state.loopsLeft -= 1
      state.expectedCount += endedCount
    }
  }

  /// A database has signed one of the connections out.
  ///
  /// - Returns: where its cancelled listens stand in the receipt; nil when that is closed.
  func take(_ redecision: Redecision, of database: String) -> ReceiptPart? {
    var taken: ReceiptPart?
    decide { state in
      guard !state.isDecided else { return }
      let draft = state.drafts[database] ?? open(database, &state)
      draft.addSignedOut()
      taken = draft.add(redecision)
      state.decidedCount += 1
    }
    return taken
  }

  /// Ends the round as it stands, because some database does not answer.
  func expire() {
    let drafts = state.withLock { state -> [ReceiptDraft] in
      if state.drafts.isEmpty { _ = open(nil, &state) }
      state.isDecided = true
      return Array(state.drafts.values)
    }
    for draft in drafts { draft.expire() }
  }

  /// One of the receipts is closed.
  func closed() {
    let isLast = state.withLock { state in
      state.openCount -= 1
      return state.isDecided && state.openCount == 0
    }
    if isLast { onEnd(self) }
  }

  private func decide(_ change: (inout State) -> Void) {
    let drafts = state.withLock { state -> [ReceiptDraft] in
      change(&state)
      guard !state.isDecided, state.loopsLeft == 0, state.decidedCount >= state.expectedCount else { return [] }
      state.isDecided = true
      if state.drafts.isEmpty { _ = open(nil, &state) }
      return Array(state.drafts.values)
    }
    for draft in drafts { draft.seal() }
  }

  private func open(_ database: String?, _ state: inout State) -> ReceiptDraft {
    let draft = makeDraft(
      Receipt(database: database, cause: cause, position: 0, wallMilliseconds: start.wallMilliseconds), self)
    state.drafts[database ?? ""] = draft
    state.openCount += 1
    return draft
  }
}
