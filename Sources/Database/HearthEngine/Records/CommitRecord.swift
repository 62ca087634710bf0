import HearthTree

/// One commit as the journal stores it.
///
/// The payload of a journal batch is its commits' records one after another, in the order of their positions:
///
/// ```
/// record   = length:u32 kind:u8 wallMilliseconds:i64 content       the length counts what follows it
/// content  = count:varint change*                                  kind 1: replaced locations
///          | text                                                  kind 2: rules, as uploaded, to the record's end
///          | count:varint change*                                  kind 3: replaced locations of the sessions
///          | number:i64 bytes                                      kind 4: a piece of a record, to the record's end
///          | number:i64 count:u32                                  kind 5: that many pieces of that number are the record
///          | author content                                        kind + 64: the author, see ``CommitAuthor``
///          | grant content                                         kind + 32: the allowing rules, see ``CommitGrant``
///          | depth:u8 content                                      kind 1 + 128: a merge below so many keys of each path
/// record   = length:u32 kind:u8 joint                              the kinds from 6 on have no time of their own
/// joint    = bytes                                                 kind 6: a note, to the record's end
///          | session:u64 request:u64 answered:u64 record*          kind 7: the records of one request of a session
///          | session:u64 record*                                   kind 8: the records of the end of a session
/// change   = path value
/// path     = keyCount:u8 key*                                      keyCount + 128: the priority of that location
/// key      = length:varint utf8
/// value    = 0                                                     a removal
///          | scalar                                                a leaf
///          | scalar+8 scalar                                       a leaf and its priority
///          | 6 (key value)* 0 (0 | scalar)                         children in any order, an empty key, the priority
/// scalar   = 1                                                     false
///          | 2                                                     true
///          | 3 varint                                              an integer, zigzag: 0, -1, 1, -2 are 0, 1, 2, 3
///          | 4 f64                                                 a double's bits
///          | 5 length:varint utf8                                  a string
/// ```
///
/// The sessions are a tree beside the data, with the on-disconnect writes of open connections, see
/// ``OnDisconnectSessions``. A connection's end is one batch: the changes of its writes, and a record of kind 3 that
/// removes its session.
///
/// A long record is split into pieces, so that one append does not delay others. Each piece is a separate commit
/// without an effect, and others may come between; the last one, of kind 5, applies the record that the pieces form in
/// order. The number is the position of the first. Pieces without a last one belong to a write that was not made. No
/// snapshot is taken between a piece and the last one.
///
/// Several servers that share a log write the records of a request as one record of kind 7, and those of the end of a
/// session as one of kind 8: the nested records, of the kinds 1 to 3, are applied together, at one position. There may
/// be none. Messages between such servers in the log are notes, which change nothing.
///
/// Numbers of fixed width are little-endian. A varint is seven bits a byte, the low ones first, the high bit set on all
/// bytes but the last, at most ten bytes. A record is applied without a decision of the rules.
///
/// Example: at 1,700,000,000,000 ms a client set `/a/b` to `{"c": 7, ".priority": "x"}`.
///
/// ```
/// 18 00 00 00                  24 bytes follow
/// 01                           replaced locations
/// 00 68 e5 cf 8b 01 00 00      the time
/// 01                           one location
/// 02  01 61  01 62             two keys: "a", "b"
/// 06                           an interior node
///   01 63  03 0e               "c": the integer 7
///   00  05 01 78               no more children; the priority "x"
/// ```
///
/// Example: at the same time the connection 7, signed out, set an on-disconnect deletion of `/a`.
///
/// ```
/// 39 00 00 00                  57 bytes follow
/// 03                           replaced locations of the sessions
/// 00 68 e5 cf 8b 01 00 00      the time
/// 01                           one location
/// 01  01 37                    one key: "7"
/// 06                           {
///   06 77 72 69 74 65 73         "writes":
///   06                           {
///     01 61                        "a":
///     06                           {
///       06 2e 77 72 69 74 65         ".write":
///       06                           {
///         05 64 65 70 74 68             "depth":
///         03 00                           0
///         05 6f 72 64 65 72             "order":
///         03 00                           0
/// 00 00  00 00  00 00  00 00   the four end, none with a priority
/// ```
///
/// Example: at the same time, with its second request, after the first had been answered, the session 9 deleted `/a` by
/// a merge at the root.
///
/// ```
/// 2c 00 00 00                  44 bytes follow
/// 07                           a request of a session
/// 09 00 00 00 00 00 00 00      the session 9
/// 02 00 00 00 00 00 00 00      its request 2
/// 01 00 00 00 00 00 00 00      the requests up to 1 had been answered
/// 0f 00 00 00                  15 bytes follow
///   81                           replaced locations, by a merge
///   00 68 e5 cf 8b 01 00 00      the time
///   00                           below no key: at the root
///   01                           one location
///   01  01 61  00                one key: "a"; a removal
/// ```
public struct CommitRecord: Sendable {
  /// The content of the commit.
  public enum Content: Sendable {
    /// Changed locations with their new data, from the root; for a priority, a leaf with the priority as its value, or
    /// an empty node.
    case changes([(location: Location, node: Node)])
    /// The rules file as it was uploaded.
    case rules(String)
    /// Changed locations of the tree of sessions with their new data.
    case sessions([(location: Location, node: Node)])
    /// A piece of a long record's bytes; the number is the position of its first piece.
    case piece(number: Int64, bytes: ArraySlice<UInt8>)
    /// The end of a record in pieces, which applies the record that the pieces with this number form.
    case lastPiece(number: Int64, count: UInt32)
    /// A message between servers that share a log; it changes nothing.
    case note([UInt8])
    /// Records that are applied together, at one position; none of them is a piece, a note, or joint itself.
    case joint([CommitRecord], of: JointCause)
  }

