import HearthJournal
import HearthRules
import HearthTestKit
import HearthTree
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Tests of large writes in the background. Their queue is suspended, so that a test controls how long they take.
@Suite struct DatabaseLargeWriteTests {
  private static let rules = """
    {"rules": {".read": true, ".write": true, "big": {"$k": {".validate": "root.child('gate').val() != 'shut'"}}}}
    """

  private static var limits: DatabaseLimits {
    var limits = DatabaseLimits()
    (limits.engine.largeWriteBytes, limits.recordPieceBytes, limits.snapshotIntervalBytes) = (300, 200, 300)
    return limits
  }

  private static let many = (0..<100).reduce(Node.empty) { $0.replacing(Path("k\($1)"), with: Node(.int(1))) }

  private static func write(_ connection: UInt64, _ path: String, _ node: Node) -> Command {
    Command(
      connection: ConnectionID(rawValue: connection), request: 1,
      action: .write(WriteOperation(.put(Location(path: Path(path)), WriteValue(node)))))
  }

  private static func other(_ connection: UInt64, _ action: Command.Action) -> Command {
    Command(connection: ConnectionID(rawValue: connection), request: 1, action: action)
  }

  /// Returns the recipients of events and answers in order.
  private static func told(_ host: DatabaseHost) -> [String] {
    host.lines.map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
  }

  private static func begin(_ host: DatabaseHost) throws -> Database {
    let database = try host.database(MemoryJournal(), rules: rules, limits: limits)
    database.submit((1...4).map { other($0, .connect) })
    host.expect(["1 ok", "2 ok", "3 ok", "4 ok"])
    return database
  }

