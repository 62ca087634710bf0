import Foundation
import HearthJournal
import HearthPages
import HearthTestKit
import HearthTree
import RandomTestKit
import Synchronization
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Tests of databases whose page files are cleaned.
@Suite struct SegmentCleanerTests {
  /// Limits with which files are cleaned on order only, and without a wait.
  private static var limits: DatabaseLimits {
    var limits = DatabaseLimits()
    (limits.cleanedBytesMin, limits.cleaningGraceMilliseconds) = (.max / 4, 0)
    return limits
  }

  /// A database with random data and a model of it.
  private struct Fixture {
    let host = DatabaseHost()
    var journal = MemoryJournal()
    var database: Database
    var model = Node.empty
    var random: SeededRandom

    init(seed: UInt64, limits: DatabaseLimits = SegmentCleanerTests.limits) throws {
      database = try host.database(journal, rules: PagedDatabaseTests.open, limits: limits, isPaged: true)
      random = SeededRandom(seed: seed)
    }

    var folder: String { host.pageFolder(of: journal) ?? "" }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

    /// Makes random changes.
    mutating func change(_ count: Int) {
      for _ in 0..<count {
        let path = Path("r\(random.below(20))/m\(random.below(100))")
        let value = random.below(1 << 20)
        let text = String(repeating: "text \(value) ", count: value % 60 == 0 ? 9_000 : value % 30 + 1)
        let node: Node = random.chance(10) ? .empty : Node(.string(text), priority: value % 5 == 0 ? .int(7) : nil)
        model = model.replacing(path, with: node)
        host.send(database, [.write(WriteOperation(.put(Location(path: path), WriteValue(node))))])
      }
    }

    func checkpoint() {
      host.finish(database)
      host.waitUntil { database.snapshots.schedule.withLock { $0.begin() } }
      database.snapshots.queue.sync { database.snapshots.write(database.published) }
    }

    /// Returns true when the database has the data of the model, all of it read from the files if it is not in memory.
    func isSame() -> Bool { isSame(database.published.root) }

    func isSame(_ root: Node) -> Bool {
      let (text, faults) = FaultScope.run(.stream) { root.json(.export) }
      return !faults.isIncomplete && text == model.json(.export)
    }
  }

  /// Counts that threads share.
  private final class Flag: Sendable {
    let isEnding = Atomic(false)
    let count = Atomic(0)
    let failed = Atomic(0)
  }

  @Test("a cleaning removes dead data and keeps every value, in memory and after a crash", arguments: 1...2)
  func cleans(seed: UInt64) throws {
    var fixture = try Fixture(seed: seed)
    for _ in 0..<6 {
      fixture.change(500)
      fixture.checkpoint()
    }
    let before = try #require(fixture.database.figures().pages)
    #expect(before.deadBytes > before.fileBytes / 4 && before.cleanedBytes == 0)
    let report = try fixture.database.cleaner.clean(.all) { false }
    let after = try #require(fixture.database.figures().pages)
    #expect(report.removedBytes >= before.fileBytes && after.fileBytes < before.fileBytes * 3 / 4)
    #expect(after.cleanedBytes == report.removedBytes && after.deadBytes < after.fileBytes / 5)
    #expect(fixture.names == ["00000001.seg"] && fixture.isSame())
    fixture.change(300)
    fixture.host.finish(fixture.database)
    #expect(fixture.isSame())
    let again = fixture.journal.crash()
    fixture.database.close()
    fixture.database = try fixture.host.database(
      again, rules: PagedDatabaseTests.open, limits: Self.limits, isPaged: true)
    #expect(fixture.isSame())
    #expect(fixture.host.notices.filter { $0 == "cleaned" }.count == 1)
    fixture.database.close()
  }

