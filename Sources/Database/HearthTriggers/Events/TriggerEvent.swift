import HearthTree

/// The change at one location, as it is stored until its delivery.
public struct TriggerEvent: Sendable, Equatable {
  /// The values of an event.
  public enum Payload: Sendable, Equatable {
    /// The JSON text of the values.
    case text([UInt8])
    /// The values exceed the size of an event and must be read from the database.
    case reference
  }

  /// The number of the commit.
  public var position: Int64
  /// The number of the event within its commit.
  public var ordinal: Int32
  /// The time of the commit, in milliseconds since 1970.
  public var milliseconds: Int64
  /// The kind of change.
  public var kind: EventKind
  /// The location: keys with `/` between them, without a leading slash.
  public var ref: String
  /// The author of the write.
  public var author: EventAuthor
  /// The values.
  public var payload: Payload

  /// Creates an event.
  public init(
    position: Int64, ordinal: Int32, milliseconds: Int64, kind: EventKind, ref: String, author: EventAuthor,
    payload: Payload
  ) {
    (self.position, self.ordinal, self.milliseconds) = (position, ordinal, milliseconds)
    (self.kind, self.ref, self.author, self.payload) = (kind, ref, author, payload)
  }

  /// Returns the event's ID, which is the same at every attempt and unique among the events of all databases, even
  /// after a database was restored to an older state. It consists of the database, the time and number of the commit,
  /// and the ordinal, in letters, digits, `-` and `_`, so that it can be a database key.
  public func id(in database: String) -> String { number.id(in: database, milliseconds: milliseconds) }

  /// The order of events in one database: a fixed count of digits, so that strings are ordered as numbers are.
  public var sequence: String { number.sequence }

  private var number: EventNumber { EventNumber(position: position, ordinal: ordinal) }

  // MARK: Stored encoding

  /// The stored encoding:
  ///
  /// ```
  /// 1 byte    format: 1
  /// 1 byte    kind: 0 created, 1 updated, 2 deleted
  /// 1 byte    author: 0 administrator, 1 user, 2 signed-out client
  /// 1 byte    payload: 0 text, 1 reference
  /// 8 bytes   time in milliseconds, little-endian
  /// 4 bytes   bytes of the author's auth, little-endian
  /// …         the author's auth
  /// …         the payload's text
  /// ```
  public var content: [UInt8] {
    var bytes: [UInt8] = [1, kind.rawValue]
    var auth: [UInt8] = []
    switch author {
    case .administrator: bytes.append(0)
    case .user(let text):
      bytes.append(1)
      auth = text
    case .signedOut: bytes.append(2)
    }
    var text: [UInt8] = []
    switch payload {
    case .text(let own):
      bytes.append(0)
      text = own
    case .reference: bytes.append(1)
    }
    withUnsafeBytes(of: milliseconds.littleEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: auth.count).littleEndian) { bytes.append(contentsOf: $0) }
    return bytes + auth + text
  }

  /// Parses the bytes of ``content``; returns nil for any other bytes.
  public init?(position: Int64, ordinal: Int32, ref: String, content: [UInt8]) {
    guard content.count >= 16, content[0] == 1, let kind = EventKind(rawValue: content[1]) else { return nil }
    let time = content[4..<12].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let authCount = Int(content[12..<16].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    guard authCount <= content.count - 16 else { return nil }
    let auth = Array(content[16..<16 + authCount])
    let author: EventAuthor
    switch content[2] {
    case 0: author = .administrator
    case 1: author = .user(auth)
    case 2: author = .signedOut
    default: return nil
    }
    let payload: Payload
    switch content[3] {
    case 0: payload = .text(Array(content[(16 + authCount)...]))
    case 1: payload = .reference
    default: return nil
    }
    self.init(
      position: position, ordinal: ordinal, milliseconds: Int64(bitPattern: time), kind: kind, ref: ref,
      author: author, payload: payload)
  }
}
