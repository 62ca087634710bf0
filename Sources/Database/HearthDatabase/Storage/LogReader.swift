import HearthEngine
import HearthJournal
import HearthTree

/// Reads the batches of a log, and assembles records that are stored in pieces.
struct LogReader {
  private let scan: RecordScan
  /// The pieces of the current record.
  private var pieces: RecordAssembler

  /// True when the last piece of a record is still missing, perhaps forever.
  var hasOpenPieces: Bool { pieces.isOpen }

  /// - Parameter scan: The part of the changes to read.
  init(_ scan: RecordScan = RecordScan()) { (self.scan, pieces) = (scan, RecordAssembler(scan)) }

  /// Reads one batch.
  ///
  /// - Parameters:
  /// - start: The position up to which records are skipped.
  /// - body: Receives each record with its position. The last piece of a record arrives as the whole record, with the
  ///   time of that piece; the other pieces arrive as records without changes.
  /// - Throws: ``RecordError``; errors of `body`.
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
