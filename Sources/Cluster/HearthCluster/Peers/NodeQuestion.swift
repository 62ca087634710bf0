import HearthBytes

/// A question to another node about the node itself, in the bytes of a ``LinkMessage/question(number:_:)``.
///
/// ```
/// question = 2 (1) kind (1) fields?    kind: 1 load   2 open: the name of a journal
///                                            3 receipts: position (8) kind (1) name  kind: 1 user  2 service account
///                                            4 look
/// answer   = 2 (1) kind (1) fields?    kind: 1 load: accepts databases (1), owned databases (4)
///                                            2 opened   3 declined   4 receipts: bytes   5 looked
/// ```
///
/// Questions with another first byte are not about the node and have other handlers.
package enum NodeQuestion: Sendable, Equatable {
  /// Asks for the node's load and whether it accepts databases.
  case load
  /// Opens a database on the node, which then claims it when it has no owner. Answered when the database is served
  /// there.
  ///
  /// - Parameter journal: The name of its journal, with the collection.
  case open(journal: String)
  /// Asks for the receipts of clients that were disconnected because these credentials ended. Answered once the clients
  /// are disconnected.
  ///
  /// - Parameter position: The position in the accounts' log at or after the change that ended them.
  case receipts(of: EndedCredentials, position: Int64)
  /// Makes the node close databases that were deleted. Answered once they are closed.
  case closeDeleted

  fileprivate static let marker: UInt8 = 2

  /// Returns true when the bytes are a question about the node, even if it cannot be decoded.
  package static func canDecode(_ bytes: [UInt8]) -> Bool { bytes.first == marker }

  /// The encoded question.
  package var encoded: [UInt8] {
    switch self {
    case .load: [Self.marker, 1]
    case .open(let journal): [Self.marker, 2] + Array(journal.utf8)
    case .receipts(let credentials, let position): Self.encoded(credentials, position)
    case .closeDeleted: [Self.marker, 4]
    }
  }

  private static func encoded(_ credentials: EndedCredentials, _ position: Int64) -> [UInt8] {
    var writer = ByteWriter()
    writer.number(marker)
    writer.number(3 as UInt8)
    writer.number(position)
    switch credentials {
    case .user(let uid):
      writer.number(1 as UInt8)
      writer.raw(Array(uid.utf8))
    case .serviceAccount(let email):
      writer.number(2 as UInt8)
      writer.raw(Array(email.utf8))
    }
    return writer.bytes
  }

  /// Reads an encoded question.
  ///
  /// - Throws: ``MalformedBytes``, including a question of a later version.
  package init(encoded bytes: [UInt8]) throws(MalformedBytes) {
    var reader = ByteReader(bytes[...])
    guard try reader.number(UInt8.self) == Self.marker else { throw MalformedBytes("not a request about a node") }
    let kind = try reader.number(UInt8.self)
    switch kind {
    case 1: self = .load
    case 2: self = .open(journal: try reader.name(bytesMax: ClusterLimits.journalNameBytesMax))
    case 3:
      let (position, whose) = (try reader.number(Int64.self), try reader.number(UInt8.self))
      guard position >= 0 else { throw MalformedBytes("invalid position \(position)") }
      let name = try reader.name(bytesMax: ClusterLimits.credentialNameBytesMax)
      switch whose {
      case 1: self = .receipts(of: .user(uid: name), position: position)
      case 2: self = .receipts(of: .serviceAccount(email: name), position: position)
      default: throw MalformedBytes("unknown kind \(whose) of credentials")
      }
    case 4: self = .closeDeleted
    default: throw MalformedBytes("unknown kind \(kind) of request")
    }
    try reader.end()
  }
}

/// Ended credentials of the accounts that all nodes of a cluster share.
package enum EndedCredentials: Sendable, Equatable {
  /// The credentials of a user.
  case user(uid: String)
  /// The credentials of a service account.
  case serviceAccount(email: String)
}

extension ByteReader {
  /// Reads a name up to the end.
  fileprivate mutating func name(bytesMax: Int) throws(MalformedBytes) -> String {
    guard (1...bytesMax).contains(remaining), let name = String(validating: try raw(remaining), as: UTF8.self) else {
      throw MalformedBytes("a name is empty, too long, or not UTF-8")
    }
    return name
  }
}

/// The answer of a node to a ``NodeQuestion``.
package enum NodeAnswer: Sendable, Equatable {
  /// The node's willingness to accept databases without an owner, and the number of databases that it owns.
  case load(acceptsDatabases: Bool, ownedCount: UInt32)
  /// The node serves the database.
  case opened
  /// The node accepts no databases, or cannot serve this one.
  case declined
  /// The receipts in the caller's encoding, at most ``ClusterLimits/receiptBytesMax``.
  case receipts([UInt8])
  /// The node has closed deleted databases.
  case closedDeleted

  /// The encoded answer.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.number(NodeQuestion.marker)
    switch self {
    case .load(let acceptsDatabases, let ownedCount):
      writer.number(1 as UInt8)
      writer.number(acceptsDatabases ? 1 : 0 as UInt8)
      writer.number(ownedCount)
    case .opened: writer.number(2 as UInt8)
    case .declined: writer.number(3 as UInt8)
    case .receipts(let words):
      writer.number(4 as UInt8)
      writer.raw(words)
    case .closedDeleted: writer.number(5 as UInt8)
    }
    return writer.bytes
  }

  /// Reads an encoded answer.
  ///
  /// - Throws: ``MalformedBytes``, including an answer of a later version.
  package init(encoded bytes: [UInt8]) throws(MalformedBytes) {
    var reader = ByteReader(bytes[...])
    guard try reader.number(UInt8.self) == NodeQuestion.marker else { throw MalformedBytes("not a reply about a node") }
    let kind = try reader.number(UInt8.self)
    switch kind {
    case 1:
      let willing = try reader.number(UInt8.self)
      guard willing <= 1 else { throw MalformedBytes("invalid answer \(willing)") }
      self = .load(acceptsDatabases: willing == 1, ownedCount: try reader.number())
    case 2: self = .opened
    case 3: self = .declined
    case 4:
      guard reader.remaining <= ClusterLimits.receiptBytesMax else {
        throw MalformedBytes("receipts of \(reader.remaining) bytes are too long")
      }
      self = .receipts(try reader.raw(reader.remaining))
    case 5: self = .closedDeleted
    default: throw MalformedBytes("unknown kind \(kind) of reply")
    }
    try reader.end()
  }
}
