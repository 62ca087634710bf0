import HearthTree

/// One commit as the journal keeps it.
///
/// The payload of a journal batch is its commits' records one after another, in the order of their positions:
///
/// ```
/// record   = length:u32 kind:u8 wallMilliseconds:i64 content       the length counts what follows it
/// content  = count:varint change*                                  kind 1: places that were replaced
///          | text                                                  kind 2: rules, as uploaded, to the record's end
///          | count:varint change*                                  kind 3: places of the sessions that were replaced
///          | number:i64 bytes                                      kind 4: a piece of a record, to the record's end
///          | number:i64 count:u32                                  kind 5: that many pieces of that number are the record
///          | author content                                        kind + 64: who made the commit, see ``CommitAuthor``
///          | grant content                                         kind + 32: by which rules, see ``CommitGrant``
///          | depth:u8 content                                      kind 1 + 128: a merge below so many keys of each path
/// record   = length:u32 kind:u8 joint                              the kinds from 6 on have no time of their own
/// joint    = bytes                                                 kind 6: a note, to the record's end
///          | session:u64 request:u64 answered:u64 record*          kind 7: what one request of a session made
///          | session:u64 record*                                   kind 8: what the end of a session made
/// change   = path value
/// path     = keyCount:u8 key*                                      keyCount + 128: the priority of that place
/// key      = length:varint utf8
/// value    = 0                                                     nothing is there any more
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
/// The sessions are a tree beside the data: what the connections that are open want to be done at their end, see
/// ``Sessions``. A connection's end is one batch: the changes that it makes, and a record of kind 3 that removes it.
///
/// A long record comes in pieces, so that one append does not keep others from theirs. Each piece is a commit of its own
/// that does nothing, and others may come between; the last one, of kind 5, does what the record says that the pieces
/// are, one after another. The number is the position of the first. Pieces without it are of a write that was not made.
/// No snapshot is taken between a piece and the last one.
///
/// Several servers that share a log write what a request comes to as one record of kind 7, and the end of a session as one
/// of kind 8: the records in it, of the kinds 1 to 3, are made together, at one position. There may be none in it. What such
/// servers tell each other in the log are notes, which change nothing.
///
/// Numbers of fixed width are little-endian. A varint is seven bits a byte, the low ones first, the high bit set on all
/// bytes but the last, at most ten bytes. What rules write never comes in here: a record is applied, not decided.
///
/// Example: at 1,700,000,000,000 ms somebody set `/a/b` to `{"c": 7, ".priority": "x"}`.
///
/// ```
/// 18 00 00 00                  24 bytes follow
/// 01                           places that were replaced
/// 00 68 e5 cf 8b 01 00 00      the time
/// 01                           one place
/// 02  01 61  01 62             two keys: "a", "b"
/// 06                           an interior node
///   01 63  03 0e               "c": the integer 7
///   00  05 01 78               no more children; the priority "x"
/// ```
///
/// Example: at the same time the connection 7, signed out, asked to have `/a` deleted at its end.
///
/// ```
/// 39 00 00 00                  57 bytes follow
/// 03                           places of the sessions
/// 00 68 e5 cf 8b 01 00 00      the time
/// 01                           one place
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
/// Example: at the same time, with its second request, when the first had its answer, the session 9 deleted `/a` by a merge
/// at the root.
///
/// ```
/// 2c 00 00 00                  44 bytes follow
/// 07                           a request of a session
/// 09 00 00 00 00 00 00 00      the session 9
/// 02 00 00 00 00 00 00 00      its request 2
/// 01 00 00 00 00 00 00 00      the requests up to 1 had their answers
/// 0f 00 00 00                  15 bytes follow
///   81                           places that were replaced, by a merge
///   00 68 e5 cf 8b 01 00 00      the time
///   00                           below no key: at the root
///   01                           one place
///   01  01 61  00                one key: "a"; nothing is there any more
/// ```
public struct CommitRecord: Sendable {
  /// What the commit did.
  public enum Content: Sendable {
    /// Places and what is there now, from the root; for a priority a bare leaf, or empty.
    case changes([(location: Location, node: Node)])
    /// The rules file as it was uploaded.
    case rules(String)
    /// Places of the tree of sessions, and what is there now.
    case sessions([(location: Location, node: Node)])
    /// Bytes of a record.
    case piece(number: Int64, bytes: ArraySlice<UInt8>)
    /// The pieces of that number are a record, and it is made.
    case joined(number: Int64, count: UInt32)
    /// Nothing: what several servers with one log tell each other.
    case note([UInt8])
    /// Records that are made together, at one position; none of them is a piece, a note, or joint itself.
    case joint([CommitRecord], of: JointCause)
  }

  /// What records are made together for.
  public enum JointCause: Sendable, Equatable {
    /// One request of a session. All requests of the session up to `answered` had their answers when it was sent.
    case request(session: UInt64, request: UInt64, answered: UInt64)
    /// The end of a session: what was wanted then.
    case end(session: UInt64)
  }

  /// The `now` of the decision; of joint records that of the first, and 0 for a note and where none is joined.
  public var wallMilliseconds: Int64
  /// Who made it; nil where nobody kept that.
  public var author: CommitAuthor?
  /// By which rules it was allowed; nil where nobody kept that, and where no rule was asked.
  public var grant: CommitGrant?
  /// Of changes that are a merge, how many keys lead to where the merge was made; nil for others, and where nobody kept that.
  public var mergeDepth: Int?
  /// What the commit did.
  public var content: Content

  /// A record of these parts.
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

  static let changesKind: UInt8 = 1
  static let rulesKind: UInt8 = 2
  static let sessionsKind: UInt8 = 3
  static let pieceKind: UInt8 = 4
  static let joinedKind: UInt8 = 5
  static let noteKind: UInt8 = 6
  static let requestKind: UInt8 = 7
  static let endKind: UInt8 = 8
  /// Set in the kind of a record that says who made the commit.
  static let authorFlag: UInt8 = 64
  /// Set in the kind of a record that says by which rules the commit was allowed. What it says comes behind the author.
  static let grantFlag: UInt8 = 32
  /// Set in the kind of a record of changes that says where the merge was made. What it says comes behind the grant.
  static let mergeFlag: UInt8 = 128
  static let headerBytes = 13

  /// Writes the record behind what is in `bytes`.
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
    // A record longer than 4 GB is refused by its writer before anybody reads it; the length is then of no interest.
    let length = UInt32(truncatingIfNeeded: bytes.count - start - 4)
    for i in 0..<4 { bytes[start + i] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(i))) }
  }

  /// What comes behind the length of a record that has a time.
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
    case .joined(let number, let count):
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
    case .joined: Self.joinedKind
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
  /// Writes eight bytes, the low ones first.
  package mutating func append(littleEndian value: UInt64) {
    for i in 0..<8 { append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(i)))) }
  }

  /// Writes a number in as few bytes as it takes, see ``CommitRecord``.
  package mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// Writes the length in bytes and the text as UTF-8.
  package mutating func append(sized text: String) {
    append(varint: UInt64(text.utf8.count))
    append(contentsOf: text.utf8)
  }

  /// Paths have at most 32 keys, and those of sessions few more, so that the count fits beside the flag.
  fileprivate mutating func append(_ location: Location) {
    append(UInt8(clamping: location.path.count) & 0x7F | (location.isPriority ? 0x80 : 0))
    for key in location.path.keys { append(sized: key.text) }
  }
}