  /// The cause of joint records.
  public enum JointCause: Sendable, Equatable {
    /// One request of a session. All requests of the session up to `answered` had been answered when it was sent.
    case request(session: UInt64, request: UInt64, answered: UInt64)
    /// The end of a session, with its on-disconnect writes.
    case end(session: UInt64)
  }

  /// The `now` of the decision; for a joint record that of its first nested record; 0 for a note or an empty joint
  /// record.
  public var wallMilliseconds: Int64
  /// The author; nil when it was not recorded.
  public var author: CommitAuthor?
  /// The rules that allowed the commit; nil when they were not recorded, and when no rule was evaluated.
  public var grant: CommitGrant?
  /// The number of keys in the path of a multi-location update (a merge); nil for other changes, and when it was not
  /// recorded.
  public var mergeDepth: Int?
  /// The content of the commit.
  public var content: Content

  /// Creates a record.
  public init(
    wallMilliseconds: Int64, author: CommitAuthor? = nil, grant: CommitGrant? = nil, mergeDepth: Int? = nil,
    content: Content
  ) {
    self.wallMilliseconds = wallMilliseconds
    self.author = author
    self.grant = grant
    self.mergeDepth = mergeDepth
    self.content = content
  }

  /// The number of values in the changes.
  var leafCount: Int {
    switch content {
    case .changes(let changes), .sessions(let changes): changes.reduce(0) { $0 + $1.node.leafCount }
    case .rules, .piece, .lastPiece, .note, .joint: 0
    }
  }

  static let changesKind: UInt8 = 1
  static let rulesKind: UInt8 = 2
  static let sessionsKind: UInt8 = 3
  static let pieceKind: UInt8 = 4
  static let lastPieceKind: UInt8 = 5
  static let noteKind: UInt8 = 6
  static let requestKind: UInt8 = 7
  static let endKind: UInt8 = 8
  /// The flag in the kind of a record that has an author.
  static let authorFlag: UInt8 = 64
  /// The flag in the kind of a record that has the allowing rules, which follow the author.
  static let grantFlag: UInt8 = 32
  /// The flag in the kind of a record of changes that has ``mergeDepth``, which follows the grant.
  static let mergeFlag: UInt8 = 128
  static let headerBytes = 13

