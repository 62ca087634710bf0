import HearthJournal
import HearthPages
import Synchronization

/// The segments that stay for the history.
extension SnapshotStore {
  /// Removes the segments that only expired history had, unless a checkpoint is being read: then after the next one.
  func removeExpiredSegments() throws {
    guard let files = pagedStorage?.files, files.hasReleased, !isCleaning.load(ordering: .acquiring) else { return }
    try files.removeReleased(keeping: try namedSegments(), erasing: false)
  }

  /// The numbers of the segments that checkpoints name.
  func namedSegments() throws -> Set<Int> {
    var numbers = Set(try journal.retainedSegments().map(\.number))
    if let current = try journal.currentCheckpoint() {
      numbers.formUnion(try PageCheckpoint(current.payload).extent.segments.map(\.number))
    }
    return numbers
  }
}
