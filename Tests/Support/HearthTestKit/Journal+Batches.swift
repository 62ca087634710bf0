import HearthJournal

extension JournalBatch {
  /// Returns a batch that follows `head`; its content states its position.
  package static func following(_ head: JournalHead, commits: Int64 = 1, sizeBytes: Int = 100) -> JournalBatch {
    let first = head.position + 1
    let payload = (0..<sizeBytes).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(truncatingIfNeeded: first) &* 7) }
    return JournalBatch(firstPosition: first, lastPosition: head.position + commits, payload: payload)
  }
}

extension Journal {
  /// Appends batches of one commit each after `head`.
  package func appendBatches(_ count: Int, after head: JournalHead, sizeBytes: Int = 100) throws -> JournalHead {
    var head = head
    for _ in 0..<count {
      head = try append(.following(head, sizeBytes: sizeBytes), after: head)
    }
    return head
  }

  /// Returns all batches in the log after `position`.
  package func allBatches(after position: Int64 = 0) throws -> [JournalBatch] {
    var batches: [JournalBatch] = []
    try forEachBatch(after: position) { batches.append($0) }
    return batches
  }
}
