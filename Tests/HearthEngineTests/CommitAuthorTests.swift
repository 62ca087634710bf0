import HearthRules
import HearthTree
import Testing

@testable import HearthEngine

@Suite struct CommitAuthorTests {
  /// The example in the description of the format.
  private static let example: [UInt8] = [
    0x33, 0xAC, 0x02, 0x02, 0x75, 0x37, 0x08, 0x70, 0x61, 0x73, 0x73, 0x77, 0x6F, 0x72, 0x64,
  ]

  private static let open = #"{"rules": {".read": true, ".write": true}}"#

  private func engine(recordsAuthors: Bool = true) throws -> Engine {
    var limits = EngineLimits()
    limits.recordsAuthors = recordsAuthors
    return Engine(
      state: DatabaseState(root: .empty, rules: try RuleSet.compile(Self.open), position: 0), limits: limits)
  }

  private let instant = Instant(wallMilliseconds: 1_700_000_000_000, monotonicMilliseconds: 0)

  private func put(_ path: String, _ value: Int64) -> Command.Action {
    .write(WriteOperation(.put(Location(path: Path(path)), WriteValue(Node(.int(value))))))
  }

  @Test func `the example of the description is encoded and decoded`() throws {
    let author = CommitAuthor(
      uid: "u7", provider: "password", connection: ConnectionID(rawValue: 300), address: .publicNetwork)
    var bytes: [UInt8] = []
    author.append(to: &bytes)
    #expect(bytes == Self.example)
    try Self.example.withUnsafeBytes { raw in
      var cursor = ByteCursor(raw)
      let found = try CommitAuthor(&cursor)
      #expect(found == author)
      #expect(cursor.isAtEnd)
    }
  }

  @Test func `a record names its writer by the credential and the address`() throws {
    var engine = try engine()
    let ann = Principal(
      auth: .object([
        .init("uid", .string("ann")),
        .init("token", .object([.init("firebase", .object([.init("sign_in_provider", .string("password"))]))])),
      ]))
    let (one, two) = (ConnectionID(rawValue: 1), ConnectionID(rawValue: 2))
    let batch = engine.decide(
      [
        Command(connection: one, address: .publicNetwork, action: .connect),
        Command(connection: one, action: .authenticate(ann)),
        Command(connection: one, action: put("a", 1)),
        Command(connection: two, principal: .administrator, address: .machine, action: put("b", 2)),
        Command(connection: two, principal: .signedOut, action: put("c", 3)),
      ], at: instant)
    let records = try CommitRecord.decode(batch.payload)
    #expect(
      records.map(\.author) == [
        CommitAuthor(uid: "ann", provider: "password", connection: one, address: .publicNetwork),
        CommitAuthor(uid: nil, connection: two, address: .machine, isAdministrator: true),
        CommitAuthor(uid: nil, connection: two),
      ])
  }

  @Test func `a record has no author unless that is enabled, and the author counts towards its size`() throws {
    var (engineWithout, engineWith) = (try engine(recordsAuthors: false), try engine())
    let uid = String(repeating: "u", count: 28)
    let person = Principal(
      auth: .object([.init("uid", .string(uid)), .init("provider", .string("password"))]))
    let command = Command(
      connection: ConnectionID(rawValue: 9), principal: person, address: .publicNetwork, action: put("a", 1))
    let (without, with) = (
      engineWithout.decide([command], at: instant).payload, engineWith.decide([command], at: instant).payload
    )
    #expect(try CommitRecord.decode(without).map(\.author) == [nil])
    // 40 bytes for the author, and 3 for the rule that granted the write.
    #expect(with.count - without.count == 40 + 3)
  }

  @Test func `long texts are cut between characters`() {
    let long = String(repeating: "é", count: 200)
    let author = CommitAuthor(uid: long, provider: "x" + long, connection: ConnectionID(rawValue: 1))
    #expect(author.uid == String(repeating: "é", count: 128))
    #expect(author.provider == "x" + String(repeating: "é", count: 127))
  }

  @Test func `flags that no version writes are refused`() {
    for flags in [UInt8(0x08), 0x40, 0x80] {
      #expect(throws: RecordError.self) {
        try CommitRecord.decode([12, 0, 0, 0, 0x41, 0, 0, 0, 0, 0, 0, 0, 0, flags, 0, 0])
      }
    }
  }
}
