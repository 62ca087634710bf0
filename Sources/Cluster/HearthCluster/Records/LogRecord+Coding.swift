import HearthBytes
import HearthJournal

/// The encoding of a row's payload as a sequence of frames, one for each position. The kind of a frame distinguishes
/// the engine's frames from the cluster's, so that a log reader can read both:
///
/// ```
/// frame    = length (4) kind (1) body       the length counts what follows it; numbers are little-endian
/// 1 … 5    a commit of the engine's, which begins with its time (8); 32 and 64 may be added to the kind, and
///            to 1 inside of 7 and 8 also 128
/// 6        a note, which changes no data
/// 7        the outcome of a request: origin, then frames of the engine's up to the end, or none
/// 8        the end of a session: session (8), then frames of the engine's up to the end, or none
/// origin   = session (8) request (8) answered (8)
/// note     = 1 incarnation                  a takeover
///          | 2 node                         a handoff
///          | 3 session (8) incarnation ordinal (8)
///                                           a session begins
///          | 7 incarnation                  a node's run is over
///          | 8                              nothing
/// incarnation = node number (8)
/// node     = length (1) name
/// ```
///
/// Example: the run 9 of the node `a` takes over, and the request 2 of its session 5, whose opening was answered, led
/// to an engine commit of kind 1, at the millisecond 3, without a change.
///
/// ```
/// 0c 00 00 00  06              12 bytes follow: a note
///   01                           a takeover
///   01 61                        "a"
///   09 00 00 00 00 00 00 00      its run
/// 27 00 00 00  07              39 bytes follow: what a request came to
///   05 00 00 00 00 00 00 00      the session
///   02 00 00 00 00 00 00 00      the request
///   01 00 00 00 00 00 00 00      all up to this one have an answer
///   0a 00 00 00  01              10 bytes follow: places that were replaced
///     03 00 00 00 00 00 00 00      the time
///     00                           no places
/// ```
extension LogRecord {
  private static let noteKind: UInt8 = 6
  private static let writeKind: UInt8 = 7
  private static let disconnectKind: UInt8 = 8
  /// The flags that the engine adds to its kinds.
  private static let engineFlags: UInt8 = 64 | 32
  /// The flag that the engine adds to its first kind only, inside the outcome of a request.
  private static let updateFlag: UInt8 = 128
  private static let engineKinds: ClosedRange<UInt8> = 1...5
  /// The size of the kind and the time that each engine frame has.
  private static let engineBytesMin = 9

  /// Returns the payload of a row.
  package static func encode(_ records: [LogRecord]) -> [UInt8] {
    var writer = ByteWriter(reserving: records.reduce(0) { $0 + $1.sizeBytes + 8 })
    for record in records {
      if case .plain(let frame) = record {
        writer.raw(frame)
      } else {
        let start = writer.beginSized()
        record.append(to: &writer)
        writer.endSized(start)
      }
    }
    return writer.bytes
  }

  /// Returns the records of a row, one for each of its positions.
  ///
  /// - Throws: ``MalformedBytes`` for other bytes, including an unknown kind: a node that does not understand a record
  ///   must not continue.
  package static func decode(_ batch: JournalBatch) throws(MalformedBytes) -> [LogRecord] {
    var reader = ByteReader(batch.payload[...])
    var records: [LogRecord] = []
    while reader.remaining > 0 {
      guard records.count < ClusterLimits.readRecordsMax else { throw MalformedBytes("too many records") }
      records.append(try LogRecord(frame: try reader.frame()))
    }
    let (count, isOver) = batch.lastPosition.subtractingReportingOverflow(batch.firstPosition)
    guard !isOver, count == Int64(records.count) - 1 else {
      throw MalformedBytes("\(records.count) records do not match the number of positions")
    }
    return records
  }

