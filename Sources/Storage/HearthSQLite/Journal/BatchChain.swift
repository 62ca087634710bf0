import GRDB
import HearthJournal

/// The verification of the log's batches against the running hash.
struct BatchChain {
  /// The first batch that does not match.
  struct Finding {
    var firstPosition: Int64
    var byteOffset: Int?
    var text: String
  }

  var epoch: Int64
  var position: Int64
  var runningHash: RunningHash
  var batchCount = 0
  let path: String

  /// Begins after a snapshot or checkpoint; with the first batch without one.
  init(after start: SnapshotInfo?, path: String) {
    (epoch, position, runningHash) = (0, start?.position ?? 0, start?.runningHash ?? .empty)
    self.path = path
  }

  /// Continues to the end of the log or to the first batch that does not match.
  mutating func verify(_ database: Database) throws -> Finding? {
    let seams = try SeamRows(database)
    let rows = try Row.fetchCursor(
      database, sql: SQLiteSchema.batchesAfter, arguments: [position])
    do {
      while let row = try rows.next() {
        if let hash = try seams.hash(at: position) { runningHash = hash }
        if let finding = add(row) { return finding }
      }
    } catch let error as DatabaseError {
      var wrapped = JournalError(error, action: "reading the batch after position \(position)", path: path)
      wrapped.place.position = position
      throw wrapped
    }
    return nil
  }

  /// Continues with a batch; returns a finding when the batch does not match.
  mutating func add(_ row: Row) -> Finding? {
    guard let found = SQLiteBatchRow(row) else {
      return Finding(
        firstPosition: row.integer(0) ?? position + 1, byteOffset: nil, text: "the batch's columns cannot be read")
    }
    guard found.first == position + 1, found.last >= found.first else {
      return Finding(
        firstPosition: found.first, byteOffset: nil,
        text: "the batch holds positions \(found.first) to \(found.last) and follows position \(position)")
    }
    guard found.epoch >= epoch else {
      return Finding(
        firstPosition: found.first, byteOffset: nil,
        text: "the batch has epoch \(found.epoch), which is before \(epoch)")
    }
    guard found.payload.count == Int(found.sizeBytes) else {
      return Finding(
        firstPosition: found.first, byteOffset: min(found.payload.count, Int(clamping: found.sizeBytes)),
        text: "the batch has \(found.payload.count) bytes, but was recorded with \(found.sizeBytes)")
    }
    let expected = runningHash.appending(found.batch, epoch: found.epoch)
    guard expected == found.runningHash else {
      return Finding(
        firstPosition: found.first, byteOffset: nil,
        text: "the batch's running hash is \(expected), but was recorded as \(found.runningHash)")
    }
    (epoch, position, runningHash) = (found.epoch, found.last, expected)
    batchCount += 1
    return nil
  }
}
