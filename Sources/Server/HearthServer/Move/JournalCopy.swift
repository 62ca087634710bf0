import HearthJournal

/// A copy of a journal from its view to another engine: the snapshot, the log behind it, and the events beside it.
enum JournalCopy {
  /// Copies a journal.
  ///
  /// - Throws: `JournalError`. The incomplete copy is not a valid journal.
  static func run(_ view: any JournalView, into copy: any JournalRestoration) throws {
    if let snapshot = view.snapshot {
      try copy.begin(at: snapshot.position, runningHash: snapshot.runningHash)
      try view.forEachChunk { try copy.append(chunk: $0) }
    }
    try view.forEachLink(after: view.snapshot?.position ?? 0) { link in
      try copy.append(link)
      return true
    }
    try view.forEachEntry { try copy.append($0) }
    _ = try copy.complete(epoch: view.head.epoch)
  }
}
