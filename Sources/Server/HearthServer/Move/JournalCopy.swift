import HearthJournal

/// Makes a journal elsewhere out of what a view of one shows: the snapshot, the log behind it, and the events beside it.
enum JournalCopy {
  /// - Throws: `JournalError`. What was made so far is nobody's journal.
  static func run(_ view: any JournalView, into copy: any JournalRestoration) throws {
    if let snapshot = view.snapshot {
      try copy.begin(at: snapshot.position, runningHash: snapshot.runningHash)
      for index in 0..<snapshot.chunkCount { try copy.append(chunk: try view.snapshotChunk(index)) }
    }
    try view.forEachLink(after: view.snapshot?.position ?? 0) { link in
      try copy.append(link)
      return true
    }
    try view.forEachEntry { try copy.append($0) }
    _ = try copy.complete(epoch: view.head.epoch)
  }
}