  /// Returns true when the bytes are a sequence of engine frames, or empty.
  package static func isContent(_ bytes: [UInt8]) -> Bool {
    do throws(MalformedBytes) {
      try checkContent(bytes[...])
      return true
    } catch {
      return false
    }
  }

  /// The size of the record in a row, exact, or a few bytes too low.
  package var sizeBytes: Int {
    switch self {
    case .plain(let frame): frame.count
    case .write(_, let content), .disconnect(_, let content): content.count + 32
    default: 96
    }
  }

  /// Writes the record without its length; nothing for an engine frame.
  private func append(to writer: inout ByteWriter) {
    func note(_ kind: UInt8) {
      writer.number(Self.noteKind)
      writer.number(kind)
    }
    switch self {
    case .plain: break
    case .takeover(let incarnation):
      note(1)
      writer.incarnation(incarnation)
    case .handoff(let node):
      note(2)
      writer.node(node)
    case .open(let session, let edge, let ordinal):
      note(3)
      writer.number(session.rawValue)
      writer.incarnation(edge)
      writer.number(ordinal)
    case .write(let origin, let content):
      writer.number(Self.writeKind)
      writer.origin(origin)
      writer.raw(content)
    case .disconnect(let session, let content):
      writer.number(Self.disconnectKind)
      writer.number(session.rawValue)
      writer.raw(content)
    case .ended(let incarnation):
      note(7)
      writer.incarnation(incarnation)
    case .noop: note(8)
    }
  }

  private init(frame: ArraySlice<UInt8>) throws(MalformedBytes) {
    var reader = ByteReader(frame)
    _ = try reader.number(UInt32.self)
    switch try reader.number(UInt8.self) {
    case Self.noteKind:
      self = try reader.note()
      try reader.end()
    case Self.writeKind:
      let origin = try reader.origin()
      self = .write(origin, content: try Self.content(&reader))
    case Self.disconnectKind:
      let session = SessionID(rawValue: try reader.number())
      self = .disconnect(session, content: try Self.content(&reader))
    default:
      try Self.checkEngineFrame(frame)
      self = .plain(Array(frame))
    }
  }

  private static func content(_ reader: inout ByteReader) throws(MalformedBytes) -> [UInt8] {
    let content = try reader.raw(reader.remaining)
    try checkContent(content[...])
    return content
  }

  private static func checkContent(_ bytes: ArraySlice<UInt8>) throws(MalformedBytes) {
    var reader = ByteReader(bytes)
    while reader.remaining > 0 { try checkEngineFrame(try reader.frame(), isInner: true) }
  }

  private static func checkEngineFrame(
    _ frame: ArraySlice<UInt8>, isInner: Bool = false
  ) throws(MalformedBytes) {
    var reader = ByteReader(frame)
    let length = try reader.number(UInt32.self)
    let kind = try reader.number(UInt8.self)
    let plain = kind & ~engineFlags
    guard engineKinds.contains(plain) || isInner && plain == updateFlag | engineKinds.lowerBound else {
      throw MalformedBytes("unknown kind \(kind) of record")
    }
    guard Int(length) >= engineBytesMin else { throw MalformedBytes("a commit without a time") }
  }
}

extension ByteWriter {
  mutating func origin(_ origin: Origin) {
    number(origin.session.rawValue)
    number(origin.request)
    number(origin.answered)
  }
}

extension ByteReader {
  mutating func origin() throws(MalformedBytes) -> Origin {
    Origin(session: SessionID(rawValue: try number()), request: try number(), answered: try number())
  }

  fileprivate mutating func note() throws(MalformedBytes) -> LogRecord {
    switch try number(UInt8.self) {
    case 1: .takeover(try incarnation())
    case 2: .handoff(to: try node())
    case 3: .open(SessionID(rawValue: try number()), edge: try incarnation(), ordinal: try number())
    case 7: .ended(try incarnation())
    case 8: .noop
    case let kind: throw MalformedBytes("unknown kind \(kind) of note")
    }
  }
}
