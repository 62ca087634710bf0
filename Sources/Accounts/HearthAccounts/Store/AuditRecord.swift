import HearthCrypto
import HearthTree

/// One record of the audit trail.
///
/// It is stored as 64 hexadecimal digits, a space and the text of a JSON object. The digits are the record's hash: the
/// SHA-256 of the hash before it, 32 bytes, and the object's text. The first record follows 32 zero bytes.
public struct AuditRecord: Sendable, Equatable {
  /// Counts from 1.
  public let sequence: Int64

  /// The chain up to this record.
  public let hash: Digest

  /// What happened: `seq`, `time` (RFC 3339, UTC, with milliseconds), `event`, and those of `project`, `uid`, `email`
  /// (masked), `ip`, `userAgent`, `requestId` and `detail` that are known.
  public let fields: JSON

  /// The fields as one line of text without a line break: what the hash covers.
  public let line: [UInt8]

  /// What is before the first record.
  static let origin = [UInt8](repeating: 0, count: 32)

  /// The next record of a chain.
  init(sequence: Int64, fields: JSON, after previous: [UInt8]) {
    self.sequence = sequence
    self.fields = fields
    line = fields.text()
    hash = Self.hash(line, after: previous)
  }

  /// Reads a stored record; nil when it is none. The hash is what is stored, right or wrong.
  init?(stored bytes: UnsafeRawBufferPointer) {
    guard bytes.count > 65, bytes[64] == UInt8(ascii: " "),
      let hash = Digest(hex: String(decoding: bytes[..<64], as: UTF8.self)),
      let fields = JSON(parsing: bytes[65...]), case .int(let sequence)? = fields["seq"]
    else { return nil }
    self.sequence = sequence
    self.hash = hash
    self.fields = fields
    line = Array(bytes[65...])
  }

  var stored: String { hash.hex + " " + String(decoding: line, as: UTF8.self) }

  /// A uid as records have it.
  package static func name(of uid: String) -> String { AuditText.clean(uid, sizeBytesMax: 512) }

  /// Returns true when it is about the user of that name.
  package func isAbout(_ name: String) -> Bool { fields["uid"]?.string?.isSameText(as: name) ?? false }

  static func hash(_ line: [UInt8], after previous: [UInt8]) -> Digest { Digest(sha256: previous + line) }

  /// Equal when number, hash and line are; the fields follow from the line.
  public static func == (left: AuditRecord, right: AuditRecord) -> Bool {
    left.sequence == right.sequence && left.hash == right.hash && left.line == right.line
  }
}

/// Where the audit trail begins and ends. An operator who keeps one elsewhere can tell later whether the trail still
/// goes through it.
public struct AuditHead: Sendable, Equatable {
  /// The oldest record that is kept.
  public var firstSequence: Int64
  /// The hash of the record before the oldest one, in hexadecimal.
  public var previousHash: String
  /// The newest record.
  public var sequence: Int64
  /// The hash of the newest record, in hexadecimal.
  public var hash: String

  /// A record that was noted earlier, to be compared: see ``AuditTrail/verify(_:from:anchor:)``.
  package init(sequence: Int64, hash: String) {
    self.init(firstSequence: 1, previousHash: "", sequence: sequence, hash: hash)
  }

  init(firstSequence: Int64, previousHash: String, sequence: Int64, hash: String) {
    self.firstSequence = firstSequence
    self.previousHash = previousHash
    self.sequence = sequence
    self.hash = hash
  }
}

extension AuditHead: StoredRecord {
  init(stored reader: RecordReader) throws(RecordDamage) {
    firstSequence = try reader.int("first")
    previousHash = try reader.text("previous")
    sequence = try reader.int("seq")
    hash = try reader.text("hash")
    guard firstSequence >= 1, sequence >= firstSequence, sequence < .max else { throw RecordDamage("it is impossible") }
    guard Digest(hex: previousHash) != nil, Digest(hex: hash) != nil else { throw RecordDamage("it has no hash") }
  }

  func store(in writer: inout RecordWriter) {
    writer.set("first", firstSequence)
    writer.set("previous", previousHash)
    writer.set("seq", sequence)
    writer.set("hash", hash)
  }
}
