extension CommitRecord {
  /// Where one record of a payload ends, and when it was decided.
  package struct Mark: Sendable, Equatable {
    /// The byte behind it.
    package var end: Int
    /// The `now` of its decision.
    package var wallMilliseconds: Int64
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
          var cursor = ByteCursor(bytes, offset: offset)
          let length = Int(try cursor.littleEndian(byteCount: 4))
          let end = cursor.offset + length
          guard length >= headerBytes - 4, end <= bytes.count else { throw ByteCursor.EndOfBytes() }
          _ = try cursor.byte()
          marks.append(Mark(end: end, wallMilliseconds: Int64(bitPattern: try cursor.littleEndian(byteCount: 8))))
          offset = end
        }
      }
    } catch {
      throw RecordError(error, byteOffset: offset)
    }
    return marks
  }
}
