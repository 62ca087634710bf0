import HearthEngine
import HearthJournal
import HearthTree

/// Reads the batches of a log, and puts records together that come in pieces.
struct LogReader {
  private let scan: RecordScan
  /// Of the record that comes in pieces.
  private var pieces: (number: Int64, count: UInt32, bytes: [UInt8]) = (0, 0, [])

  /// Pieces of a record were read whose last is still to come, or will never come.
  var hasOpenPieces: Bool { pieces.count > 0 }

  /// - Parameter scan: what is read of the changes.
  init(_ scan: RecordScan = RecordScan()) { self.scan = scan }

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
        try body(position, try whole(record, at: position))
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

  /// What a record does: for the last of several pieces what these are together.
  private mutating func whole(_ record: CommitRecord, at position: Int64) throws -> CommitRecord {
    switch record.content {
    case .changes, .rules, .sessions: return record
    case .piece(let number, let bytes):
      if number == position { pieces = (number, 0, []) }
      guard number == pieces.number else {
        throw RecordError("a piece of the record \(number) without its first", byteOffset: 0, position: position)
      }
      pieces.count += 1
      pieces.bytes += bytes
      return record
    case .joined(let number, let count):
      var joined = try join(number, count, at: position)
      joined.wallMilliseconds = record.wallMilliseconds
      return joined
    }
  }

  private mutating func join(_ number: Int64, _ count: UInt32, at position: Int64) throws -> CommitRecord {
    guard number == pieces.number, count == pieces.count else {
      throw RecordError("not all pieces of the record \(number) are there", byteOffset: 0, position: position)
    }
    var records: [CommitRecord] = []
    do {
      try scan.forEach(in: pieces.bytes) { records.append($0) }
    } catch let error as RecordError {
      throw RecordError(error.message, byteOffset: error.byteOffset, position: number)
    }
    pieces = (0, 0, [])
    guard records.count == 1, case .changes = records[0].content else {
      throw RecordError("the pieces are not one record of changes", byteOffset: 0, position: number)
    }
    return records[0]
  }
}
