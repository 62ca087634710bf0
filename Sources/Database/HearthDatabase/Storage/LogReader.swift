import HearthEngine
import HearthJournal
import HearthTree

/// Reads the batches of a log, and puts records together that come in pieces.
struct LogReader {
  private let scan: RecordScan
  /// Of the record that comes in pieces.
  private var pieces: RecordPieces

  /// Pieces of a record were read whose last is still to come, or will never come.
  var hasOpenPieces: Bool { pieces.isOpen }

  /// - Parameter scan: what is read of the changes.
  init(_ scan: RecordScan = RecordScan()) { (self.scan, pieces) = (scan, RecordPieces(scan)) }

  /// Reads one batch.
  ///
  /// - Parameters:
  ///   - start: The records of this position and before it are passed over.
  ///   - body: Gets each record with its position. The last piece of a record comes as what it makes, with the time of
  ///     that piece; the others come as they are, and mean nothing.
  /// - Throws: ``RecordError``; what `body` throws.
  mutating func read(
    _ batch: JournalBatch, after start: Int64, _ body: (_ position: Int64, _ record: CommitRecord) throws -> Void
  ) throws {
    let scan = scan
    var position = batch.firstPosition - 1
    do {
      try scan.forEach(in: batch.payload) { record in
        position += 1
        guard position > start else { return }
        try body(position, try pieces.whole(record, at: position))
      }
    } catch let error as RecordError where error.position == nil {
      throw RecordError(error.message, byteOffset: error.byteOffset, position: batch.firstPosition)
    }
    guard position == batch.lastPosition else {
      throw RecordError(
        "it has \(position - batch.firstPosition + 1) records for the positions up to \(batch.lastPosition)",
        byteOffset: 0, position: batch.firstPosition)
    }
  }
}
