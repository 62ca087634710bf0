import HearthEngine
import HearthJournal
import HearthRules
import HearthTestKit
import HearthTree
import Testing

@testable import HearthDatabase

/// Tests of a disk with little free space: refused and accepted writes, and how a database frees space.
@Suite struct DatabaseSpaceTests {
  private static let open = #"{ "rules": { ".read": true, ".write": true } }"#

  private func write(_ path: String, _ node: Node, as principal: Principal?) -> Command {
    Command(
      connection: ConnectionID(rawValue: 1), request: 1, principal: principal,
      action: .write(WriteOperation(.put(Location(path: Path(path)), WriteValue(node)))))
  }

  @Test(
    "clients' writes are refused, administrators' removals and rules are accepted, and all of them when there is space")
  func refusals() throws {
    let host = DatabaseHost()
    let database = try host.database(MemoryJournal(), rules: Self.open)
    host.send(database, from: 1, [.connect, .put("a", 1), .put("b", 2)])
    host.finish(database)
    let start = host.lines.count
    database.setSpaceLow(true)
    database.submit([write("a", Node(.int(2)), as: nil)])
    database.submit([write("a", .empty, as: nil)])
    database.submit([write("c", Node(.int(2)), as: .administrator)])
    database.submit([write("b", .empty, as: .administrator)])
    database.submit([
      Command(
        connection: ConnectionID(rawValue: 1), request: 1, principal: .administrator,
        action: .deployRules(try RuleSet.compile(Self.open)))
    ])
    host.send(database, from: 1, [.get(Path("a"))])
    host.finish(database)
    #expect(
      host.lines.dropFirst(start)
        == ["1 no-space", "1 no-space", "1 no-space", "1 written null", "1 ok", "1 value 1"])
    #expect(database.published.root[Path("a")] == Node(.int(1)) && database.published.root[Path("b")].isEmpty)
    #expect(database.status == .running && database.isSpaceLow)
    database.setSpaceLow(false)
    database.submit([write("a", Node(.int(2)), as: nil)])
    host.finish(database)
    #expect(host.lines.last == "1 written 2")
    database.close()
  }

  @Test("the message says that the disk is nearly full, with the code of a full one")
  func words() {
    #expect(Failure.lowSpace == .noSpace)
    #expect(Failure.lowSpace.message == "The server's disk is nearly full. Nothing was written; try again later.")
  }

  @Test("onDisconnect writes are made despite a lack of disk space")
  func onDisconnect() throws {
    let host = DatabaseHost()
    let database = try host.database(MemoryJournal(), rules: Self.open)
    let change = WriteOperation.Change.put(Location(path: Path("gone")), WriteValue(Node(.int(1))))
    host.send(database, from: 1, [.connect, .onDisconnect(change)])
    host.finish(database)
    database.setSpaceLow(true)
    host.send(database, from: 2, [.connect, .onDisconnect(change)])
    host.finish(database)
    #expect(host.lines.last == "2 no-space")
    host.send(database, from: 1, [.disconnect])
    host.finish(database)
    #expect(database.published.root[Path("gone")] == Node(.int(1)))
    database.close()
  }

  @Test(
    "after large removals a snapshot replaces the log, once for each state and only when it fits",
    .disabled(if: DatabaseHost.isPaged))
  func makesRoom() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let database = try host.database(journal, rules: Self.open)
    host.send(database, from: 1, [.connect])
    let text = Node(.string(String(repeating: "x", count: 100_000)))
    for number in 0..<30 { database.submit([write("k\(number)", text, as: .administrator)]) }
    host.finish(database)
    database.makeRoom(sizeBytesMax: .max)
    #expect(try journal.currentSnapshot() == nil, "there is no less data than log")
    for number in 1..<30 { database.submit([write("k\(number)", .empty, as: .administrator)]) }
    host.finish(database)
    database.makeRoom(sizeBytesMax: 1_000)
    database.snapshots.queue.sync {}
    #expect(try journal.currentSnapshot() == nil, "it does not fit")
    database.submit([write("else", .empty, as: .administrator), write("k2", Node(.int(1)), as: .administrator)])
    host.finish(database)
    database.makeRoom(sizeBytesMax: 1 << 20)
    database.snapshots.queue.sync {}
    let snapshot = try #require(try journal.currentSnapshot())
    #expect(snapshot.position == database.published.position && snapshot.sizeBytes < 200_000)
    #expect(try journal.oldestPosition() == snapshot.position)
    database.makeRoom(sizeBytesMax: 1 << 20)
    database.snapshots.queue.sync {}
    #expect(host.notices == ["snapshot"])
    database.close()
  }

  @Test(
    "a snapshot without space is not begun and the log grows instead; it is written when there is space",
    .disabled(if: DatabaseHost.isPaged))
  func noRoomForSnapshot() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    var limits = DatabaseLimits()
    limits.snapshotIntervalBytes = 400_000
    let database = try host.database(journal, rules: Self.open, limits: limits)
    database.setSnapshotRoom(300_000)
    let text = Node(.string(String(repeating: "x", count: 100_000)))
    for number in 0..<12 { database.submit([write("k\(number)", text, as: .administrator)]) }
    host.finish(database)
    database.snapshots.queue.sync {}
    #expect(try journal.currentSnapshot() == nil && host.notices == ["snapshot over 300000"])
    #expect(database.figures().journalBytes > 1_200_000 && database.snapshotNeedBytes > 1_200_000)
    database.setSnapshotRoom(350_000)
    database.snapshots.queue.sync {}
    #expect(try journal.currentSnapshot() == nil, "that is hardly more")
    database.setSnapshotRoom(2_000_000)
    database.snapshots.queue.sync {}
    #expect(try journal.currentSnapshot()?.position == database.published.position)
    #expect(host.notices == ["snapshot over 300000", "snapshot"])
    #expect(database.figures().journalBytes == 0 && database.snapshotNeedBytes == 0)
    database.close()
  }

  @Test(
    "the space for a snapshot depends on the current data, not on the log",
    .disabled(if: DatabaseHost.isPaged))
  func roomForWhatIsThere() throws {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    var limits = DatabaseLimits()
    limits.snapshotIntervalBytes = 400_000
    let database = try host.database(journal, rules: Self.open, limits: limits)
    database.setSnapshotRoom(300_000)
    for letter in "abcdef" {
      let text = Node(.string(String(repeating: letter, count: 100_000)))
      database.submit([write("same", text, as: .administrator)])
    }
    host.finish(database)
    database.snapshots.queue.sync {}
    #expect(host.notices == ["snapshot"])
    #expect(try (journal.currentSnapshot()?.sizeBytes ?? 0) < 110_000)
    database.close()
  }

  @Test(
    "a snapshot at shutdown leaves the next start no log to replay, if there is time for it",
    .disabled(if: DatabaseHost.isPaged))
  func snapshotAtTheEnd() throws {
    var limits = DatabaseLimits()
    limits.closingLogBytes = 10_000
    func life(_ count: Int64, _ end: (Database) -> Void) throws -> (notices: [String], RecoveryReport) {
      let (host, journal) = (DatabaseHost(), MemoryJournal())
      let database = try host.database(journal, rules: Self.open, limits: limits)
      host.send(database, from: 1, [.connect])
      for number in 0..<count { host.send(database, from: 1, [.put("k", number)]) }
      host.finish(database)
      end(database)
      let again = try DatabaseHost().database(journal.crash(), rules: Self.open, limits: limits)
      defer { again.close() }
      #expect(again.published.root[Path("k")] == Node(.int(count - 1)))
      return (host.notices, again.recovery)
    }
    let (notices, report) = try life(2_000) { $0.close(snapshotsEnd: 1) }
    #expect(notices == ["snapshot"] && report.replayedCommitCount == 0 && report.snapshotPosition == 2_000)
    #expect(try life(2_000) { $0.close(snapshotsEnd: 0) }.1.replayedCommitCount == 2_000, "there was no time")
    #expect(try life(2_000) { $0.close() }.1.replayedCommitCount == 2_000)
    #expect(try life(5) { $0.close(snapshotsEnd: 1) }.1.replayedCommitCount == 5, "it is soon replayed")
  }
}
