import HearthTree

/// A version of all accounts.
public struct AccountRecords: Sendable {
  let root: Node
  let damage: DamageReport

  /// The text of a leaf; nil when there is none.
  func text(_ path: Path) -> String? {
    let node = root[path]
    if node.isEmpty { return nil }
    if case .string(let text)? = node.scalar { return text }
    damage.add(path, "it is not a string")
    return nil
  }

  func integer(_ path: Path) -> Int64? {
    if case .int(let number)? = root[path].scalar { return number }
    return nil
  }

  /// The cutoff that a deleted user has left; nil for none.
  func cutoff(_ node: Node, at path: Path) -> TokenCutoff? {
    guard !node.isEmpty else { return nil }
    guard case .int(let seconds)? = node.scalar else {
      // Of an unreadable cutoff only this is known: it was before the latest time that the server has seen on its clock.
      return record(node, at: path)
        ?? TokenCutoff(generation: TokenCutoff.unreadable, seconds: integer(AccountPath.latest)?.plus(1) ?? .max)
    }
    // The previous version stored only the second of the deletion.
    return TokenCutoff(generation: 0, seconds: seconds.plus(Self.aheadSecondsMax + 1))
  }

  /// The seconds ahead of its clock to which the previous version issued tokens.
  private static let aheadSecondsMax: Int64 = 30

  /// The record at a path; nil when there is none, or when it is unreadable, which is reported.
  func record<Record: StoredRecord>(_ path: Path) -> Record? { record(root[path], at: path) }

  func record<Record: StoredRecord>(_ node: Node, at path: Path) -> Record? {
    if node.isEmpty { return nil }
    do throws(RecordDamage) {
      guard let json = node.withStringUTF8({ JSON(parsing: $0) }) ?? nil else { throw RecordDamage("it is not JSON") }
      return try Record(stored: RecordReader(json))
    } catch {
      damage.add(path, error.reason)
      return nil
    }
  }
}

/// A record that is stored as the text of a JSON object.
protocol StoredRecord {
  init(stored reader: RecordReader) throws(RecordDamage)
  func store(in writer: inout RecordWriter)
}

/// The reason why a record is unreadable, without its content.
struct RecordDamage: Error {
  var reason: String
  init(_ reason: String) { self.reason = reason }
}

/// Reads the members of a stored object.
struct RecordReader {
  private let json: JSON

  init(_ json: JSON) throws(RecordDamage) {
    guard json.members != nil else { throw RecordDamage("it is not an object") }
    self.json = json
  }

  func text(_ name: String) throws(RecordDamage) -> String {
    guard let text = try optionalText(name) else { throw RecordDamage("\(name) is missing") }
    return text
  }

  func optionalText(_ name: String) throws(RecordDamage) -> String? {
    guard let value = json[name] else { return nil }
    guard case .string(let text) = value else { throw RecordDamage("\(name) is not a string") }
    return text
  }

  func int(_ name: String) throws(RecordDamage) -> Int64 {
    guard let number = try optionalInt(name) else { throw RecordDamage("\(name) is missing") }
    return number
  }

  func optionalInt(_ name: String) throws(RecordDamage) -> Int64? {
    guard let value = json[name] else { return nil }
    guard case .int(let number) = value else { throw RecordDamage("\(name) is not a whole number") }
    return number
  }

  /// Returns a Boolean member; false when absent.
  func bool(_ name: String) throws(RecordDamage) -> Bool { try optionalBool(name) ?? false }

  func optionalBool(_ name: String) throws(RecordDamage) -> Bool? {
    guard let value = json[name] else { return nil }
    guard case .bool(let bool) = value else { throw RecordDamage("\(name) is neither true nor false") }
    return bool
  }

  func object(_ name: String) throws(RecordDamage) -> RecordReader? {
    guard let value = json[name] else { return nil }
    return try RecordReader(value)
  }

  /// Returns the objects of an array; empty when absent.
  func objects(_ name: String) throws(RecordDamage) -> [RecordReader] {
    guard let value = json[name] else { return [] }
    guard case .array(let elements) = value else { throw RecordDamage("\(name) is not an array") }
    var readers: [RecordReader] = []
    for element in elements { readers.append(try RecordReader(element)) }
    return readers
  }

  /// The elements of an array, all of them texts; absent is empty.
  func list(_ name: String) throws(RecordDamage) -> [String] {
    guard let elements = json[name]?.array else { return [] }
    var texts: [String] = []
    for element in elements {
      guard case .string(let text) = element else { throw RecordDamage("\(name) has an element that is not a string") }
      texts.append(text)
    }
    return texts
  }

  /// The members of an object, all of them texts; absent is empty.
  func texts(_ name: String) throws(RecordDamage) -> [String: String] {
    guard let members = json[name]?.members else { return [:] }
    var texts: [String: String] = [:]
    for member in members {
      guard case .string(let text) = member.value else {
        throw RecordDamage("\(name) has an element that is not a string")
      }
      texts[member.name] = text
    }
    return texts
  }
}

/// Writes the members of an object to be stored. Values that are nil, false or empty are omitted.
struct RecordWriter {
  private(set) var members: [JSON.Member] = []

  var json: JSON { .object(members) }

  init() {}

  init(_ record: some StoredRecord) { record.store(in: &self) }

  mutating func set(_ name: String, _ text: String?) {
    if let text { members.append(JSON.Member(name, .string(text))) }
  }

  mutating func set(_ name: String, _ number: Int64?) {
    if let number { members.append(JSON.Member(name, .int(number))) }
  }

  mutating func set(_ name: String, _ bool: Bool) {
    if bool { members.append(JSON.Member(name, .bool(true))) }
  }

  /// Writes the member also when it is false: for values whose default is true.
  mutating func set(_ name: String, stated bool: Bool) { members.append(JSON.Member(name, .bool(bool))) }

  mutating func set(_ name: String, _ record: (some StoredRecord)?) {
    if let record { members.append(JSON.Member(name, RecordWriter(record).json)) }
  }

  mutating func set(_ name: String, _ records: [some StoredRecord]) {
    if !records.isEmpty { members.append(JSON.Member(name, .array(records.map { RecordWriter($0).json }))) }
  }

  mutating func set(_ name: String, list: [String]) {
    if !list.isEmpty { members.append(JSON.Member(name, .array(list.map { .string($0) }))) }
  }

  mutating func set(_ name: String, _ texts: [String: String]) {
    let members = texts.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .string($0.value)) }
    if !members.isEmpty { self.members.append(JSON.Member(name, .object(members))) }
  }
}
