import HearthBytes
import HearthJournal

/// The format of a sequence of a journal's batches as a stream. A batch (integers little-endian):
///
///     0   first position, 8 bytes
///     8   last position, 8 bytes
///     16  the owner's epoch, 8 bytes
///     24  the running hash after it, 8 bytes
///     32  size of the payload, 8 bytes
///     40  the payload: the records of its commits
///
/// The next batch follows immediately, so that concatenated segments form a segment.
enum SegmentFormat {
  static let headerBytes = 40

  static func encode(_ link: JournalLink) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(headerBytes + link.batch.payload.count)
    bytes.append(number: link.batch.firstPosition)
    bytes.append(number: link.batch.lastPosition)
    bytes.append(number: link.epoch)
    bytes.append(number: link.runningHash.rawValue)
    bytes.append(number: UInt64(link.batch.payload.count))
    bytes += link.batch.payload
    return bytes
  }
}

/// The decoder of batches from a segment's pieces.
struct SegmentDecoder {
  private var rest: [UInt8] = []

  /// Decodes the next piece.
  ///
  /// - Parameter body: Receives each complete batch; returns false to stop.
  /// - Returns: False when `body` returned false.
  /// - Throws: `.damaged` for bytes that are not a batch.
  mutating func take(_ piece: [UInt8], _ body: (JournalLink) throws -> Bool) throws -> Bool {
    if rest.isEmpty { rest = piece } else { rest += piece }
    var start = 0
    defer { rest.removeSubrange(..<start) }
    while true {
      var reader = ByteReader(rest[start...])
      guard let first = try? reader.number(Int64.self), let last = try? reader.number(Int64.self),
        let epoch = try? reader.number(Int64.self), let hash = try? reader.number(UInt64.self),
        let count = try? reader.number(UInt64.self)
      else { return true }
      guard count <= UInt64(JournalLimits.batchBytesMax), first > 0, last >= first else {
        throw BackupError(.damaged, "a segment of a log contains data that is not a batch")
      }
      guard let payload = try? reader.slice(Int(count)) else { return true }
      start += reader.offset
      let link = JournalLink(
        batch: JournalBatch(firstPosition: first, lastPosition: last, payload: Array(payload)), epoch: epoch,
        runningHash: RunningHash(rawValue: hash))
      guard try body(link) else { return false }
    }
  }

  /// True when the decoded bytes end with a complete batch.
  var isAtEnd: Bool { rest.isEmpty }
}
