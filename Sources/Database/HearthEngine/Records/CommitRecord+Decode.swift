import HearthTree

extension CommitRecord {
  /// Decodes the records of one batch's payload.
  ///
  /// - Throws: ``RecordError`` with the byte at which decoding stopped.
  public static func decode(_ payload: [UInt8]) throws(RecordError) -> [CommitRecord] {
    var offset = 0
    do {
      return try payload.withUnsafeBytes { bytes in
        var records: [CommitRecord] = []
        while offset < bytes.count {
          let (record, end) = try decode(bytes, from: offset)
          records.append(record)
          offset = end
        }
        return records
      }
    } catch {
      throw RecordError(error, byteOffset: offset)
    }
  }

  static func decode(_ bytes: UnsafeRawBufferPointer, from start: Int) throws -> (CommitRecord, end: Int) {
    var frame = try Frame(of: bytes, from: start)
    if frame.isClusterRecord { return (try frame.record { try decode(bytes, from: $0) }, frame.end) }
    let head = try Head(&frame)
    var body = frame.body
    let content: Content
    switch head.kind {
    case changesKind: content = .changes(try changes(&body))
    case sessionsKind: content = .sessions(try changes(&body))
    default: content = try other(head.kind, &body)
    }
    guard body.isAtEnd else { throw RecordError.Problem("\(body.remaining) bytes are left over") }
    return (head.record(content), frame.end)
  }

  /// The bytes of one record.
  struct Frame {
    /// The kind with all its flags.
    let kind: UInt8
    /// The bytes after the kind.
    var body: ByteCursor
    /// The offset of the next record.
    let end: Int

    /// Creates the frame of the record at an offset.
    init(of bytes: UnsafeRawBufferPointer, from start: Int) throws {
      var cursor = ByteCursor(bytes, offset: start)
      let length = Int(try cursor.littleEndian(byteCount: 4))
      end = cursor.offset + length
      guard end <= bytes.count else { throw ByteCursor.EndOfBytes() }
      body = ByteCursor(UnsafeRawBufferPointer(rebasing: bytes[..<end]), offset: cursor.offset)
      kind = try body.byte()
    }
  }

  /// The fields at the beginning of every record except cluster records.
  struct Head {
    /// The kind without flags.
    var kind: UInt8
    var wallMilliseconds: Int64
    var author: CommitAuthor?
    var grant: CommitGrant?
    /// See ``CommitRecord/mergeDepth``.
    var mergeDepth: Int?

    /// Decodes the head, after which the frame's body is the record's own bytes.
    init(_ frame: inout Frame) throws {
      kind = frame.kind & ~(authorFlag | grantFlag | mergeFlag)
      wallMilliseconds = Int64(bitPattern: try frame.body.littleEndian(byteCount: 8))
      author = frame.kind & authorFlag == 0 ? nil : try CommitAuthor(&frame.body)
      grant = frame.kind & grantFlag == 0 ? nil : try CommitGrant(&frame.body)
      guard frame.kind & mergeFlag != 0 else { return }
      guard kind == changesKind else { throw RecordError.Problem("unknown kind \(kind) of merge") }
      mergeDepth = Int(try frame.body.byte())
    }

    func record(_ content: Content) -> CommitRecord {
      CommitRecord(
        wallMilliseconds: wallMilliseconds, author: author, grant: grant, mergeDepth: mergeDepth, content: content)
    }
  }

  /// Decodes the content of a record of the other kinds: a rule set, or a piece of a record that was split.
  static func other(_ kind: UInt8, _ body: inout ByteCursor) throws -> Content {
    switch kind {
    case rulesKind: return .rules(String(decoding: try body.raw(byteCount: body.remaining), as: UTF8.self))
    case pieceKind:
      let number = Int64(bitPattern: try body.littleEndian(byteCount: 8))
      return .piece(number: number, bytes: Array(try body.raw(byteCount: body.remaining))[...])
    case lastPieceKind:
      let number = Int64(bitPattern: try body.littleEndian(byteCount: 8))
      return .lastPiece(number: number, count: UInt32(truncatingIfNeeded: try body.littleEndian(byteCount: 4)))
    default: throw RecordError.Problem("unknown kind \(kind); the record may come from a newer version")
    }
  }

  private static func changes(_ cursor: inout ByteCursor) throws -> [(location: Location, node: Node)] {
    let count = try cursor.varint()
    var changes: [(location: Location, node: Node)] = []
    for _ in 0..<count {
      let location = try location(&cursor)
      changes.append((location, try node(&cursor)))
    }
    return changes
  }

  /// Decodes a complete value.
  static func node(_ cursor: inout ByteCursor) throws -> Node {
    if let leaf = try NodeDecoder.leaf(&cursor) { return leaf }
    var decoder = NodeDecoder()
    guard let node = try decoder.decode(&cursor) else { throw ByteCursor.EndOfBytes() }
    return node
  }

  private static func location(_ cursor: inout ByteCursor) throws -> Location {
    let head = try cursor.byte()
    var keys: [Key] = []
    for _ in 0..<(head & 0x7F) { keys.append(Key(try cursor.text())) }
    return Location(path: Path(keys), isPriority: head & 0x80 != 0)
  }
}

/// An error for stored bytes that are not valid records although they passed the journal's checks. Two errors are equal
/// when their offsets are equal.
public struct RecordError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A description for the operator.
  public var message: String
  /// The offset of the unreadable record in its payload, or in its snapshot chunk.
  public var byteOffset: Int
  /// The first position of the batch; nil in a snapshot, or when it is unknown.
  public var position: Int64?

  /// Creates an error at an offset of a payload or a snapshot.
  package init(_ message: String, byteOffset: Int, position: Int64? = nil) {
    self.message = message
    self.byteOffset = byteOffset
    self.position = position
  }

  /// Creates an error from the one that ended decoding: a ``Problem``, the end of the bytes, or an error of a record
  /// within another.
  init(_ error: any Error, byteOffset: Int) {
    if let error = error as? RecordError {
      self = error
    } else {
      self.init((error as? Problem)?.message ?? "it ends too early", byteOffset: byteOffset)
    }
  }

  /// An error in the encoded bytes. Its callers add the position in the journal, in a ``RecordError``.
  package struct Problem: Error {
    /// A description for the operator.
    package var message: String
    /// Creates a problem from a description.
    package init(_ message: String) { self.message = message }
  }

  public static func == (a: RecordError, b: RecordError) -> Bool {
    a.byteOffset == b.byteOffset && a.position == b.position
  }

  public var description: String {
    let place = position.map { "the batch that begins at position \($0)" } ?? "the snapshot"
    return "a record of \(place) cannot be read at byte \(byteOffset): \(message)"
  }
}
