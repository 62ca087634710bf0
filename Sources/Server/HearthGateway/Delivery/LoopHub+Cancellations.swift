import HearthEngine

extension LoopHub {
  /// Notifies this loop's clients of their cancelled listens. ``trackCancellations()`` is to be called once that is
  /// flushed.
  ///
  /// - Parameter part: the part of the receipt; nil when none is made.
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

  /// Adds marks behind the flushed cancellations, to record when they are written.
  func trackCancellations() {
    for (client, mark) in cancellations { client.track(mark) }
    cancellations.removeAll()
  }
}
