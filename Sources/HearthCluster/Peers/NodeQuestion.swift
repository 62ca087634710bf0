/// What a node asks another one about the other itself, in the bytes of a ``LinkMessage/question(number:_:)``.
///
/// ```
/// question = 2 (1) kind (1) name?      kind: 1 load   2 open, with the name of a journal
/// answer   = 2 (1) kind (1) fields?    kind: 1 load: whether it takes databases (1), how many it owns (4)
///                                            2 opened   3 declined
/// ```
///
/// Questions whose first byte is another one are not about the node, and are somebody else's to read.
package enum NodeQuestion: Sendable, Equatable {
  /// How much does it have to do, and does it take more?
  case load
  /// Takes part in a database from here on, and owns it when nobody else does. Answered when it is served there.
  ///
  /// - Parameter journal: The name of its journal, with the collection.
  case open(journal: String)

  fileprivate static let marker: UInt8 = 2

  /// Whether bytes are such a question, readable or not.
  package static func isMeant(by bytes: [UInt8]) -> Bool { bytes.first == marker }

  /// The question in bytes.
  package var encoded: [UInt8] {
    switch self {
    case .load: [Self.marker, 1]
    case .open(let journal): [Self.marker, 2] + Array(journal.utf8)
    }
  }

  /// Reads what ``encoded`` gives.
  ///
  /// - Throws: ``MalformedBytes``, also for a question that a later version asks.
  package init(encoded bytes: [UInt8]) throws(MalformedBytes) {
    var reader = ByteReader(bytes[...])
    guard try reader.number(UInt8.self) == Self.marker else { throw MalformedBytes("no question about a node") }
    let kind = try reader.number(UInt8.self)
    switch kind {
    case 1: self = .load
    case 2:
      guard (1...ClusterLimits.journalNameBytesMax).contains(reader.remaining),
        let name = String(validating: try reader.raw(reader.remaining), as: UTF8.self)
      else { throw MalformedBytes("a journal's name that is too long, or not in UTF-8") }
      self = .open(journal: name)
    default: throw MalformedBytes("a question of the unknown kind \(kind)")
    }
    try reader.end()
  }
}

/// What a node answers to a ``NodeQuestion``.
package enum NodeAnswer: Sendable, Equatable {
  /// Whether it takes databases that nobody owns, and how many it owns.
  case load(isWilling: Bool, ownedCount: UInt32)
  /// The database is served there.
  case opened
  /// It takes no database, or cannot serve this one.
  case declined

  /// The answer in bytes.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.number(NodeQuestion.marker)
    switch self {
    case .load(let isWilling, let ownedCount):
      writer.number(1 as UInt8)
      writer.number(isWilling ? 1 : 0 as UInt8)
      writer.number(ownedCount)
    case .opened: writer.number(2 as UInt8)
    case .declined: writer.number(3 as UInt8)
    }
    return writer.bytes
  }

  /// Reads what ``encoded`` gives.
  ///
  /// - Throws: ``MalformedBytes``, also for an answer of a later version.
  package init(encoded bytes: [UInt8]) throws(MalformedBytes) {
    var reader = ByteReader(bytes[...])
    guard try reader.number(UInt8.self) == NodeQuestion.marker else { throw MalformedBytes("no answer about a node") }
    let kind = try reader.number(UInt8.self)
    switch kind {
    case 1:
      let willing = try reader.number(UInt8.self)
      guard willing <= 1 else { throw MalformedBytes("neither willing nor not: \(willing)") }
      self = .load(isWilling: willing == 1, ownedCount: try reader.number())
    case 2: self = .opened
    case 3: self = .declined
    default: throw MalformedBytes("an answer of the unknown kind \(kind)")
    }
    try reader.end()
  }
}