  /// Appends the encoding of the record to `bytes`.
  public func append(to bytes: inout [UInt8]) {
    let start = bytes.count
    bytes.append(contentsOf: [0, 0, 0, 0])
    switch content {
    case .note(let note):
      bytes.append(Self.noteKind)
      bytes.append(contentsOf: note)
    case .joint(let records, let cause):
      cause.append(to: &bytes)
      for record in records { record.append(to: &bytes) }
    default: appendContent(to: &bytes)
    }
    // Writers refuse a record longer than 4 GB before it is stored, so the truncation of its length here does not
    // matter.
    let length = UInt32(truncatingIfNeeded: bytes.count - start - 4)
    for i in 0..<4 { bytes[start + i] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(i))) }
  }

  /// Appends the encoding of a record that has a time, without the length in front.
  private func appendContent(to bytes: inout [UInt8]) {
    let mergeDepth: Int? = if case .changes = content { mergeDepth } else { nil }
    let flags = (author == nil ? 0 : Self.authorFlag) | (grant == nil ? 0 : Self.grantFlag)
    bytes.append(kind | flags | (mergeDepth == nil ? 0 : Self.mergeFlag))
    bytes.append(littleEndian: UInt64(bitPattern: wallMilliseconds))
    author?.append(to: &bytes)
    grant?.append(to: &bytes)
    if let mergeDepth { bytes.append(UInt8(clamping: mergeDepth)) }
    switch content {
    case .changes(let changes), .sessions(let changes):
      bytes.append(varint: UInt64(changes.count))
      for change in changes {
        bytes.append(change.location)
        NodeEncoder.append(change.node, to: &bytes)
      }
    case .rules(let source):
      bytes.append(contentsOf: source.utf8)
    case .piece(let number, let piece):
      bytes.append(littleEndian: UInt64(bitPattern: number))
      bytes.append(contentsOf: piece)
    case .lastPiece(let number, let count):
      bytes.append(littleEndian: UInt64(bitPattern: number))
      for i in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: count >> (8 * UInt32(i)))) }
    case .note, .joint: break
    }
  }

  private var kind: UInt8 {
    switch content {
    case .changes: Self.changesKind
    case .rules: Self.rulesKind
    case .sessions: Self.sessionsKind
    case .piece: Self.pieceKind
    case .lastPiece: Self.lastPieceKind
    case .note: Self.noteKind
    case .joint(_, .request): Self.requestKind
    case .joint(_, .end): Self.endKind
    }
  }

  /// Applies the changes to a tree.
  package static func apply(_ changes: [(location: Location, node: Node)], to root: Node) -> Node {
    if changes.allSatisfy({ !$0.location.isPriority }) {
      return root.replacing(changes.map { ($0.location.path, $0.node) })
    }
    return changes.reduce(root) { root, change in
      let (path, node) = (change.location.path, change.node)
      return root.replacing(path, with: change.location.isPriority ? root[path].with(priority: node.scalar) : node)
    }
  }
}

extension [UInt8] {
  /// Appends eight bytes in little-endian order.
  package mutating func append(littleEndian value: UInt64) {
    for i in 0..<8 { append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(i)))) }
  }

  /// Appends a variable-length integer: see ``CommitRecord``.
  package mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// Appends the length in bytes and the text as UTF-8.
  package mutating func append(sized text: String) {
    append(varint: UInt64(text.utf8.count))
    append(contentsOf: text.utf8)
  }

  /// Appends the length in bytes and a text in UTF-8.
  mutating func append(sized text: UnsafeRawBufferPointer) {
    append(varint: UInt64(text.count))
    append(contentsOf: text)
  }

  /// Appends a location. Paths have at most 32 keys, and those of sessions a few more, so that the count and the
  /// priority flag fit in one byte.
  fileprivate mutating func append(_ location: Location) {
    append(UInt8(clamping: location.path.count) & 0x7F | (location.isPriority ? 0x80 : 0))
    for key in location.path.keys { append(sized: key.text) }
  }
}
