import HearthJournal

/// A row of a log, with its content.
struct PostgresBatchRow {
  var batch: JournalBatch
  var epoch: Int64
  var runningHash: RunningHash
  /// The hash of the rewritten content; nil when it was not rewritten.
  var contentHash: RunningHash?
  var partCount: Int64
  var sizeBytes: Int64

  /// Reads a row of ``BatchSQL/after``, without its separate parts; nil when it is malformed.
  init?(_ found: PostgresAnswer, _ index: Int) {
    guard let first = found.integer(index, 0), let last = found.integer(index, 1), let epoch = found.integer(index, 2),
      let hash = found.integer(index, 3), let size = found.integer(index, 5), let parts = found.integer(index, 6),
      let payload = found.bytes(index, 7), first > 0, last >= first, parts >= 0
    else { return nil }
    batch = JournalBatch(firstPosition: first, lastPosition: last, payload: payload)
    (self.epoch, runningHash) = (epoch, RunningHash(stored: hash))
    contentHash = found.integer(index, 4).map { RunningHash(stored: $0) }
    (partCount, sizeBytes) = (parts, size)
  }

  /// Adds the separate parts. ``finding(after:)`` reports missing ones.
  ///
  /// - Parameter part: Reads the part of a number; nil when it is missing.
  mutating func addParts(_ part: (Int64) throws(JournalError) -> [UInt8]?) throws(JournalError) {
    guard partCount > 0, sizeBytes <= JournalLimits.batchBytesMax, sizeBytes > batch.payload.count else { return }
    batch.payload.reserveCapacity(Int(sizeBytes))
    for number in 1...partCount {
      guard let bytes = try part(number), batch.payload.count + bytes.count <= sizeBytes else { return }
      batch.payload.append(contentsOf: bytes)
    }
  }

  /// Verifies the row with its running hash, and returns a description of the deviation; nil when the row is intact.
  ///
  /// - Parameter before: The running hash before the row.
  func finding(after before: RunningHash) -> String? {
    guard batch.payload.count == sizeBytes else {
      return "the batch has \(batch.payload.count) bytes, but was recorded with \(sizeBytes)"
    }
    let written = contentHash ?? runningHash
    let expected = (contentHash == nil ? before : .empty).appending(batch, epoch: epoch)
    return expected == written ? nil : "the batch's running hash is \(expected), but was recorded as \(written)"
  }

  /// Splits a payload into pieces that fit in rows; at least one, which may be empty.
  static func pieces(of payload: [UInt8]) -> [[UInt8]] {
    guard payload.count > PostgresLimits.rowBytesMax else { return [payload] }
    return stride(from: 0, to: payload.count, by: PostgresLimits.rowBytesMax).map {
      Array(payload[$0..<min(payload.count, $0 + PostgresLimits.rowBytesMax)])
    }
  }
}
