import HearthTree

/// The accounts that a change created and deleted, for event subscribers. It is a record like the others, so that a
/// change and its events are durable together; each change with events replaces the one before.
struct AccountHappenings: StoredRecord {
  struct Happening: StoredRecord {
    var kind: AccountEvent.Kind
    var uid: String

    init(_ kind: AccountEvent.Kind, _ uid: String) { (self.kind, self.uid) = (kind, uid) }

    init(stored reader: RecordReader) throws(RecordDamage) {
      guard let kind = AccountEvent.Kind(rawValue: try reader.text("kind")) else {
        throw RecordDamage("kind is unknown")
      }
      self.init(kind, try reader.text("uid"))
    }

    func store(in writer: inout RecordWriter) {
      writer.set("kind", kind.rawValue)
      writer.set("uid", uid)
    }
  }

  /// The number of these events, so that each record differs from the one before.
  var number: Int64
  /// The events, in their order.
  var all: [Happening]

  init(number: Int64, all: [Happening] = []) { (self.number, self.all) = (number, all) }

  init(stored reader: RecordReader) throws(RecordDamage) {
    number = try reader.int("number")
    all = []
    for reader in try reader.objects("all") { all.append(try Happening(stored: reader)) }
  }

  func store(in writer: inout RecordWriter) {
    writer.set("number", number)
    writer.set("all", all)
  }
}

extension AccountTransaction {
  /// Adds an event about an account to this change.
  mutating func tell(_ kind: AccountEvent.Kind, _ uid: String) {
    if happenings == nil {
      let last: AccountHappenings? = records.record(AccountPath.happenings)
      happenings = AccountHappenings(number: (last?.number ?? 0).plus(1))
    }
    happenings?.all.append(AccountHappenings.Happening(kind, uid))
    if let happenings { draft.replace(AccountPath.happenings, with: text(of: happenings)) }
  }
}
