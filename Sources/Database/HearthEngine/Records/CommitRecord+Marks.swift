extension CommitRecord {
  /// The end of one record in a payload, with the time of its decision.
  package struct Mark: Sendable, Equatable {
    /// The offset after the record.
    package var end: Int
    /// The `now` of the record's decision. For a record without a time, this is the time of the nearest record before
    /// it in the payload; nil when none before it has one.
    package var wallMilliseconds: Int64?
  }

  /// Returns the marks of one batch's records, in order, without decoding their content.
  ///
  /// - Throws: ``RecordError`` with the byte at which decoding stopped.
  package static func marks(of payload: [UInt8]) throws(RecordError) -> [Mark] {
    var marks: [Mark] = []
    var offset = 0
    do {
      try payload.withUnsafeBytes { bytes in
        while offset < bytes.count {
          let frame = try Frame(of: bytes, from: offset)
          let milliseconds = try frame.milliseconds() ?? marks.last?.wallMilliseconds
          marks.append(Mark(end: frame.end, wallMilliseconds: milliseconds))
          offset = frame.end
        }
      }
    } catch {
      throw RecordError(error, byteOffset: offset)
    }
    return marks
  }
}
