import HearthJournal
import HearthPages

/// A state from which later ones are replayed: a retained snapshot or checkpoint.
enum HistoryStart {
  case snapshot(SnapshotInfo)
  case checkpoint(Int64)

  var position: Int64 {
    switch self {
    case .snapshot(let info): info.position
    case .checkpoint(let position): position
    }
  }
}

extension Journal {
  /// Returns the retained snapshots and checkpoints in order of position, at one position the checkpoint last.
  func historyStarts() throws(JournalError) -> [HistoryStart] {
    let checkpoints = try checkpointPositions().map(HistoryStart.checkpoint)
    let snapshots = try snapshots().map(HistoryStart.snapshot)
    if checkpoints.isEmpty { return snapshots }
    // The sort is stable.
    return (snapshots + checkpoints).sorted { $0.position < $1.position }
  }

  /// Returns the segments that the checkpoints before the current one name; of those of one number the longest.
  ///
  /// - Throws: `JournalError`, `PageError`.
  func retainedSegments() throws -> [PageFileExtent.Segment] {
    var segments: [Int: PageFileExtent.Segment] = [:]
    for position in try checkpointPositions().dropLast() {
      guard let checkpoint = try checkpoint(at: position) else { continue }
      for segment in try PageCheckpoint(checkpoint.payload).extent.segments {
        if segments[segment.number].map({ $0.sizeBytes >= segment.sizeBytes }) != true {
          segments[segment.number] = segment
        }
      }
    }
    return Array(segments.values)
  }
}
