import HearthJournal

/// A reader of checkpoints whose states are given chunks, and which finds unreadable parts.
struct StubCheckpoints: CheckpointReader {
  var chunks: [[UInt8]] = []
  var unreadableCount = 0

  func forEachChunk(
    of checkpoint: Checkpoint, in folder: String, skipsUnreadable: Bool, _ body: ([UInt8]) throws -> Void
  ) throws {
    guard skipsUnreadable || unreadableCount == 0 else { throw JournalError(.corrupt, "a part cannot be read") }
    for chunk in chunks { try body(chunk) }
  }

  func examine(_ checkpoint: Checkpoint, in folder: String) -> (damages: [JournalRecovery.Damage], count: Int) {
    let listed = (0..<min(2, unreadableCount)).map {
      JournalRecovery.Damage(place: JournalError.Place(file: folder), finding: "part \($0)")
    }
    return (listed, unreadableCount)
  }
}
