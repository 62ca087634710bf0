import Synchronization

/// A mark behind one cancellation. The transport that gets the mark reports when all bytes before it have been written;
/// a mark that is released without a report means that the connection ended first.
final class SentMark: Sendable {
  private let draft: ReceiptDraft
  private let number: Int
  private let isReported = Atomic(false)

  init(_ draft: ReceiptDraft, listener number: Int) {
    self.draft = draft
    self.number = number
  }

  /// Reports that the cancellation was written. Thread-safe; a second call is ignored.
  func sent() {
    report(.sent(microseconds: draft.elapsedMicroseconds))
  }

  deinit { report(.gone) }

  private func report(_ outcome: Receipt.Outcome) {
    guard !isReported.exchange(true, ordering: .relaxed) else { return }
    draft.note(outcome, ofListener: number)
  }
}
