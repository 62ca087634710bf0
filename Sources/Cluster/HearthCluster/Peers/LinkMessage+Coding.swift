import HearthBytes
import HearthJournal

/// The encoding of messages between nodes:
///
/// ```
/// message = length (4) kind (1) fields     numbers are little-endian, lists and bytes follow their count (4)
///  1 hello            "HRTH" oldest (2) newest (2) cluster (8) length (1) name incarnation (8)
/// 12 heartbeat
/// 13 question         number (8) content
/// 14 reply            number (8) outcome (1) fields
///                     0 content  1 noHandler  2 crowded  3 failed  4 noRoom
/// all others begin with the database (4):
///  2 pulse            stamp (8)
///  3 beat             epoch (8) head stamp (8)                head = epoch (8) position (8) running hash (8)
///  4 commits          epoch (8) first (8) last (8) running hash (8) payload
///  5 request          epoch (8) session (8) request (8) answered (8) kind (1) fields
///                     1 open ordinal (8) answered (8)  2 write content  3 get content  4 close
///  6 answer           epoch (8) session (8) request (8) outcome (1) fields
///                     1 applied position (8) reply  2 refused reply  3 value content position (8)  4 noSession
///                     5 notOwner  6 refused position (8) reply
///  7 announce         epoch (8) sessions (8 each)
///  8 unknownSessions  epoch (8) sessions (8 each)
///  9 handoff          epoch (8)
/// ```
///
/// In version 1 a refusal has no position (outcome 2); since version 2 it has one (outcome 6).
extension LinkMessage {
  private static let magic: UInt32 = 0x4854_5248

  /// Returns the encoded message with its length.
  ///
  /// - Parameter version: A version that both sides support. The hello is the same in all versions.
  package func encoded(in version: UInt16) -> [UInt8] {
    var body = ByteWriter()
    let start = body.beginSized()
    switch self {
    case .hello(let hello):
      body.number(1 as UInt8)
      body.number(Self.magic)
      body.number(hello.oldestVersion)
      body.number(hello.newestVersion)
      body.number(hello.cluster)
      body.incarnation(hello.incarnation)
    case .heartbeat: body.number(12 as UInt8)
    case .database(let database, let message): body.message(message, of: database, in: version)
    case .question(let number, let content):
      body.number(13 as UInt8)
      body.question(number, content)
    case .reply(let number, let reply):
      body.number(14 as UInt8)
      body.reply(number, reply)
    }
    body.endSized(start)
    return body.bytes
  }

  /// Reads a message, without its length.
  ///
  /// - Throws: ``MalformedBytes``, after which the connection is to be closed.
  package init(encoded: ArraySlice<UInt8>) throws(MalformedBytes) {
    var reader = ByteReader(encoded)
    let kind = try reader.number(UInt8.self)
    if kind == 1 {
      guard try reader.number(UInt32.self) == Self.magic else { throw MalformedBytes("not a cluster protocol") }
      let (oldest, newest) = (try reader.number(UInt16.self), try reader.number(UInt16.self))
      guard oldest <= newest else { throw MalformedBytes("an invalid range of versions") }
      self = .hello(
        Hello(versions: oldest...newest, cluster: try reader.number(), incarnation: try reader.incarnation()))
    } else if kind == 12 {
      self = .heartbeat
    } else if kind == 13 {
      self = .question(number: try reader.number(), try reader.sized())
    } else if kind == 14 {
      self = .reply(number: try reader.number(), try reader.reply())
    } else {
      let database = DatabaseID(rawValue: try reader.number())
      self = .database(database, try reader.message(kind: kind))
    }
    try reader.end()
  }
}

extension ByteWriter {
  fileprivate mutating func message(_ message: PeerMessage, of database: DatabaseID, in version: UInt16) {
    func begin(_ kind: UInt8) {
      number(kind)
      number(database.rawValue)
    }
    switch message {
    case .pulse(let stamp):
      begin(2)
      number(stamp.milliseconds)
    case .beat(let epoch, let head, let stamp):
      begin(3)
      number(epoch)
      number(head.epoch)
      number(head.position)
      number(head.runningHash.rawValue)
      number(stamp.milliseconds)
    case .commits(let row):
      begin(4)
      number(row.epoch)
      number(row.batch.firstPosition)
      number(row.batch.lastPosition)
      number(row.hash.rawValue)
      sized(row.batch.payload)
    case .request(let epoch, let request):
      begin(5)
      number(epoch)
      origin(request.origin)
      kind(request.kind)
    case .answer(let epoch, let session, let request, let outcome):
      begin(6)
      number(epoch)
      number(session.rawValue)
      number(request)
      self.outcome(outcome, in: version)
    case .announce(let epoch, let sessions):
      begin(7)
      number(epoch)
      self.sessions(sessions)
    case .unknownSessions(let epoch, let sessions):
      begin(8)
      number(epoch)
      self.sessions(sessions)
    case .handoff(let epoch):
      begin(9)
      number(epoch)
    }
  }

