import HearthEngine
import HearthTree
import Synchronization

/// The part of a receipt with the cancelled listens of one ``Redecision``.
struct ReceiptPart: Sendable {
  let draft: ReceiptDraft
  /// The number of the first of these cancelled listens; the others follow.
  let first: Int
}

/// A receipt in preparation: it collects decisions, and the outcome of each cancellation on its loop.
///
/// It is closed when it has no more holds. Its opener holds it until the cause has been decided completely, and every
/// cancellation until it was written or its connection was gone.
final class ReceiptDraft: Sendable {
  private struct State {
    var receipt: Receipt
    var openCount = 1
    var isClosed = false
  }

  /// The time at which the cause took effect, on the monotonic clock.
  let startMicroseconds: Int64
  private let state: Mutex<State>
  private let limits: ReceiptLimits
  private let clock: @Sendable () -> ReceiptInstant
  /// Takes the closed receipt, once.
  private let onClose: @Sendable (ReceiptDraft, Receipt) -> Void

  init(
    _ receipt: Receipt, startMicroseconds: Int64, limits: ReceiptLimits,
    clock: @escaping @Sendable () -> ReceiptInstant,
    onClose: @escaping @Sendable (ReceiptDraft, Receipt) -> Void
  ) {
    state = Mutex(State(receipt: receipt))
    self.startMicroseconds = startMicroseconds
    self.limits = limits
    self.clock = clock
    self.onClose = onClose
  }

  /// The time since the cause took effect.
  var elapsedMicroseconds: Int64 { max(0, clock().monotonicMicroseconds - startMicroseconds) }

  /// Adds a decision. Each of its cancellations then holds the draft.
  ///
  /// - Returns: their part of the receipt.
  func add(_ redecision: Redecision) -> ReceiptPart {
    state.withLock { state in
      let first = state.receipt.counts.cancelled
      state.receipt.position = max(state.receipt.position, redecision.position)
      state.receipt.counts.examined += redecision.examinedCount
      state.receipt.counts.cancelled += redecision.cancelled.count
      state.receipt.counts.late += redecision.cancelled.count
      state.openCount += redecision.cancelled.count
      for cancelled in redecision.cancelled.prefix(limits.listenersMax - state.receipt.listeners.count) {
        state.receipt.listeners.append(
          Receipt.Listener(
            connection: cancelled.connection, name: cancelled.name, uid: cancelled.uid,
            lastPosition: cancelled.lastPosition))
      }
      state.receipt.kept += redecision.kept.prefix(limits.keptMax - state.receipt.kept.count)
      return ReceiptPart(draft: self, first: first)
    }
  }

  /// Counts a connection that was signed out.
  func addSignedOut() { state.withLock { $0.receipt.counts.signedOut += 1 } }

  /// Adds the results of the other nodes of a cluster in the same database, once.
  ///
  /// - Parameters:
  ///   - reports: the receipts of the nodes that answered, in order of name.
  ///   - silent: the other nodes.
  func add(_ reports: [(node: String, receipts: [NodeReceipt])], silent: [String]) {
    state.withLock { state in
      var remoteResults = Receipt.RemoteResults(silent: silent)
      for (node, receipts) in reports {
        var counts = ReceiptCounts()
        for receipt in receipts {
          counts += receipt.counts
          state.receipt.position = max(state.receipt.position, receipt.position)
          state.receipt.microseconds += receipt.microseconds
          let room = limits.listenersMax - state.receipt.listeners.count - remoteResults.listeners.count
          remoteResults.listeners += receipt.listeners.prefix(max(0, room)).map { $0.naming(node) }
          let keptRoom = limits.keptMax - state.receipt.kept.count - remoteResults.kept.count
          remoteResults.kept += receipt.kept.prefix(max(0, keptRoom)).map { $0.naming(node) }
        }
        remoteResults.nodes.append((node, counts))
      }
      state.receipt.remoteResults = remoteResults
    }
  }

  /// Marks the receipt as incomplete, because another node reports an outstanding notification.
  func noteIncomplete() { state.withLock { $0.receipt.isComplete = false } }

  /// The current state of the receipt; complete only when it is closed.
  var current: Receipt {
    state.withLock { state in
      var receipt = state.receipt
      if !state.isClosed { receipt.isComplete = false }
      return receipt
    }
  }

  func note(query: JSON, ofListener number: Int) {
    state.withLock { state in
      if state.receipt.listeners.indices.contains(number) { state.receipt.listeners[number].query = query }
    }
  }

  /// Records the outcome of a cancellation, and ends its hold.
  func note(_ outcome: Receipt.Outcome, ofListener number: Int) {
    release { state in
      state.receipt.counts.late -= 1
      switch outcome {
      case .sent(let microseconds):
        state.receipt.counts.sent += 1
        state.receipt.microseconds.append(microseconds)
      case .gone: state.receipt.counts.gone += 1
      case .late: state.receipt.counts.late += 1
      }
      if state.receipt.listeners.indices.contains(number) { state.receipt.listeners[number].outcome = outcome }
    }
  }

  /// Ends the opener's hold: the cause has been decided completely.
  func seal() { release { _ in } }

  /// Closes the draft as it is, because it takes too long.
  func expire() {
    close { state in
      state.receipt.isComplete = false
      return true
    }
  }

  private func release(_ change: (inout State) -> Void) {
    close { state in
      change(&state)
      state.openCount -= 1
      return state.openCount == 0
    }
  }

  private func close(when isDone: (inout State) -> Bool) {
    let receipt = state.withLock { state -> Receipt? in
      guard !state.isClosed, isDone(&state) else { return nil }
      state.isClosed = true
      return state.receipt
    }
    if let receipt { onClose(self, receipt) }
  }
}
