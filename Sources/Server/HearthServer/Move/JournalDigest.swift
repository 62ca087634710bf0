import HearthCrypto
import HearthDatabase
import HearthJournal
import HearthTree

/// A digest of a journal at one position, by which two journals can be compared.
package struct JournalDigest: Sendable, Equatable {
  /// The position of the last commit.
  package let position: Int64
  /// The running hash at that position, over all batches since the beginning.
  package let runningHash: RunningHash
  /// The SHA-256 hash of the state: data, rules in force, `onDisconnect` operations.
  package let state: Digest
  /// The number of waiting events.
  package let waitingCount: Int
  /// The number of dead letters.
  package let deadCount: Int
  /// The SHA-256 hash over all waiting events and dead letters.
  package let events: Digest

  /// The number of bytes that are hashed at once.
  private static let chunkBytes = 1 << 20

  /// Reads a whole journal. Its state is in memory meanwhile.
  ///
  /// - Throws: `JournalError`, `RecordError`: when it is damaged, or cannot be read.
  init(_ view: any JournalView) throws {
    (position, runningHash) = (view.head.position, view.head.runningHash)
    var state = Digest(sha256: [])
    try StoredState.write(view, chunkBytes: Self.chunkBytes) { state = Digest(sha256: state.bytes + $0) }
    self.state = state
    var (waitingCount, deadCount, events) = (0, 0, Digest(sha256: []))
    try view.forEachEntry { entry in
      if case .waits = entry.state { waitingCount += 1 } else { deadCount += 1 }
      events = Digest(sha256: events.bytes + Self.bytes(of: entry))
    }
    (self.waitingCount, self.deadCount, self.events) = (waitingCount, deadCount, events)
  }

  /// Returns unique bytes for each entry: each text follows its length.
  private static func bytes(of entry: ArchivedEntry) -> [UInt8] {
    var bytes: [UInt8] = []
    func add(_ number: Int64) { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }
    func add(_ text: some Collection<UInt8>) {
      add(Int64(text.count))
      bytes += text
    }
    add(entry.queue.utf8)
    add(entry.lane.utf8)
    for number in [
      entry.place.position, Int64(entry.place.ordinal), entry.milliseconds, Int64(entry.attemptCount),
    ] { add(number) }
    switch entry.state {
    case .waits(let due):
      add(due)
    case .dead(let reason, let milliseconds):
      add(milliseconds)
      add(reason.utf8)
    }
    add(entry.content)
    return bytes
  }
}
