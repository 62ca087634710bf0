import HearthJournal

/// Which request of which session a record comes of: what makes a request that was sent again recognisable.
package struct Origin: Sendable, Hashable {
  /// The session.
  package var session: SessionID
  /// Numbers of a session's requests rise from 1.
  package var request: UInt64
  /// All requests up to this one had an answer when this one was sent: nobody will ask for their outcomes again.
  package var answered: UInt64

  /// A request of a session.
  package init(session: SessionID, request: UInt64, answered: UInt64) {
    self.session = session
    self.request = request
    self.answered = answered
  }

  /// Whether no more is to be remembered of the session than a node asks at a time.
  var isWithinLimit: Bool {
    request > answered && request - answered <= UInt64(ClusterLimits.sessionRequestsMax)
  }
}

/// One position of the log, as far as the cluster reads it: what the engine wrote is bytes that it passes on.
package enum LogRecord: Sendable, Equatable {
  /// The first record of every epoch. Its owner serves nobody before this is durable: whatever an earlier owner sent
  /// either came before it, and was read, or is refused because its place is taken.
  case takeover(Incarnation)
  /// The last record of an epoch whose owner gives the database to another node.
  case handoff(to: NodeID)
  /// A session begins. Writes of sessions that did not begin, or have ended, are not applied.
  case open(SessionID, edge: Incarnation, ordinal: UInt64)
  /// A commit, in the engine's form, all its server values resolved.
  case write(Origin, content: [UInt8])
  /// What is to be written at a place when the session ends; nil takes it back.
  case onDisconnect(Origin, place: [UInt8], content: [UInt8]?)
  /// A session ends, and its on-disconnect writes, in the engine's form, are made with it.
  case disconnect(SessionID, content: [UInt8])
  /// A node's run is over: none of its sessions begins any more.
  case ended(Incarnation)
  /// Nothing: an owner whose lease had a gap learns from it whether it still is the owner.
  case noop
}

extension LogRecord {
  /// Records in the bytes of a row's payload:
  ///
  /// ```
  /// record = length (4) kind (1) fields      numbers are little-endian, bytes come behind their length (4)
  /// 1 takeover      incarnation              incarnation = length (1) name number (8)
  /// 2 handoff       length (1) name
  /// 3 open          session (8) incarnation ordinal (8)
  /// 4 write         origin content           origin = session (8) request (8) answered (8)
  /// 5 onDisconnect  origin place 0 | 1 content
  /// 6 disconnect    session (8) content
  /// 7 ended         incarnation
  /// 8 noop
  /// ```
  package static func encode(_ records: [LogRecord]) -> [UInt8] {
    var writer = ByteWriter()
    for record in records { writer.sized(record.encoded) }
    return writer.bytes
  }

  /// The records of a row, one for each of its positions.
  ///
  /// - Throws: ``MalformedBytes`` for anything else, an unknown kind included: a node that does not know what it would
  ///   apply must not go on.
  package static func decode(_ batch: JournalBatch) throws(MalformedBytes) -> [LogRecord] {
    var reader = ByteReader(batch.payload[...])
    var records: [LogRecord] = []
    while reader.remaining > 0 {
      guard records.count < ClusterLimits.rowRecordsMax else { throw MalformedBytes("too many records") }
      records.append(try LogRecord(encoded: try reader.sized()))
    }
    let (count, isOver) = batch.lastPosition.subtractingReportingOverflow(batch.firstPosition)
    guard !isOver, count == Int64(records.count) - 1 else {
      throw MalformedBytes("\(records.count) records in another number of positions")
    }
    return records
  }

  /// What the record takes in a row, at most a few bytes less.
  package var sizeBytes: Int {
    switch self {
    case .write(_, let content), .disconnect(_, let content): content.count + 40
    case .onDisconnect(_, let place, let content): place.count + (content?.count ?? 0) + 40
    default: 96
    }
  }

  private var encoded: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .takeover(let incarnation):
      writer.number(1 as UInt8)
      writer.incarnation(incarnation)
    case .handoff(let node):
      writer.number(2 as UInt8)
      writer.node(node)
    case .open(let session, let edge, let ordinal):
      writer.number(3 as UInt8)
      writer.number(session.rawValue)
      writer.incarnation(edge)
      writer.number(ordinal)
    case .write(let origin, let content):
      writer.number(4 as UInt8)
      writer.origin(origin)
      writer.sized(content)
    case .onDisconnect(let origin, let place, let content):
      writer.number(5 as UInt8)
      writer.origin(origin)
      writer.sized(place)
      writer.number(content == nil ? 0 : 1 as UInt8)
      if let content { writer.sized(content) }
    case .disconnect(let session, let content):
      writer.number(6 as UInt8)
      writer.number(session.rawValue)
      writer.sized(content)
    case .ended(let incarnation):
      writer.number(7 as UInt8)
      writer.incarnation(incarnation)
    case .noop: writer.number(8 as UInt8)
    }
    return writer.bytes
  }

  private init(encoded: [UInt8]) throws(MalformedBytes) {
    var reader = ByteReader(encoded[...])
    switch try reader.number(UInt8.self) {
    case 1: self = .takeover(try reader.incarnation())
    case 2: self = .handoff(to: try reader.node())
    case 3:
      self = .open(
        SessionID(rawValue: try reader.number()), edge: try reader.incarnation(), ordinal: try reader.number())
    case 4: self = .write(try reader.origin(), content: try reader.sized())
    case 5:
      self = .onDisconnect(
        try reader.origin(), place: try reader.sized(), content: try reader.flag() ? try reader.sized() : nil)
    case 6: self = .disconnect(SessionID(rawValue: try reader.number()), content: try reader.sized())
    case 7: self = .ended(try reader.incarnation())
    case 8: self = .noop
    case let kind: throw MalformedBytes("a record of the unknown kind \(kind)")
    }
    try reader.end()
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

  mutating func flag() throws(MalformedBytes) -> Bool {
    switch try number(UInt8.self) {
    case 0: false
    case 1: true
    default: throw MalformedBytes("neither yes nor no")
    }
  }
}

extension LogRow {
  /// The row that puts records behind a head.
  package init(_ records: [LogRecord], after head: JournalHead, epoch: Int64) {
    let batch = JournalBatch(
      firstPosition: head.position + 1, lastPosition: head.position + Int64(records.count),
      payload: LogRecord.encode(records))
    self.init(epoch: epoch, batch: batch, hash: head.runningHash.appending(batch, epoch: epoch))
  }
}