  @Test("a version that a reader holds stays readable, and its files stay until it is released")
  func heldVersion() throws {
    var fixture = try Fixture(seed: 9)
    fixture.change(500)
    fixture.checkpoint()
    var held: DatabaseState? = fixture.database.published
    let former = fixture
    fixture.change(1_000)
    fixture.checkpoint()
    let (database, flag) = (fixture.database, Flag())
    var isDone: Bool { flag.count.load(ordering: .relaxed) > 0 }
    let thread = Thread {
      _ = try? database.cleaner.clean(.all) { false }
      flag.count.add(1, ordering: .relaxed)
    }
    thread.start()
    // A reader may begin in the middle of a cleaning, too.
    Thread.sleep(forTimeInterval: 0.5)
    #expect(!isDone && fixture.names.contains("00000000.seg"))
    #expect(former.isSame(try #require(held).root))
    fixture.change(100)
    fixture.host.finish(database)
    #expect(!isDone)
    held = nil
    fixture.host.waitUntil { isDone }
    #expect(isDone && !fixture.names.contains("00000000.seg") && fixture.isSame())
    database.close()
  }

  @Test("cleanings beside writes, reads and evictions change no value")
  func besideWrites() throws {
    var fixture = try Fixture(seed: 5)
    fixture.change(700)
    fixture.checkpoint()
    let (database, flag) = (fixture.database, Flag())
    let host = fixture.host
    let cleaner = Thread {
      while !flag.isEnding.load(ordering: .relaxed) {
        if (try? database.cleaner.clean(.all) { false }) != nil { flag.count.add(1, ordering: .relaxed) }
      }
      flag.count.add(1_000, ordering: .relaxed)
    }
    let reader = Thread {
      while !flag.isEnding.load(ordering: .relaxed) {
        let root = database.published
        let (_, faults) = FaultScope.run(.install) { root.root.json(.export) }
        flag.failed.add(faults.failed, ordering: .relaxed)
      }
      flag.count.add(1_000, ordering: .relaxed)
    }
    cleaner.start()
    reader.start()
    for _ in 0..<20 {
      fixture.change(50)
      fixture.host.finish(database)
      #expect(fixture.isSame())
    }
    host.waitUntil { flag.count.load(ordering: .relaxed) > 1 }
    flag.isEnding.store(true, ordering: .relaxed)
    host.waitUntil { flag.count.load(ordering: .relaxed) > 2_000 }
    #expect(flag.count.load(ordering: .relaxed) > 2_001 && flag.failed.load(ordering: .relaxed) == 0)
    #expect(fixture.isSame() && database.status == .running)
    database.close()
  }

  @Test("a cleaning begins after a checkpoint once much is dead, and ends when the database closes")
  func due() throws {
    var limits = Self.limits
    limits.cleanedBytesMin = 50_000
    var fixture = try Fixture(seed: 2, limits: limits)
    for _ in 0..<8 {
      fixture.change(400)
      fixture.checkpoint()
    }
    let host = fixture.host
    host.waitUntil { host.notices.contains("cleaned") }
    #expect(host.notices.contains("cleaned"))
    fixture.change(500)
    fixture.host.finish(fixture.database)
    #expect(fixture.isSame() && fixture.database.figures().pages?.cleanedBytes ?? 0 > 0)
    fixture.database.close()
  }

  @Test("while all data is overwritten twenty times, the files take less than 1.8 times the live data")
  func bounded() throws {
    var limits = Self.limits
    limits.cleanedBytesMin = 20_000
    let fixture = try Fixture(seed: 1, limits: limits)
    let (host, database) = (fixture.host, fixture.database)
    var bytesMax = 0
    for round in 0..<20 {
      for room in 0..<20 {
        let messages = (0..<60).map { (Path("m\($0)"), Node(.string("round \(round), room \(room), message \($0)"))) }
        let value = WriteValue(Node.empty.replacing(messages))
        host.send(database, [.write(WriteOperation(.put(Location(path: Path("r\(room)")), value)))])
        guard room % 5 == 4 else { continue }
        fixture.checkpoint()
        host.waitUntil { database.figures().pages?.isCleaning == false }
        bytesMax = max(bytesMax, database.figures().pages?.fileBytes ?? .max)
      }
    }
    #expect(database.published.root.child("r7").child("m9").scalar == .string("round 19, room 7, message 9"))
    let liveBytes = try database.cleaner.clean(.all) { false }.fileBytes
    #expect(liveBytes > 30_000 && bytesMax < liveBytes * 18 / 10, "\(bytesMax) of \(liveBytes)")
    database.close()
  }

