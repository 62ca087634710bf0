import HearthCrypto
import HearthTree

/// A record of the audit trail.
///
/// It is stored as 64 hexadecimal digits, a space and the text of a JSON object. The digits are the record's hash: the
/// SHA-256 of the hash before it, 32 bytes, and the object's text. The first record follows 32 zero bytes.
public struct AuditRecord: Sendable, Equatable {
  /// The number of the record, from 1.
  public let sequence: Int64

  /// The hash of the chain up to this record.
  public let hash: Digest

  /// The content: `seq`, `time` (RFC 3339, UTC, with milliseconds), `event`, and those of `project`, `uid`, `email`
  /// (masked), `ip`, `userAgent`, `requestId` and `detail` that are known.
  public let fields: JSON

  /// The fields as one line of text without a line break, which the hash covers.
  public let line: [UInt8]

  /// The hash that the first record follows.
  static let origin = [UInt8](repeating: 0, count: 32)

  /// Creates the next record of a chain.
  init(sequence: Int64, fields: JSON, after previous: [UInt8]) {
    self.sequence = sequence
    self.fields = fields
    line = fields.text()
    hash = Self.hash(line, after: previous)
  }

  /// Reads a stored record; nil for an invalid one. The hash is the stored one, valid or not.
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

  /// Returns a uid in the escaped form that records contain.
  package static func name(of uid: String) -> String { AuditText.clean(uid, sizeBytesMax: 512) }

  /// Returns true when the record is about the user of that name.
  package func isAbout(_ name: String) -> Bool { fields["uid"]?.string?.isSameText(as: name) ?? false }

  static func hash(_ line: [UInt8], after previous: [UInt8]) -> Digest { Digest(sha256: previous + line) }

  /// Compares number, hash and line; the fields follow from the line.
  public static func == (left: AuditRecord, right: AuditRecord) -> Bool {
    left.sequence == right.sequence && left.hash == right.hash && left.line == right.line
  }
}

/// The first and last record of the audit trail. An operator who stores one elsewhere can tell later whether the trail
/// still contains it.
public struct AuditHead: Sendable, Equatable {
  /// The number of the oldest record.
  public var firstSequence: Int64
  /// The hash of the record before the oldest one, in hexadecimal.
  public var previousHash: String
  /// The number of the newest record.
  public var sequence: Int64
  /// The hash of the newest record, in hexadecimal.
  public var hash: String

  /// Creates the head of a record that was noted earlier, to be compared: see ``AuditTrailVerifier/verify(_:from:anchor:)``.
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
    guard firstSequence >= 1, sequence >= firstSequence, sequence < .max else {
      throw RecordDamage("its numbers are impossible")
    }
    guard Digest(hex: previousHash) != nil, Digest(hex: hash) != nil else { throw RecordDamage("it has no hash") }
  }

  func store(in writer: inout RecordWriter) {
    writer.set("first", firstSequence)
    writer.set("previous", previousHash)
    writer.set("seq", sequence)
    writer.set("hash", hash)
  }
}
