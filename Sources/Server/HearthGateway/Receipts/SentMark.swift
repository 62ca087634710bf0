import Synchronization

/// Follows one cancellation to the socket. The transport that is given the mark reports when everything before it has
/// been written; a mark that is released without a report means that the connection ended first.
final class SentMark: Sendable {
  private let draft: ReceiptDraft
  private let number: Int
  private let isReported = Atomic(false)

  init(_ draft: ReceiptDraft, listener number: Int) {
    self.draft = draft
    self.number = number
  }

  /// It is out. From any thread; a second call does nothing.
  func sent() {
    report(.sent(microseconds: draft.elapsedMicroseconds))
  }

  deinit { report(.gone) }

  private func report(_ outcome: Receipt.Outcome) {
    guard !isReported.exchange(true, ordering: .relaxed) else { return }
    draft.note(outcome, ofListener: number)
  }
}
