import HearthTree

/// The creation or deletion of an account, as it is stored until its delivery.
public struct UserEvent: Sendable, Equatable {
  /// The number of the commit in the accounts' journal.
  public var position: Int64
  /// The number of the event within its commit.
  public var ordinal: Int32
  /// The time of the commit, in milliseconds since 1970.
  public var milliseconds: Int64
  /// The kind of change.
  public var eventType: UserEventType
  /// The user's ID.
  public var uid: String
  /// The account in the form for functions of the first generation: an object without hashes and secrets. A created
  /// account is shown as it was stored at its creation, a deleted one as it was before its deletion.
  public var user: JSON

  /// Creates an event.
  public init(
    position: Int64, ordinal: Int32, milliseconds: Int64, eventType: UserEventType, uid: String, user: JSON
  ) {
    (self.position, self.ordinal, self.milliseconds) = (position, ordinal, milliseconds)
    (self.eventType, self.uid, self.user) = (eventType, uid, user)
  }

  /// The name that IDs and names of dead letters contain instead of a database's name. It cannot be a database's name,
  /// because these have no capital letters.
  public static let source = "Users"

  /// The event's ID: see ``TriggerEvent/id(in:)``.
  public var id: String {
    EventNumber(position: position, ordinal: ordinal).id(in: Self.source, milliseconds: milliseconds)
  }

  /// The order of account events: see ``TriggerEvent/sequence``.
  public var sequence: String { EventNumber(position: position, ordinal: ordinal).sequence }

  // MARK: Stored encoding

  /// All parts but position, ordinal and uid, as bytes: 1, the type (0 for created, 1 for deleted), the time as eight
  /// little-endian bytes, and the account as JSON.
  public var content: [UInt8] {
    var bytes: [UInt8] = [1, eventType == .created ? 0 : 1]
    withUnsafeBytes(of: milliseconds.littleEndian) { bytes.append(contentsOf: $0) }
    return bytes + user.text()
  }

  /// Parses the bytes of ``content``; returns nil for any other bytes.
  public init?(position: Int64, ordinal: Int32, uid: String, content: [UInt8]) {
    guard content.count >= 10, content[0] == 1, content[1] < 2, let user = JSON(parsing: content[10...]) else {
      return nil
    }
    let time = content[2..<10].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    self.init(
      position: position, ordinal: ordinal, milliseconds: Int64(bitPattern: time),
      eventType: content[1] == 0 ? .created : .deleted, uid: uid, user: user)
  }
}
