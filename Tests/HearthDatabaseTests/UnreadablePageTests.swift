import Foundation
import HearthJournal
import HearthRules
import HearthTestKit
import HearthTree
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Tests of databases with a page that cannot be read.
@Suite struct UnreadablePageTests {
  private static let rules = """
    {"rules": {
      "rooms": {".write": true, "$room": {".read": true}},
      "flag": {".write": true},
      "list": {
        ".read": "root.child('flag').exists() || root.child('rooms/r3/m77').exists()",
        ".write": "root.child('flag').exists() || root.child('rooms/r3/m77').val() == null"}}}
    """

  /// A database after a checkpoint of ten rooms, in whose third room a message is on a damaged page.
  private struct Damaged {
    let host = DatabaseHost()
    let journal: any Journal
    let database: Database

    init(_ journal: any Journal = MemoryJournal(), _ before: [Command.Action] = []) throws {
      self.journal = journal
      database = try host.database(journal, rules: UnreadablePageTests.rules, isPaged: true)
      let rooms = (0..<10).map { room in
        let messages = (0..<200).map { (Path("m\($0)"), Node(.string("room \(room), message \($0)"))) }
        return (Path("r\(room)"), Node.empty.replacing(messages))
      }
      host.send(
        database,
        [
          .write(WriteOperation(.put(Location(path: Path("rooms")), WriteValue(Node.empty.replacing(rooms))))),
          .put("flag", 1), .connect,
        ] + before)
      host.finish(database)
      guard database.snapshots.schedule.withLock({ $0.begin() }) else { throw JournalError(.failed, "no checkpoint") }
      database.snapshots.queue.sync { database.snapshots.write(database.published) }
      send([.tick])
      try damage()
    }

    /// Damages the page, or repairs it.
    func damage() throws {
      let file = URL(filePath: try #require(host.pageFolder(of: journal)) + "/00000000.seg")
      var data = try Data(contentsOf: file)
      let place = try #require(
        data.range(of: Data("room 3, message 77".utf8)) ?? data.range(of: Data("soom 3, message 77".utf8)))
      data[place.lowerBound] ^= 1
      try data.write(to: file)
    }

    /// Returns the lines that some actions give, of the connection itself.
    @discardableResult
    func send(_ actions: [Command.Action]) -> [String] {
      let start = host.lines.count
      database.submit(
        actions.map { Command(connection: ConnectionID(rawValue: 1), request: 1, action: $0) })
      host.finish(database)
      // The next round over the pages evicts them.
      for _ in 0..<3 {
        database.submit([Command(connection: ConnectionID(rawValue: 0), action: .tick)])
        host.finish(database)
      }
      return Array(host.lines[start...])
    }
  }

  @Test("a page that cannot be read fails the commands that need it and no others, and is tried again")
  func commands() throws {
    let query = Query(order: .key, limit: .last(200))
    let room = Path("rooms/r3")
    let actions: [Command.Action] = [
      .put("rooms/r3/m77", 1), .get(Path("rooms/r3/m77")), .listen(ListenRequest(room, query: query, tag: 1)),
      .listen(ListenRequest(room, hash: "hash")),
      .onDisconnect(.put(Location(path: Path("rooms/r3/m77")), WriteValue(Node(.int(1))))),
      .write(WriteOperation(.put(Location(path: room), WriteValue(Node(.int(1)))), expectedHash: "hash")),
    ]
    let damaged = try Damaged()
    for action in actions {
      #expect(damaged.send([action]) == ["1 unavailable"], "\(action)")
      #expect(damaged.send([.put("rooms/r4/m7", 7), .get(Path("rooms/r4/m7"))]) == ["1 written 7", "1 value 7"])
    }
    #expect(damaged.database.status == .running)
    try damaged.damage()
    #expect(damaged.send([.put("rooms/r3/m77", 1)]) == ["1 written 1"])
    damaged.database.close()
  }

  @Test("a decision that needs a page that cannot be read is no decision: it is neither sent nor reported")
  func decisions() throws {
    let damaged = try Damaged()
    damaged.send([.write(WriteOperation(.put(Location(path: Path("flag")), WriteValue(.empty))))])
    // Without the message, the rules deny the first and grant the second.
    #expect(damaged.send([.listen(ListenRequest(Path("list")))]) == ["1 unavailable"])
    #expect(damaged.send([.put("list/a", 1)]) == ["1 unavailable"])
    #expect(damaged.database.published.root[Path("list")].isEmpty && damaged.database.status == .running)
    damaged.database.close()
  }

  @Test("the operator is told of the database, the path and the file, once in some seconds")
  func notices() throws {
    let damaged = try Damaged()
    for _ in 0..<3 { damaged.send([.get(Path("rooms/r3"), Query(order: .key, limit: .last(200)))]) }
    func count() -> Int { damaged.host.notices.filter { $0 == "page" }.count }
    #expect(count() == 1)
    damaged.host.advance(to: 5_000)
    damaged.send([.put("rooms/r3/m77", 1)])
    #expect(count() == 2)
    let line = DatabaseNotice.pageUnreadable(
      JournalError(.corrupt, "text", at: JournalError.Place(file: "/file")), path: Path("rooms/r3")
    ).line
    #expect(line.level == .error && line.text == "a page cannot be read: requests that need it at /rooms/r3 fail")
    damaged.database.close()
  }

  @Test("a redecision that needs a page that cannot be read stops the database before anything is passed on")
  func redecision() throws {
    let damaged = try Damaged(MemoryJournal(), [.listen(ListenRequest(Path("list")))])
    let (position, count) = (damaged.database.published.position, damaged.host.lines.count)
    #expect(
      damaged.send([.write(WriteOperation(.put(Location(path: Path("flag")), WriteValue(.empty))))])
        == ["1 unavailable"])
    #expect(damaged.database.status == .halted(JournalError(.corrupt, "")))
    #expect(damaged.database.published.position == position && damaged.host.lines.count == count + 1)
    #expect(damaged.host.notices.last == "halted")
    damaged.database.close()
  }

  @Test("on-disconnect writes that need a page that cannot be read are made when it can be read")
  func onDisconnect() throws {
    let write = WriteOperation.Change.put(Location(path: Path("rooms/r3/m77")), WriteValue(Node(.string("gone"))))
    let damaged = try Damaged(MemoryJournal(), [.onDisconnect(write)])
    damaged.send([.disconnect])
    #expect(damaged.database.status == .running && damaged.database.published.sessions.count == 1)
    damaged.host.advance(to: 10_000)
    damaged.host.finish(damaged.database)
    #expect(damaged.database.published.sessions.count == 1)
    try damaged.damage()
    damaged.host.advance(to: 20_000)
    damaged.host.finish(damaged.database)
    #expect(damaged.database.published.sessions.count == 0)
    #expect(damaged.database.published.root[Path("rooms/r3/m77")] == Node(.string("gone")))
    damaged.database.close()
  }

  @Test("triggers that need a page that cannot be read stop the database before the commit is stored")
  func triggers() throws {
    let damaged = try Damaged(OutboxMemoryJournal())
    damaged.database.setOutbox(
      DatabaseOutbox(
        entries: { changes in
          for change in changes { _ = change.oldRoot[Path("rooms/r3/m77")] }
          return []
        }, stored: { _ in }))
    let position = damaged.database.published.position
    #expect(damaged.send([.put("rooms/r4/m7", 7)]) == ["1 outcome-unknown"])
    #expect(damaged.database.published.position == position && damaged.host.notices.last == "halted")
    damaged.database.close()
  }
}