  private mutating func sessions(_ sessions: [SessionID]) {
    number(UInt32(clamping: sessions.count))
    for session in sessions { number(session.rawValue) }
  }

  private mutating func kind(_ kind: ForwardedRequest.Kind) {
    switch kind {
    case .open(let ordinal, let answered):
      number(1 as UInt8)
      number(ordinal)
      number(answered)
    case .write(let content):
      number(2 as UInt8)
      sized(content.bytes)
    case .get(let content):
      number(3 as UInt8)
      sized(content)
    case .close: number(4 as UInt8)
    }
  }

  private mutating func outcome(_ outcome: RequestOutcome, in version: UInt16) {
    switch outcome {
    case .applied(let position, let reply):
      number(1 as UInt8)
      number(position)
      sized(reply.bytes)
    case .refused(_, let reply) where version < 2:
      number(2 as UInt8)
      sized(reply.bytes)
    case .refused(let position, let reply):
      number(6 as UInt8)
      number(position)
      sized(reply.bytes)
    case .value(let content, let position):
      number(3 as UInt8)
      sized(content)
      number(position)
    case .noSession: number(4 as UInt8)
    // The outcome `overloaded` is reported by the client's own node and never sent.
    case .notOwner, .overloaded: number(5 as UInt8)
    }
  }
}

extension ByteReader {
  fileprivate mutating func message(kind: UInt8) throws(MalformedBytes) -> PeerMessage {
    switch kind {
    case 2: .pulse(stamp: try instant())
    case 3:
      .beat(
        epoch: try count(), head: JournalHead(epoch: try count(), position: try count(), runningHash: try hash()),
        stamp: try instant())
    case 4: .commits(try row())
    case 5: .request(epoch: try count(), ForwardedRequest(try origin(), try requestKind()))
    case 6:
      .answer(
        epoch: try count(), SessionID(rawValue: try number()), request: try number(), try outcome())
    case 7: .announce(epoch: try count(), try sessions())
    case 8: .unknownSessions(epoch: try count(), try sessions())
    case 9: .handoff(epoch: try count())
    default: throw MalformedBytes("unknown kind \(kind) of message")
    }
  }

  private mutating func instant() throws(MalformedBytes) -> MonotonicInstant {
    MonotonicInstant(milliseconds: try number())
  }

  private mutating func hash() throws(MalformedBytes) -> RunningHash { RunningHash(rawValue: try number()) }

  /// Returns an epoch or a position, which is at least 0 and leaves room for the next one.
  private mutating func count() throws(MalformedBytes) -> Int64 {
    let number = try number(Int64.self)
    guard (0..<Int64.max).contains(number) else { throw MalformedBytes("invalid position or epoch \(number)") }
    return number
  }

  private mutating func row() throws(MalformedBytes) -> LogRow {
    let (epoch, first, last) = (try count(), try count(), try count())
    guard first > 0, first <= last else { throw MalformedBytes("invalid positions \(first) to \(last)") }
    let hash = try hash()
    let batch = JournalBatch(firstPosition: first, lastPosition: last, payload: try sized())
    return LogRow(epoch: epoch, batch: batch, hash: hash)
  }

  private mutating func sessions() throws(MalformedBytes) -> [SessionID] {
    var sessions: [SessionID] = []
    for _ in 0..<(try count(max: ClusterLimits.announcedSessionsMax, of: 8)) {
      sessions.append(SessionID(rawValue: try number()))
    }
    return sessions
  }

  private mutating func requestKind() throws(MalformedBytes) -> ForwardedRequest.Kind {
    switch try number(UInt8.self) {
    case 1: .open(ordinal: try number(), answered: try number())
    case 2: .write(.encoded(try sized()))
    case 3: .get(try sized())
    case 4: .close
    case let kind: throw MalformedBytes("unknown kind \(kind) of request")
    }
  }

  private mutating func outcome() throws(MalformedBytes) -> RequestOutcome {
    switch try number(UInt8.self) {
    case 1: .applied(position: try count(), reply: .encoded(try sized()))
    case 2: .refused(position: 0, reply: .encoded(try sized()))
    case 3: .value(try sized(), position: try count())
    case 4: .noSession
    case 5: .notOwner
    case 6: .refused(position: try count(), reply: .encoded(try sized()))
    case let kind: throw MalformedBytes("unknown kind \(kind) of outcome")
    }
  }
}
