import HearthEngine
import HearthJournal

/// The rewriting of batches for the erasure of a user, including records that are stored in pieces.
///
/// At its first piece, such a record is read as a whole. What remains of it is never longer, and is divided into the
/// same number of pieces; pieces without a last piece are emptied.
struct LogErasure {
  /// The outcome for a record in pieces.
  private enum Outcome {
    /// The whole record is kept.
    case stays
    /// The record shrinks to these bytes.
    case left(ArraySlice<UInt8>)
    /// The last piece of the record is missing: the write was not made.
    case unfinished
  }

  private let erasure: RecordErasure
  private let journal: any Journal
  /// The position of the first piece of the current record in pieces.
  private var number: Int64 = 0
  /// The bytes still to be put into the current record's pieces; nil when they stay unchanged.
  private var rest: ArraySlice<UInt8>?
  /// True until the last piece of the current record was read.
  private var isOpen = false

  init(_ erasure: RecordErasure, of journal: any Journal) { (self.erasure, self.journal) = (erasure, journal) }

  /// - Throws: `JournalError`, ``RecordError``.
  mutating func rewrite(_ batch: JournalBatch) throws -> BatchRewrite {
    var own = self
    let payload = try erasure.erased(batch.payload) { index, number, bytes in
      try own.piece(at: batch.firstPosition + Int64(index), number, bytes)
    }
    self = own
    if isOpen, try isEnded(in: batch) { (rest, isOpen) = (nil, false) }
    return BatchRewrite(payload: payload, isComplete: !isOpen)
  }

  private mutating func piece(
    at position: Int64, _ number: Int64, _ bytes: ArraySlice<UInt8>
  ) throws -> [UInt8]? {
    if number == position {
      self.number = number
      switch try outcome(of: number) {
      case .stays: (rest, isOpen) = (nil, false)
      case .left(let left): (rest, isOpen) = (left, true)
      case .unfinished: (rest, isOpen) = ([], false)
      }
    }
    guard number == self.number, let rest else { return nil }
    let part = rest.prefix(bytes.count)
    self.rest = rest.dropFirst(part.count)
    return part.elementsEqual(bytes) ? nil : Array(part)
  }

  private func outcome(of number: Int64) throws -> Outcome {
    var (bytes, after): ([UInt8], Int64) = ([], number - 1)
    while true {
      let batches = try journal.batches(after: after, sizeBytesMax: JournalLimits.readBytes)
      guard let last = batches.last else { return .unfinished }
      for batch in batches {
        for (index, record) in try CommitRecord.decode(batch.payload).enumerated()
        where batch.firstPosition + Int64(index) >= number {
          switch record.content {
          case .piece(let own, let piece) where own == number: bytes += piece
          case .lastPiece(let own, _) where own == number: return try outcome(bytes)
          // Only one write in pieces runs at a time: the previous one was not made.
          case .piece, .lastPiece: return .unfinished
          case .changes, .rules, .sessions, .note, .joint: continue
          }
        }
      }
      after = last.lastPosition
    }
  }

  private func outcome(_ bytes: [UInt8]) throws -> Outcome {
    guard let record = try CommitRecord.decode(bytes).first, let erased = erasure.erased(record) else { return .stays }
    var left: [UInt8] = []
    erased.append(to: &left)
    guard left.count <= bytes.count else {
      throw RecordError("the rest of a record is longer than the record", byteOffset: 0)
    }
    return .left(left[...])
  }

  private func isEnded(in batch: JournalBatch) throws -> Bool {
    try CommitRecord.decode(batch.payload).contains { record in
      if case .lastPiece(let own, _) = record.content { own == number } else { false }
    }
  }
}
