import HearthTree

/// The accounts that a change created and deleted, for event subscribers. It is a record like the others, so that a
/// change and its events are durable together; each change with events replaces the one before.
struct AccountEvents: StoredRecord {
  struct Event: StoredRecord {
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

  /// The record's own number, so that each record differs from the previous one.
  var number: Int64
  /// The events, in their order.
  var all: [Event]

  init(number: Int64, all: [Event] = []) { (self.number, self.all) = (number, all) }

  init(stored reader: RecordReader) throws(RecordDamage) {
    number = try reader.int("number")
    all = []
    for reader in try reader.objects("all") { all.append(try Event(stored: reader)) }
  }

  func store(in writer: inout RecordWriter) {
    writer.set("number", number)
    writer.set("all", all)
  }
}

extension AccountTransaction {
  /// Adds an event about an account to this change.
  mutating func addEvent(_ kind: AccountEvent.Kind, _ uid: String) {
    if accountEvents == nil {
      let last: AccountEvents? = records.record(AccountPath.accountEvents)
      accountEvents = AccountEvents(number: (last?.number ?? 0).plus(1))
    }
    accountEvents?.all.append(AccountEvents.Event(kind, uid))
    if let accountEvents { draft.replace(AccountPath.accountEvents, with: text(of: accountEvents)) }
  }
}
