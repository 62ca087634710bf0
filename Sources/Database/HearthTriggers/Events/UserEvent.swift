import HearthTree

/// That an account was made or deleted, as it is kept until it is delivered.
public struct UserEvent: Sendable, Equatable {
  /// The number of the commit in the accounts' journal.
  public var position: Int64
  /// Counts the events of one commit.
  public var ordinal: Int32
  /// The time of the commit, in milliseconds since 1970.
  public var milliseconds: Int64
  /// What happened.
  public var moment: UserMoment
  /// The user's id.
  public var uid: String
  /// The account, as functions of the first generation are told it: an object without hashes and secrets. Of one that was
  /// made as it was stored with that, of one that was deleted as it was before.
  public var user: JSON

  /// An event of these parts.
  public init(
    position: Int64, ordinal: Int32, milliseconds: Int64, moment: UserMoment, uid: String, user: JSON
  ) {
    (self.position, self.ordinal, self.milliseconds) = (position, ordinal, milliseconds)
    (self.moment, self.uid, self.user) = (moment, uid, user)
  }

  /// What stands for the database in ids and names of dead letters. No database is called so: their names have no capital
  /// letters.
  public static let source = "Users"

  /// The event's id: see ``TriggerEvent/id(in:)``.
  public var id: String {
    EventNumber(position: position, ordinal: ordinal).id(in: Self.source, milliseconds: milliseconds)
  }

  /// Orders events of accounts: see ``TriggerEvent/sequence``.
  public var sequence: String { EventNumber(position: position, ordinal: ordinal).sequence }

  // MARK: As it is kept

  /// All but position, ordinal and uid, as bytes: 1, the moment (0 for created, 1 for deleted), the time as eight bytes
  /// with the lowest first, and the account as JSON.
  public var content: [UInt8] {
    var bytes: [UInt8] = [1, moment == .created ? 0 : 1]
    withUnsafeBytes(of: milliseconds.littleEndian) { bytes.append(contentsOf: $0) }
    return bytes + user.text()
  }

  /// Reads what ``content`` gives; nil for anything else.
  public init?(position: Int64, ordinal: Int32, uid: String, content: [UInt8]) {
    guard content.count >= 10, content[0] == 1, content[1] < 2, let user = JSON(parsing: content[10...]) else {
      return nil
    }
    let time = content[2..<10].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    self.init(
      position: position, ordinal: ordinal, milliseconds: Int64(bitPattern: time),
      moment: content[1] == 0 ? .created : .deleted, uid: uid, user: user)
  }
}
