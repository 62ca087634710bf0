import HearthJournal

extension BackupRepository {
  /// Returns the ids of the pieces of a stream, in order, and of the pieces that contain lists of these IDs.
  ///
  /// - Throws: `.damaged` when a list is invalid.
  func names(of stream: StreamReference) throws(BackupError) -> (pieces: [BlobID], lists: [BlobID]) {
    guard stream.isListed else { return (stream.names, []) }
    var pieces: [BlobID] = []
    for list in stream.names {
      let bytes = try piece(list)
      // All pieces but the last have the minimum size, so that a list with too many names is rejected early.
      let countMax = stream.sizeBytes / BackupLimits.pieceBytesMin + 1
      guard bytes.count.isMultiple(of: BlobID.sizeBytes), pieces.count + bytes.count / BlobID.sizeBytes <= countMax
      else {
        throw BackupError(
          .damaged, "a list of parts has an invalid size of \(bytes.count) bytes")
      }
      for start in stride(from: 0, to: bytes.count, by: BlobID.sizeBytes) {
        if let id = BlobID(bytes: bytes[start..<start + BlobID.sizeBytes]) { pieces.append(id) }
      }
    }
    return (pieces, stream.names)
  }

  /// Reads a stream, one piece in memory at a time.
  ///
  /// - Parameter body: Receives each piece; returns false to stop.
  /// - Throws: `.damaged`, or the error of `body`.
  func read(_ stream: StreamReference, _ body: ([UInt8]) throws -> Bool) throws {
    var sizeBytes = 0
    for id in try names(of: stream).pieces {
      let piece = try piece(id)
      sizeBytes += piece.count
      guard try body(piece) else { return }
    }
    guard sizeBytes == stream.sizeBytes else {
      throw BackupError(.damaged, "a stream has \(sizeBytes) bytes instead of \(stream.sizeBytes)")
    }
  }

  /// Reads the batches of a segment, with their epochs and running hashes.
  ///
  /// - Parameter body: Receives each batch; returns false to stop.
  func links(of segment: Manifest.Segment, _ body: (JournalLink) throws -> Bool) throws {
    var decoder = SegmentDecoder()
    var isStopped = false
    try read(segment.stream) { piece in
      isStopped = try !decoder.take(piece, body)
      return !isStopped
    }
    guard isStopped || decoder.isAtEnd else { throw BackupError(.damaged, "a segment ends in the middle of a batch") }
  }
}
