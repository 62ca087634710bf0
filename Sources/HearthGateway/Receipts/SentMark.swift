import Synchronization

/// Follows one cancellation to the socket. The transport that is given the mark reports when everything before it has
/// been written; a mark that is released without a report means that the connection ended first.
final class SentMark: Sendable {
  private let draft: ReceiptDraft
  private let number: Int
  private let isReported = Atomic(false)
  private let clock: @Sendable () -> ReceiptMoment

  init(_ draft: ReceiptDraft, listener number: Int, clock: @escaping @Sendable () -> ReceiptMoment) {
    self.draft = draft
    self.number = number
    self.clock = clock
  }

  /// It is out. From any thread; a second call does nothing.
  func sent() {
    report(.sent(microseconds: max(0, clock().monotonicMicroseconds - draft.startMicroseconds)))
  }

  deinit { report(.gone) }

  private func report(_ outcome: Receipt.Outcome) {
    guard !isReported.exchange(true, ordering: .relaxed) else { return }
    draft.note(outcome, ofListener: number)
  }
}
