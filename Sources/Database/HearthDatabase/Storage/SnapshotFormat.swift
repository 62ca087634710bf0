import HearthEngine
import HearthJournal
import HearthRules
import HearthTree

/// The format of a snapshot: a whole database as one stream of bytes, divided into chunks whose boundaries have no
/// meaning.
///
/// ```
/// snapshot = version:u8 position:i64 rulesState:u8 length:varint rules [length:varint members] data sessions
/// ```
///
/// The version is 2, or 3 with `members`: the state of the cluster's members, as opaque bytes. `rulesState` is 1 when
/// deployed rules follow, and 0 before the first deployment, with empty rules. The data and the sessions are values in
/// the format of ``CommitRecord``. Version 1 had no sessions: the snapshot ends after the data.
enum SnapshotFormat {
  /// The version of a database with a log of its own.
  static let version: UInt8 = 2
  /// The version with members.
  static let clusterVersion: UInt8 = 3

  /// Writes the stream, chunk by chunk, with little more than one chunk in memory.
  static func write(
    _ state: DatabaseState, members: [UInt8]? = nil, chunkBytes: Int, chunk: ([UInt8]) throws -> Void
  ) throws {
    try write(
      [state.root, state.sessions.tree], position: state.position, storedRules: state.storedRules, members: members,
      chunkBytes: chunkBytes, chunk: chunk)
  }

  /// Writes the stream of a state's parts.
  ///
  /// - Parameter trees: The data and the sessions.
  static func write(
    _ trees: [Node], position: Int64, storedRules: String?, members: [UInt8]? = nil, chunkBytes: Int,
    chunk: ([UInt8]) throws -> Void
  ) throws {
    var bytes: [UInt8] = [members == nil ? version : clusterVersion]
    bytes.append(littleEndian: UInt64(bitPattern: position))
    bytes.append(storedRules == nil ? 0 : 1)
    bytes.append(sized: storedRules ?? "")
    if let members {
      bytes.append(varint: UInt64(members.count))
      bytes += members
    }
    for tree in trees {
      try NodeEncoder.append(tree, to: &bytes) { bytes in
        if bytes.count >= chunkBytes { try spill(&bytes, chunkBytes: chunkBytes, chunk) }
      }
    }
    try spill(&bytes, chunkBytes: chunkBytes, chunk)
    if !bytes.isEmpty { try chunk(bytes) }
  }

  private static func spill(_ bytes: inout [UInt8], chunkBytes: Int, _ chunk: ([UInt8]) throws -> Void) throws {
    var start = 0
    while bytes.count - start >= chunkBytes {
      try chunk(Array(bytes[start..<start + chunkBytes]))
      start += chunkBytes
    }
    bytes.removeSubrange(..<start)
  }
}

/// Reads a snapshot from its chunks.
struct SnapshotReader {
  private struct Header {
    var version: UInt8
    var position: Int64
    var storedRules: String?
    var members: [UInt8]?
  }

  private var rest: [UInt8] = []
  private var header: Header?
  private var decoder: SubtreeDecoder
  private var sessionsDecoder = NodeDecoder()
  /// True when only the data at one location is read.
  private let isPartial: Bool
  /// The data, or its part at the requested location; nil before it is complete.
  private(set) var root: Node?
  private(set) var sessions: Node?

  var position: Int64? { header?.position }
  var storedRules: String? { header?.storedRules }
  /// The members that the log's owner stored with it; nil for a database with a log of its own.
  var members: [UInt8]? { header?.members }

  /// Creates a reader of a whole snapshot, whose data a builder builds.
  init(_ builder: NodeBuilder = NodeBuilder()) { (decoder, isPartial) = (SubtreeDecoder(to: builder), false) }

  /// Creates a reader of the data at one location. Once ``root`` is set, later chunks need not be read.
  init(of path: Path) { (decoder, isPartial) = (SubtreeDecoder(of: path), true) }

  /// Reads the next chunk.
  ///
  /// - Throws: ``RecordError``.
  mutating func read(_ chunk: [UInt8]) throws {
    if isPartial, root != nil { return }
    // A value may end in a later chunk than it begins in: unparsed bytes wait for more.
    if rest.isEmpty { rest = chunk } else { rest.append(contentsOf: chunk) }
    let bytes = rest
    var end = 0
    do {
      try bytes.withUnsafeBytes { raw in
        var cursor = ByteCursor(raw)
        defer { end = cursor.offset }
        if header == nil {
          var attempt = cursor
          guard let found = try Self.header(&attempt) else { return }
          header = found
          cursor = attempt
        }
        if root == nil {
          root = try decoder.decode(&cursor)
          if root != nil, header?.version == 1 { sessions = .empty }
        }
        guard !isPartial else { return }
        if root != nil, sessions == nil { sessions = try sessionsDecoder.decode(&cursor) }
        if sessions != nil, !cursor.isAtEnd { throw RecordError.Problem("\(cursor.remaining) bytes are left over") }
      }
    } catch let problem as RecordError.Problem {
      throw RecordError(problem.message, byteOffset: end)
    }
    rest.removeSubrange(..<end)
  }

  /// Returns the header; nil when bytes are missing.
  private static func header(_ cursor: inout ByteCursor) throws -> Header? {
    do {
      let version = try cursor.byte()
      guard (1...SnapshotFormat.clusterVersion).contains(version) else {
        throw RecordError.Problem("unknown snapshot version \(version); it may come from a newer version of Hearth")
      }
      let position = Int64(bitPattern: try cursor.littleEndian(byteCount: 8))
      let hasRules = try cursor.byte() != 0
      let rules = try cursor.text()
      let members = version == SnapshotFormat.clusterVersion ? Array(try cursor.sized()) : nil
      return Header(version: version, position: position, storedRules: hasRules ? rules : nil, members: members)
    } catch is ByteCursor.EndOfBytes {
      return nil
    }
  }
}
