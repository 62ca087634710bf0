import HearthBytes

/// The encoding of a session table:
///
/// ```
/// table   = version (1), sessions, ended runs, counts     numbers are little-endian, lists follow their count (4)
/// session = session (8) incarnation position (8) last request (8) applied
/// applied = request (8) position (8)
/// over    = incarnation                                           incarnation = length (1) name number (8)
/// count   = incarnation sessions (8)
/// ```
///
/// Sessions, runs and counts are sorted, so that nodes with the same table write the same bytes.
extension SessionTable {
  /// The version of the encoding.
  private static let version: UInt8 = 1

  /// The encoded table, for a snapshot of the state that it belongs to.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.number(Self.version)
    writer.number(UInt32(clamping: sessions.count))
    for (id, session) in sessions.sorted(by: { $0.key < $1.key }) {
      writer.number(id.rawValue)
      writer.session(session)
    }
    writer.number(UInt32(clamping: ended.count))
    for (node, number) in ended.sorted(by: { $0.key < $1.key }) {
      writer.incarnation(Incarnation(node: node, number: number))
    }
    writer.number(UInt32(clamping: opened.count))
    for (edge, count) in opened.sorted(by: { $0.key < $1.key }) {
      writer.incarnation(edge)
      writer.number(count)
    }
    return writer.bytes
  }

  /// Reads an encoded table.
  ///
  /// - Throws: ``MalformedBytes`` for other bytes, including another version.
  package init(encoded: [UInt8]) throws(MalformedBytes) {
    var reader = ByteReader(encoded[...])
    let version = try reader.number(UInt8.self)
    guard version == Self.version else { throw MalformedBytes("unknown version \(version) of a session table") }
    var sessions: [SessionID: Session] = [:]
    var last: SessionID?
    for _ in 0..<(try reader.count(max: .max, of: 38)) {
      let id = SessionID(rawValue: try reader.number())
      guard last.map({ $0 < id }) ?? true else { throw MalformedBytes("sessions are not in order") }
      last = id
      sessions[id] = try reader.session()
    }
    var ended: [NodeID: Int64] = [:]
    var lastNode: NodeID?
    for _ in 0..<(try reader.count(max: .max, of: 10)) {
      let run = try reader.incarnation()
      guard lastNode.map({ $0 < run.node }) ?? true else { throw MalformedBytes("runs are not in order") }
      lastNode = run.node
      ended[run.node] = run.number
    }
    var opened: [Incarnation: UInt64] = [:]
    var lastEdge: Incarnation?
    for _ in 0..<(try reader.count(max: .max, of: 18)) {
      let edge = try reader.incarnation()
      guard lastEdge.map({ $0 < edge }) ?? true else { throw MalformedBytes("counts are not in order") }
      lastEdge = edge
      opened[edge] = try reader.number()
    }
    try reader.end()
    self.init(sessions: sessions, ended: ended, opened: opened)
  }
}

extension ByteWriter {
  fileprivate mutating func session(_ session: SessionTable.Session) {
    incarnation(session.edge)
    number(session.position)
    number(session.lastRequest)
    number(UInt32(clamping: session.applied.count))
    for applied in session.applied {
      number(applied.request)
      number(applied.position)
    }
  }
}

extension ByteReader {
  fileprivate mutating func session() throws(MalformedBytes) -> SessionTable.Session {
    let (edge, position, lastRequest) = (try incarnation(), try position(after: 0), try number(UInt64.self))
    var applied: [(request: UInt64, position: Int64)] = []
    for _ in 0..<(try count(max: .max, of: 16)) {
      let request = try number(UInt64.self)
      guard request <= lastRequest else { throw MalformedBytes("a request after the last one") }
      applied.append((request, try self.position(after: applied.last?.position ?? position)))
    }
    return SessionTable.Session(edge: edge, position: position, lastRequest: lastRequest, applied: applied)
  }

  private mutating func position(after last: Int64) throws(MalformedBytes) -> Int64 {
    let found = try number(Int64.self)
    guard found > last, found < .max else { throw MalformedBytes("position \(found) does not follow \(last)") }
    return found
  }
}
