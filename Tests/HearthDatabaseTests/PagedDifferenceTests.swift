import HearthJournal
import HearthRules
import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// A comparison of databases with pages and without them.
@Suite struct PagedDifferenceTests {
  @Test("the same commands have the same effects and records with pages and without them, across restarts")
  func differential() throws {
    for seed in 1...Torture.count(sample: 4, full: 400) {
      var random = SeededRandom(seed: UInt64(seed))
      var (paged, plain) = (try Side(isPaged: true), try Side(isPaged: false))
      for step in 0..<160 {
        let (connection, actions) = Self.actions(&random)
        paged.send(connection, actions)
        plain.send(connection, actions)
        #expect(paged.hash == plain.hash, "seed \(seed), step \(step)")
        if random.isOne(in: 20) { try paged.clean() }
        if random.isOne(in: 12) {
          let isCrash = random.isOne(in: 2)
          try paged.restart(isCrash: isCrash)
          try plain.restart(isCrash: isCrash)
        }
        guard paged.host.lines == plain.host.lines, paged.isEqual(to: plain) else {
          Issue.record("seed \(seed), step \(step): they differ after \(actions)")
          break
        }
      }
      #expect(paged.host.notices.contains("checkpoint") && plain.host.notices.contains("snapshot"))
      #expect(!paged.host.notices.contains("snapshot") && !paged.host.notices.contains("pruning failed"))
      paged.database.close()
      plain.database.close()
    }
  }

  /// A database in the differential test.
  private struct Side {
    let host = DatabaseHost()
    let isPaged: Bool
    private var journal = MemoryJournal()
    private(set) var database: Database

    init(isPaged: Bool) throws {
      self.isPaged = isPaged
      database = try Self.open(journal, host, isPaged)
    }

    private static func open(_ journal: MemoryJournal, _ host: DatabaseHost, _ isPaged: Bool) throws -> Database {
      try host.database(
        journal, rules: PagedDatabaseTests.open, limits: PagedDatabaseTests.limits, isPaged: isPaged)
    }

    /// The hash of all records.
    var hash: RunningHash { database.writer.batches.pipeline.withLock { $0.head.runningHash } }

    func send(_ connection: UInt64, _ actions: [Command.Action]) {
      host.send(database, from: connection, actions)
      host.finish(database)
      database.snapshots.queue.sync {}
    }

    /// Stores all pages again, and removes the former files.
    func clean() throws {
      _ = try database.cleaner.clean(.all) { false }
      host.finish(database)
    }

    mutating func restart(isCrash: Bool) throws {
      if !isCrash { database.close(snapshotsEnd: .max) }
      let old = journal
      journal = old.crash()
      if isCrash { database.close() }
      database = try Self.open(journal, host, isPaged)
    }

    func isEqual(to other: Side) -> Bool {
      let (a, b) = (database.published, other.database.published)
      return a.root == b.root && a.sessions.tree == b.sessions.tree && a.storedRules == b.storedRules
        && a.position == b.position
    }
  }

  private static func query(_ random: inout SeededRandom) -> Query {
    let limit = random.isOne(in: 3) ? nil : random.isOne(in: 2) ? Query.Limit.first(3) : .last(3)
    return Query(order: random.pick([.key, .priority, .value]), limit: limit)
  }

  private static func actions(_ random: inout SeededRandom) -> (connection: UInt64, [Command.Action]) {
    let connection = UInt64(1 + random.below(3))
    let room = Path("rooms/r\(random.below(8))")
    let path = Path("\(room)/m\(random.below(60))")
    switch random.below(26) {
    case 0: return (connection, [.connect])
    case 1: return (connection, [.disconnect])
    case 2:
      let change = WriteOperation.Change.put(Location(path: path), WriteValue(Node(.string("gone"))))
      return (connection, [.onDisconnect(change)])
    case 3:
      let condition = random.isOne(in: 2) ? "true" : "now > \(random.below(9))"
      let source = "{\"rules\": {\".read\": \"\(condition)\", \".write\": true}}"
      return (connection, (try? RuleSet.compile(source)).map { [.deployRules($0)] } ?? [])
    case 4: return (connection, [.listen(ListenRequest(room))])
    case 5, 6: return (connection, [.get(room)])
    case 7: return (connection, [.get(path)])
    case 9: return (connection, [.get(room, query(&random))])
    case 10, 11:
      let (query, tag) = (query(&random), Int32(random.below(3)))
      return (connection, [.listen(ListenRequest(room, query: query, tag: tag))])
    case 12:
      let other = Path("rooms/r\(random.below(8))/m\(random.below(60))")
      let copy = Transaction { draft in
        draft.replace(path, with: draft.root[other])
        return true
      }
      return (connection, [.transact(copy)])
    case 13:
      // Most often the data is not this text.
      let hash = Node(.string("gone")).simpleHash()
      let change = WriteOperation.Change.put(Location(path: path), WriteValue(Node(.string("there"))))
      return (connection, [.write(WriteOperation(change, expectedHash: hash))])
    case 14: return (connection, [.unlisten(room), .listen(ListenRequest(room, hash: "hash"))])
    case 8:
      let change = WriteOperation.Change.put(Location(path: room), WriteValue(.empty))
      return (connection, [.write(WriteOperation(change))])
    default:
      let text = String(repeating: "text \(random.below(100)) ", count: random.isOne(in: 30) ? 9_000 : random.below(40))
      let value = random.isOne(in: 5) ? Node.empty : Node(.string(text))
      return (connection, [.write(WriteOperation(.put(Location(path: path), WriteValue(value))))])
    }
  }
}
