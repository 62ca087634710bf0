import HearthTree

/// The reassembly of records that are stored in pieces, for readers of a log.
package struct RecordAssembler: Sendable {
  private let scan: RecordScan
  /// The current record: the position of its first piece, the number of pieces read so far, and their bytes.
  private var pieces: (number: Int64, count: UInt32, bytes: [UInt8]) = (0, 0, [])

  /// True when the last record piece was read without the end of its record, which may follow or be missing.
  package var isOpen: Bool { pieces.count > 0 }

  /// Creates an assembler without pieces.
  ///
  /// - Parameter scan: The scan that decodes the changes.
  package init(_ scan: RecordScan = RecordScan()) { self.scan = scan }

  /// Returns the record to apply: for the end of a record in pieces, the whole record with the time of its end;
  /// otherwise `record` itself.
  ///
  /// - Throws: ``RecordError`` with the position, when a piece is missing or the pieces do not form a record.
  package mutating func whole(_ record: CommitRecord, at position: Int64) throws(RecordError) -> CommitRecord {
    switch record.content {
    case .changes, .rules, .sessions, .note, .joint: return record
    case .piece(let number, let bytes):
      if number == position { pieces = (number, 0, []) }
      guard number == pieces.number else {
        throw RecordError("the first part of record \(number) is missing", byteOffset: 0, position: position)
      }
      pieces.count += 1
      pieces.bytes += bytes
      return record
    case .lastPiece(let number, let count):
      var joined = try join(number, count, at: position)
      joined.wallMilliseconds = record.wallMilliseconds
      return joined
    }
  }

  /// Returns the complete records of a payload after a position.
  ///
  /// - Throws: ``RecordError`` with the payload's first position, also when the payload does not continue the log after
  ///   `position`.
  mutating func records(
    _ payload: [UInt8], _ first: Int64, _ last: Int64, after position: Int64
  ) throws(RecordError) -> [(position: Int64, record: CommitRecord)] {
    guard first <= position + 1 else {
      throw RecordError("it does not follow position \(position)", byteOffset: 0, position: first)
    }
    let records: [CommitRecord]
    do {
      records = try CommitRecord.decode(payload)
    } catch {
      throw RecordError(error.message, byteOffset: error.byteOffset, position: first)
    }
    let (distance, isOver) = last.subtractingReportingOverflow(first)
    guard !isOver, distance == Int64(records.count) - 1 else {
      throw RecordError(
        "it has \(records.count) records for the positions up to \(last)", byteOffset: 0, position: first)
    }
    var found: [(position: Int64, record: CommitRecord)] = []
    for (record, place) in zip(records, first...) where place > position {
      found.append((place, try whole(record, at: place)))
    }
    return found
  }

  private mutating func join(_ number: Int64, _ count: UInt32, at position: Int64) throws(RecordError) -> CommitRecord {
    guard number == pieces.number, count == pieces.count else {
      throw RecordError("parts of record \(number) are missing", byteOffset: 0, position: position)
    }
    var records: [CommitRecord] = []
    do {
      try scan.forEach(in: pieces.bytes) { records.append($0) }
    } catch {
      let found = RecordError(error, byteOffset: 0)
      throw RecordError(found.message, byteOffset: found.byteOffset, position: number)
    }
    pieces = (0, 0, [])
    guard records.count == 1, case .changes = records[0].content else {
      throw RecordError("the parts do not form one record of changes", byteOffset: 0, position: number)
    }
    return records[0]
  }
}
