import HearthEngine
import HearthTree

/// The cancelled listens of one receipt whose connections live on one loop.
struct CutPart: Sendable {
  var draft: ReceiptDraft
  /// Each with its number in the receipt.
  var cuts: [(number: Int, connection: ConnectionID, name: ListenName)] = []
}

/// A cancelled listen.
struct Cut: Hashable {
  var connection: ConnectionID
  var name: ListenName
}

extension LoopHub {
  /// Queries that wait for their receipts at most; those of cancellations that get no receipt are left behind.
  private static let cutQueriesMax = 16_384

  /// Keeps the query of a listen that is about to be cancelled, and that the client then forgets.
  func note(query: JSON, of cut: Cut) {
    if cutQueries.count >= Self.cutQueriesMax { cutQueries.removeAll() }
    cutQueries[cut] = query
  }

  /// Follows cancellations that have just been sent to where they are written.
  func follow(_ parts: [CutPart], clock: @escaping @Sendable () -> ReceiptMoment) {
    for part in parts {
      for cut in part.cuts {
        if let query = cutQueries.removeValue(forKey: Cut(connection: cut.connection, name: cut.name)) {
          part.draft.note(query: query, ofListener: cut.number)
        }
        let mark = SentMark(part.draft, listener: cut.number, clock: clock)
        // With nobody there, the mark is let go at once.
        client(cut.connection)?.follow(mark)
      }
    }
  }
}