  @Test("after an erasure no branch has a key of the deleted data")
  func erasesKeys() throws {
    let fixture = try Fixture(seed: 6)
    let (host, database) = (fixture.host, fixture.database)
    func key(_ i: Int) -> String { "p\(1_000 + i)" + (i % 2 == 0 ? "" : "-secret") }
    func write(_ children: [(Path, Node)]) {
      let writes = children.map { Write(location: Location(path: $0), value: WriteValue($1)) }
      host.send(database, [.write(WriteOperation(.merge(Path("people"), writes)))])
      host.finish(database)
    }
    let text = Node(.string(String(repeating: "text ", count: 20)))
    write((0..<600).map { (Path(key($0)), text) })
    fixture.checkpoint()
    let secrets = (0..<600).filter { $0 % 2 == 1 }.map { Path(key($0)) }
    write(secrets.map { ($0, .empty) })
    fixture.checkpoint()
    _ = try database.erase(uid: nil, places: secrets.map { Path("people").appending($0) })
    for name in fixture.names {
      let bytes = try Data(contentsOf: URL(filePath: fixture.folder + "/" + name))
      #expect(bytes.range(of: Data("-secret".utf8)) == nil && bytes.range(of: Data("p1004".utf8)) != nil)
    }
    let people = database.published.root.child("people")
    #expect((0..<600).allSatisfy { people.child(Key(key($0))).isEmpty == ($0 % 2 == 1) } && people.childCount == 300)
    database.close()
  }

  @Test("after an erasure no file has the bytes of the deleted data, and they are overwritten before files are removed")
  func erases() throws {
    var fixture = try Fixture(seed: 4)
    let secrets = ["a-secret-of-eve", String(repeating: "a long secret of eve ", count: 8_000)]
    fixture.change(500)
    for (number, secret) in secrets.enumerated() {
      let write = WriteOperation(.put(Location(path: Path("users/eve/s\(number)")), WriteValue(Node(.string(secret)))))
      fixture.host.send(fixture.database, [.write(write)])
    }
    fixture.checkpoint()
    func isFound() throws -> Bool {
      try fixture.names.contains { name in
        let bytes = try Data(contentsOf: URL(filePath: fixture.folder + "/" + name))
        return bytes.range(of: Data(secrets[0].utf8)) != nil || bytes.range(of: Data(secrets[1].utf8.prefix(60))) != nil
      }
    }
    #expect(try isFound())
    let linked = fixture.folder + ".linked"
    defer { try? FileManager.default.removeItem(atPath: linked) }
    try FileManager.default.linkItem(atPath: fixture.folder + "/00000000.seg", toPath: linked)
    fixture.host.send(
      fixture.database, [.write(WriteOperation(.put(Location(path: Path("users/eve")), WriteValue(.empty))))])
    fixture.checkpoint()
    #expect(try isFound())
    let report = try fixture.database.erase(uid: nil, places: [Path("users/eve")])
    #expect(try !isFound() && fixture.isSame())
    #expect(try Data(contentsOf: URL(filePath: linked)).allSatisfy { $0 == 0 })
    #expect(try fixture.journal.oldestPosition() == report.position)
    // It may be repeated.
    _ = try fixture.database.erase(uid: nil, places: [Path("users/eve")])
    #expect(try !isFound() && fixture.isSame())
    fixture.database.close()
  }
}
