extension CommitRecord {
  /// Where one record of a payload ends, and when it was decided.
  package struct Mark: Sendable, Equatable {
    /// The byte behind it.
    package var end: Int
    /// The `now` of its decision. A record without a time has that of the one before it in the payload; nil where there is
    /// none with a time before it.
    package var wallMilliseconds: Int64?
  }

  /// The marks of one batch's records, in order, without reading what they did.
  ///
  /// - Throws: ``RecordError`` with the byte where reading stopped.
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
