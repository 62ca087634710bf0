/// The snapshot that a journal is writing, with the size of its chunks so far.
package struct SnapshotProgress: Sendable {
  /// A snapshot that is not complete.
  package struct Open: Sendable {
    fileprivate let ticket: SnapshotTicket
    fileprivate let runningHash: RunningHash
    /// The number of stored chunks.
    package fileprivate(set) var chunkCount = 0
    /// The size of the stored chunks.
    package fileprivate(set) var sizeBytes = 0

    /// The description of the completed snapshot.
    package var info: SnapshotInfo {
      SnapshotInfo(
        identifier: ticket.identifier, position: ticket.position, runningHash: runningHash, chunkCount: chunkCount,
        sizeBytes: sizeBytes)
    }
  }

  private var open: Open?

  /// Creates the state in which no snapshot is being written.
  package init() {}

  /// Begins a snapshot.
  package mutating func begin(_ ticket: SnapshotTicket, _ runningHash: RunningHash) {
    open = Open(ticket: ticket, runningHash: runningHash)
  }

  /// Ends the writing of the snapshot, if there is one.
  package mutating func end() { open = nil }

  /// Ends the writing of a snapshot, unless another one has begun since.
  package mutating func end(_ ticket: SnapshotTicket) { if open?.ticket == ticket { open = nil } }

  /// Counts a stored chunk.
  package mutating func add(_ chunk: [UInt8], to ticket: SnapshotTicket) {
    guard open?.ticket == ticket else { return }
    open?.chunkCount += 1
    open?.sizeBytes += chunk.count
  }

  /// Returns the snapshot that is being written.
  ///
  /// - Throws: `.snapshotAbandoned` when the ticket belongs to another snapshot.
  package func require(_ ticket: SnapshotTicket, file: String?) throws(JournalError) -> Open {
    guard let open, open.ticket == ticket else { throw .abandoned(ticket.position, file: file) }
    return open
  }

  /// Checks the size of a chunk.
  ///
  /// - Throws: `.tooLarge`.
  package static func validate(_ chunk: [UInt8], of ticket: SnapshotTicket, file: String?) throws(JournalError) {
    guard chunk.count <= JournalLimits.snapshotChunkBytesMax else {
      throw JournalError(
        .tooLarge, "a chunk of \(chunk.count) bytes is over the limit of \(JournalLimits.snapshotChunkBytesMax)",
        at: JournalError.Place(file: file, position: ticket.position))
    }
  }
}
