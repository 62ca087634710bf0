import HearthDatabase
import HearthEngine
import HearthJournal
import HearthTestKit
import HearthTree
import Testing

/// When transactions are answered.
@Suite struct DatabaseTransactionTests {
  private static let open = #"{"rules": {".read": true, ".write": true}}"#

  /// Adds one to the number at a path.
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
    Command(connection: ConnectionID(rawValue: 1), request: 1, identity: .administrator, action: action)
  }

  @Test("the answer waits for the disk, also when nothing was changed")
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

  @Test("a transaction whose commit failed may have been done, and those after it were not")
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
}