  @Test
  func `other commands run while a large write is decided, and commands at its location and of its connection wait`()
    throws
  {
    let host = DatabaseHost()
    let database = try Self.begin(host)
    database.decider.pool.writes.suspend()
    database.submit([Self.write(1, "big", Self.many), Self.write(1, "after", Node(.int(1)))])
    database.submit([
      Self.write(3, "big/k1", Node(.int(3))), Self.write(2, "small", Node(.int(2))),
      Self.other(2, .get(Path("small"))), Self.other(3, .get(Path("big"))),
    ])
    host.waitUntil { host.lines.count >= 6 }
    #expect(Self.told(host).dropFirst(4) == ["2 written 2", "2 value 2"])
    #expect(database.published.root[Path("big")].isEmpty)
    database.decider.pool.writes.resume()
    host.waitUntil { host.lines.count >= 10 }
    #expect(
      Self.told(host).dropFirst(6).map { String($0.prefix(9)) } == ["1 written", "3 written", "1 written", "3 value {"])
    #expect(database.published.root[Path("big/k1")].scalar == .int(3))
    #expect(database.published.root[Path("big")].childCount == 100)
    database.close()
  }

  @Test func `a large write whose data changes is decided again, and the last time exclusively`() throws {
    let host = DatabaseHost()
    let database = try Self.begin(host)
    database.decider.pool.writes.suspend()
    database.submit([Self.write(1, "big", Self.many)])
    host.settle(database)
    database.submit([Self.write(2, "gate", Node(.string("ajar")))])
    host.waitUntil { host.lines.count >= 5 }
    // Decided from a tree without the gate; the second time the gate does not change.
    database.decider.pool.writes.resume()
    host.waitUntil { host.lines.count >= 6 }
    #expect(Self.told(host).last?.hasPrefix("1 written") == true)
    database.decider.pool.writes.suspend()
    database.submit([Self.write(1, "big", .empty.replacing(Path("k"), with: Self.many))])
    host.settle(database)
    database.submit([Self.write(2, "gate", Node(.string("shut")))])
    host.waitUntil { host.lines.count >= 7 }
    database.decider.pool.writes.resume()
    host.waitUntil { host.lines.count >= 9 }
    #expect(Self.told(host).last == "1 permission-denied")
    #expect(database.published.root[Path("big")].childCount == 100)
    database.close()
  }

  @Test func `pending comparisons of large values delay only their own connections`() throws {
    let host = DatabaseHost()
    var limits = Self.limits
    (limits.engine.inlineHashBytesMax, limits.comparedListensWaitingMax) = (300, 2)
    let database = try host.database(MemoryJournal(), rules: Self.rules, limits: limits)
    database.submit((1...9).map { Self.other($0, .connect) })
    database.submit([Self.write(1, "seen", Self.many)])
    host.waitUntil { host.lines.count >= 10 }
    database.decider.pool.reads.suspend()
    // Each compares another query, so that none shares another's outcome.
    for connection in UInt64(1)...5 {
      let query = Query(order: .key, limit: .last(50 + Int(connection)))
      let listen = ListenRequest(Path("seen"), hash: "wrong", query: query, tag: 1)
      database.submit([Self.other(connection, .listen(listen)), Self.write(connection, "after", Node(.int(1)))])
    }
    database.submit([Self.write(6, "big", Self.many), Self.write(7, "small", Node(.int(1)))])
    // One comparison is in progress, two wait, and two listeners receive all data.
    host.waitUntil { host.lines.count >= 18 }
    #expect(
      Set(Self.told(host).dropFirst(10).map { $0.prefix(9) }) == [
        "4#1 < put", "4 ok", "4 written", "5#1 < put", "5 ok", "5 written", "6 written", "7 written",
      ])
    database.decider.pool.reads.resume()
    host.waitUntil { host.lines.count >= 27 }
    for connection in 1...5 {
      let told = Self.told(host).dropFirst(10).filter { $0.hasPrefix("\(connection) ") }
      #expect(told.last == "\(connection) written 1" && told.count == 2, "\(connection): what came later comes later")
    }
    database.close()
  }

  @Test func `many sockets of one network wait for each other, and another network's large write comes next`() throws {
    let host = DatabaseHost()
    let database = try Self.begin(host)
    let (one, other) = (NetworkPrefix(addressBytes: [192, 0, 2, 1]), NetworkPrefix(addressBytes: [198, 51, 100, 1]))
    for connection in UInt64(10)...22 {
      database.submit([
        Command(
          connection: ConnectionID(rawValue: connection), request: 1, network: connection < 22 ? one : other,
          action: .connect)
      ])
    }
    host.waitUntil { host.lines.count >= 17 }
    database.decider.pool.writes.suspend()
    for connection in UInt64(10)...22 { database.submit([Self.write(connection, "at\(connection)", Self.many)]) }
    host.settle(database)
    database.decider.pool.writes.resume()
    host.waitUntil { host.lines.count >= 30 }
    let order = host.lines.dropFirst(17).map { $0.prefix(2) }
    #expect(order.prefix(2) == ["10", "22"] && Set(order).count == 13)
    database.close()
  }

  @Test func `closing waits for a large write and for the commands that wait for it`() throws {
    let host = DatabaseHost()
    let database = try Self.begin(host)
    database.submit([
      Self.write(1, "big", Self.many), Self.write(2, "big", .empty.replacing(Path("k"), with: Self.many)),
      Self.write(1, "after", Node(.int(1))), Self.write(2, "after", Node(.int(2))),
    ])
    database.close()
    #expect(Self.told(host).dropFirst(4).filter { $0.contains("written") }.count == 4)
    #expect(database.published.root[Path("big")].childCount == 1)
    #expect(database.published.root[Path("after")].scalar == .int(2))
  }

  @Test func `a client that reconnects waits for the end of its former connection`() throws {
    let host = DatabaseHost()
    let database = try Self.begin(host)
    database.submit([Self.other(1, .onDisconnect(.put(Location(path: Path("seen")), WriteValue(Node(.int(1))))))])
    host.waitUntil { host.lines.count >= 5 }
    database.decider.pool.writes.suspend()
    database.submit([Self.write(1, "big", Self.many)])
    database.end(ConnectionID(rawValue: 1), before: ConnectionID(rawValue: 2))
    database.submit([Self.write(2, "seen", Node(.int(2))), Self.write(3, "small", Node(.int(3)))])
    host.waitUntil { host.lines.count >= 6 }
    #expect(Self.told(host).last == "3 written 3")
    database.decider.pool.writes.resume()
    host.waitUntil { host.lines.count >= 8 }
    #expect(Self.told(host).last == "2 written 2")
    #expect(database.published.root[Path("seen")].scalar == .int(2))
    database.close()
  }

  @Test func `a long record is stored in pieces, and is assembled across interleaved records`() throws {
    let (host, journal) = (DatabaseHost(), MemoryJournal())
    var limits = Self.limits
    limits.snapshotIntervalBytes = 1 << 20
    let database = try host.database(journal, rules: Self.rules, limits: limits)
    database.submit((1...2).map { Self.other($0, .connect) } + [Self.write(1, "big", Self.many)])
    for number in 0..<50 { database.submit([Self.write(2, "small", Node(.int(Int64(number))))]) }
    host.waitUntil { host.lines.count >= 53 }
    let state = database.published
    #expect(state.position > 53)
    // Opened again without closing, as after a kill.
    let again = try DatabaseHost().database(journal.crash(), rules: Self.rules, limits: limits)
    #expect(again.published.root == state.root)
    #expect(again.published.position == state.position)
    #expect(again.published.root[Path("big")].childCount == 100)
    again.close()
    database.close()
  }

  @Test func `pieces without a last piece are of a write that was not made`() throws {
    let journal = MemoryJournal()
    var head = try journal.acquire()
    var engine = Engine(state: DatabaseState(root: .empty, rules: try RuleSet.compile(Self.rules), position: 0))
    let instant = Instant(wallMilliseconds: 1, monotonicMilliseconds: 1)
    func append(_ batch: Batch) throws {
      let entry = JournalBatch(
        firstPosition: batch.firstPosition, lastPosition: batch.state.position, payload: batch.payload)
      head = try journal.append(entry, after: head)
    }
    let (first, number) = LargeWrite.stage([1, 2, 3], number: nil, at: instant, in: &engine)
    try append(first)
    try append(LargeWrite.stage([4, 5], number: number, at: instant, in: &engine).batch)
    let small = Command(connection: ConnectionID(rawValue: 1), principal: .administrator, action: .put("small", 1))
    try append(engine.decide([small], at: instant))
    let database = try DatabaseHost().database(journal.crash(), rules: Self.rules)
    #expect(database.published.position == 3)
    #expect(database.published.root == Node.empty.replacing(Path("small"), with: Node(.int(1))))
    database.close()
  }

  @Test func `records in pieces are decoded as they were encoded`() throws {
    var bytes: [UInt8] = []
    CommitRecord(wallMilliseconds: 5, content: .piece(number: 9, bytes: [7, 8][...])).append(to: &bytes)
    CommitRecord(wallMilliseconds: 6, content: .lastPiece(number: 9, count: 1)).append(to: &bytes)
    let records = try CommitRecord.decode(bytes)
    guard records.count == 2, case .piece(9, let piece) = records[0].content,
      case .lastPiece(9, 1) = records[1].content
    else {
      Issue.record("\(records)")
      return
    }
    #expect(Array(piece) == [7, 8])
  }
}
