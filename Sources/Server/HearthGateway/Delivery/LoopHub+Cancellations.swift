import HearthEngine

extension LoopHub {
  /// Tells this loop's clients which of their listens are over. ``followCancellations()`` is to come once that is flushed.
  ///
  /// - Parameter part: nil when no receipt is made of it.
  func cancel(_ redecision: Redecision, _ part: ReceiptPart?, of database: String) {
    for (offset, cancelled) in redecision.cancelled.enumerated() where owns(cancelled.connection) {
      let number = (part?.first ?? 0) + offset
      if let client = client(cancelled.connection) {
        if let part {
          if let query = client.query(of: cancelled.name) { part.draft.note(query: query, ofListener: number) }
          cancellations.append((client, SentMark(part.draft, listener: number)))
        }
        client.cancel(cancelled.name, redecision.cause)
      } else {
        part?.draft.note(.gone, ofListener: number)
      }
      explain(cancelled.denial, of: database)
    }
  }

  /// Follows the cancellations that have just been flushed to where they are written.
  func followCancellations() {
    for (client, mark) in cancellations { client.follow(mark) }
    cancellations.removeAll()
  }
}
