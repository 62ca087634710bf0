/// Records without a time of their own: notes and joint records.
extension CommitRecord {
  /// The records to apply at the record's position, in order: the nested ones of a joint record, none for a note, and
  /// otherwise the record itself.
  package var parts: [CommitRecord] {
    switch content {
    case .joint(let records, _): records
    case .note: []
    case .changes, .rules, .sessions, .piece, .lastPiece: [self]
    }
  }

  /// The `now` of the decision; nil for a note or an empty joint record.
  package var ownMilliseconds: Int64? { parts.first?.wallMilliseconds }
}

extension CommitRecord.JointCause {
  /// Appends the encoding of the cause, which precedes the nested records.
  func append(to bytes: inout [UInt8]) {
    switch self {
    case .request(let session, let request, let answered):
      bytes.append(CommitRecord.requestKind)
      for number in [session, request, answered] { bytes.append(littleEndian: number) }
    case .end(let session):
      bytes.append(CommitRecord.endKind)
      bytes.append(littleEndian: session)
    }
  }
}

extension CommitRecord.Frame {
  /// True for the kinds of record that only servers with a shared log write: notes and joint records.
  var isClusterRecord: Bool { (CommitRecord.noteKind...CommitRecord.endKind).contains(kind) }

  /// Decodes a note or a joint record.
  ///
  /// - Parameter read: Decodes the nested record at an offset, and returns the offset of the next one.
  /// - Throws: ``RecordError`` with the offset of an unreadable nested record, and other errors of decoding.
  func record(_ read: (_ start: Int) throws -> (CommitRecord, end: Int)) throws -> CommitRecord {
    var body = body
    if kind == CommitRecord.noteKind {
      return CommitRecord(wallMilliseconds: 0, content: .note(Array(try body.raw(byteCount: body.remaining))))
    }
    let cause = try cause(&body)
    var (records, offset): ([CommitRecord], Int) = ([], body.offset)
    while offset < end {
      do {
        try requireInner(at: offset)
        let (record, next) = try read(offset)
        guard next <= end else { throw ByteCursor.EndOfBytes() }
        records.append(record)
        offset = next
      } catch {
        throw RecordError(error, byteOffset: offset)
      }
    }
    return CommitRecord(
      wallMilliseconds: records.first?.wallMilliseconds ?? 0, content: .joint(records, of: cause))
  }

  /// Returns the time of the record, or of its first nested one; nil when it has none. Nothing else is decoded.
  func milliseconds() throws -> Int64? {
    var body = body
    if isClusterRecord {
      guard kind != CommitRecord.noteKind else { return nil }
      _ = try cause(&body)
      guard !body.isAtEnd else { return nil }
      try requireInner(at: body.offset)
      body = try CommitRecord.Frame(of: self.body.bytes, from: body.offset).body
    }
    return Int64(bitPattern: try body.littleEndian(byteCount: 8))
  }

  private func cause(_ body: inout ByteCursor) throws -> CommitRecord.JointCause {
    let session = try body.littleEndian(byteCount: 8)
    guard kind == CommitRecord.requestKind else { return .end(session: session) }
    return .request(
      session: session, request: try body.littleEndian(byteCount: 8), answered: try body.littleEndian(byteCount: 8))
  }

  /// Checks that a nested record is complete, and not joint itself.
  private func requireInner(at offset: Int) throws {
    let inner = try CommitRecord.Frame(of: body.bytes, from: offset)
    switch inner.kind & ~(CommitRecord.authorFlag | CommitRecord.grantFlag | CommitRecord.mergeFlag) {
    case CommitRecord.changesKind, CommitRecord.rulesKind, CommitRecord.sessionsKind: break
    case let kind: throw RecordError.Problem("a record of kind \(kind) inside another one")
    }
  }
}
