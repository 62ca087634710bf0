import HearthDatabase
import HearthEngine
import HearthJournal
import HearthTestKit
import HearthTree
import Testing

/// Tests of the delay of answers to transactions.
@Suite struct DatabaseTransactionTests {
  private static let open = #"{"rules": {".read": true, ".write": true}}"#

  /// Returns a transaction that increments the number at a path.
  private static func increment(_ path: String) -> Command.Action {
    .transact(
      Transaction { draft in
        var number: Int64 = 0
        if case .int(let old)? = draft.root[Path(path)].scalar { number = old }
        draft.replace(Path(path), with: Node(.int(number + 1)))
        return true
      })
  }

  private func command(_ action: Command.Action) -> Command {
    Command(connection: ConnectionID(rawValue: 1), request: 1, principal: .administrator, action: action)
  }

  @Test("the response waits for the disk, also without a change")
  func durable() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let database = try host.database(journal, rules: Self.open)
    journal.gate.close()
    let look = Command.Action.transact(Transaction { _ in false })
    database.submit([command(Self.increment("n"))])
    host.waitUntil { journal.gate.waitingCount == 1 }
    database.submit([command(look)])
    host.settle(database)
    #expect(host.lines == [])
    #expect(database.published.root.isEmpty)
    journal.gate.open()
    host.expect(["1 ok", "1 ok"])
    #expect(database.published.root[Path("n")] == Node(.int(1)))
    database.close()
  }

  @Test("a transaction whose commit failed may have been made, and those after it were not")
  func failingDisk() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    journal.failAppend(2, MemoryJournal.Fault(.inputOutput))
    let database = try host.database(journal, rules: Self.open)
    for count in 1...3 {
      database.submit([command(Self.increment("n"))])
      host.waitUntil { host.lines.count == count }
    }
    host.expect(["1 ok", "1 outcome-unknown", "1 unavailable"])
    #expect(database.published.root[Path("n")] == Node(.int(1)))
    database.close()
  }

  /// Submits a compared write of a number for a connection.
  private func swap(_ database: Database, _ who: UInt64, _ old: Int64?, _ new: Int64) {
    let operation = WriteOperation(
      .put(Location(path: Path("c")), WriteValue(Node(.int(new)))),
      expectedHash: old.map { Node(.int($0)).simpleHash() } ?? "")
    database.submit([Command(connection: ConnectionID(rawValue: who), request: 1, action: .write(operation))])
  }

  @Test("a turn's time begins when its answer is sent, and ends by the clock")
  func turns() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let database = try host.database(journal, rules: Self.open)
    for who in 1...3 { host.send(database, from: UInt64(who), [.connect]) }
    swap(database, 1, nil, 1)
    host.expect(["1 ok", "2 ok", "3 ok", "1 written 1"])
    journal.gate.close()
    host.send(database, [.put("d", 1)])
    host.waitUntil { journal.gate.waitingCount == 1 }
    swap(database, 2, nil, 1)
    swap(database, 3, nil, 1)
    host.settle(database)
    // The least time before the answer counts from the end of the append, within limits.
    host.advance(to: 9_000)
    host.settle(database)
    #expect(host.lines.count == 4)
    journal.gate.open()
    host.waitUntil { host.timers.contains(9_500) && host.lines.count == 6 }
    #expect(host.lines.dropFirst(4) == ["1 written 1", "2 stale 1"])
    host.advance(to: 9_500)
    host.waitUntil { host.lines.count == 7 }
    #expect(host.lines.last == "3 stale 1")
    database.close()
  }

  @Test("clients that wait for a turn are answered when the database closes")
  func turnsAtTheEnd() throws {
    let host = DatabaseHost()
    let database = try host.database(MemoryJournal(), rules: Self.open)
    for who in 1...3 { host.send(database, from: UInt64(who), [.connect]) }
    swap(database, 1, nil, 1)
    swap(database, 2, nil, 1)
    swap(database, 3, nil, 1)
    host.expect(["1 ok", "2 ok", "3 ok", "1 written 1", "2 stale 1"])
    database.close()
    #expect(host.lines.last == "3 unavailable")
  }
}
