import Foundation
import HearthJournal
import HearthPages
import HearthRules
import HearthTestKit
import HearthTree
import RandomTestKit
import Synchronization
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Tests of states of checkpoints that are read beside their owner: copies, damage and repairs.
@Suite struct PageCheckpointReaderTests {
  /// A database with a checkpoint of rooms, long texts, rules and an open connection's write.
  private struct Stored {
    let host = DatabaseHost()
    let journal = MemoryJournal()
    let database: Database
    let folder: String
    let checkpoint: Checkpoint
    let root: Node
    let rules: RuleSet

    init() throws {
      database = try host.database(journal, rules: PagedDatabaseTests.open, isPaged: true)
      let tests = PagedDatabaseTests()
      tests.write(host, database, rooms: 12, messages: 300)
      rules = try RuleSet.compile(#"{"rules": {".read": "auth == null", ".write": true}}"#)
      let texts = (0..<5).map { (Path("t\($0)"), Node(.string(String(repeating: "text \($0) ", count: 2_000)))) }
      let offline = WriteOperation.Change.put(Location(path: Path("offline")), WriteValue(Node(.int(9))))
      host.send(
        database,
        [
          .write(WriteOperation(.put(Location(path: Path("texts")), WriteValue(Node.empty.replacing(texts))))),
          .deployRules(rules), .connect, .onDisconnect(offline),
        ])
      host.finish(database)
      // Later versions may have evicted pages, which cannot be read once the database is closed.
      root = database.published.root
      tests.checkpoint(database)
      folder = try #require(host.pageFolder(of: journal))
      checkpoint = try #require(try journal.currentCheckpoint())
    }

    var file: URL { URL(filePath: folder + "/00000000.seg") }

    /// Returns the state in the chunks of a copy.
    func copy(skipsUnreadable: Bool = false) throws -> (root: Node, sessions: Node, rules: String?) {
      var reader = SnapshotReader()
      try PageCheckpointReader().forEachChunk(of: checkpoint, in: folder, skipsUnreadable: skipsUnreadable) {
        #expect($0.count <= JournalLimits.snapshotChunkBytes)
        try reader.read($0)
      }
      #expect(reader.position == checkpoint.position)
      return (try #require(reader.root), try #require(reader.sessions), reader.storedRules)
    }

    /// The offsets and sizes of all records.
    func records() throws -> [(offset: Int, sizeBytes: Int)] {
      let bytes = [UInt8](try Data(contentsOf: file))
      var (records, offset): ([(Int, Int)], Int) = ([], 4_096)
      while offset < bytes.count {
        let size = Int(bytes[offset + 8]) | Int(bytes[offset + 9]) << 8
        guard size > 0 else { break }
        records.append((offset, size))
        offset += size
      }
      return records
    }
  }

  @Test("a copy has the data, the sessions and the rules, beside an owner that goes on")
  func copies() throws {
    let stored = try Stored()
    let owner = Thread {
      for number in 0..<200 { stored.host.send(stored.database, from: 2, [.put("rooms/r1/m\(number)", Int64(number))]) }
    }
    owner.start()
    for _ in 0..<3 {
      let copy = try stored.copy()
      #expect(copy.root == stored.root && copy.rules == stored.rules.source && copy.sessions.leafCount > 0)
    }
    while !owner.isFinished { usleep(1_000) }
    stored.host.finish(stored.database)
    PagedDatabaseTests().checkpoint(stored.database)
    #expect(try stored.copy().root == stored.root)
    #expect(PageCheckpointReader().examine(stored.checkpoint, in: stored.folder).count == 0)
    stored.database.close()
  }

  @Test("a reader changes no file, and the files cannot be written through it")
  func readOnly() throws {
    let stored = try Stored()
    stored.database.close()
    let extra = URL(filePath: stored.folder + "/00000009.seg")
    try Data("of a crash".utf8).write(to: extra)
    let before = try Data(contentsOf: stored.file)
    _ = try stored.copy()
    #expect(try Data(contentsOf: stored.file) == before && FileManager.default.fileExists(atPath: extra.path))
    let files = PageFiles(
      reading: try PageCheckpoint(stored.checkpoint.payload).extent, in: stored.folder)
    let store = try #require(PageStore.register(files))
    var writer = StoredNodeWriter(PageFileWriter(files, store: store))
    #expect(throws: PageError.self) { try writer.write(Node(.int(1))) }
  }

  /// Returns true when a node is what is left of another one: at a path a part, and everything beside it.
  private func isRest(_ rest: Node, of whole: Node, without path: ArraySlice<Key>) -> Bool {
    guard let key = path.first else { return isPart(rest, of: whole) }
    return isRest(rest.child(key), of: whole.child(key), without: path.dropFirst())
      && whole.children.allSatisfy { $0.key == key || rest.child($0.key) == $0.node }
      && rest.children.allSatisfy { !whole.child($0.key).isEmpty }
  }

  private func isPart(_ part: Node, of whole: Node) -> Bool {
    if part.isEmpty || part == whole { return true }
    return part.isInterior && part.children.allSatisfy { isPart($0.node, of: whole.child($0.key)) }
  }

  @Test("a flipped bit in any page ends a copy with its file, byte and path; a repair has the rest")
  func damage() throws {
    let stored = try Stored()
    stored.database.close()
    var random = SeededRandom(seed: 11)
    let whole = try Data(contentsOf: stored.file)
    var (count, lostRules) = (0, 0)
    let records = try stored.records()
    // The last ones have the sessions and the rules.
    for (index, record) in records.enumerated() where index >= records.count - 8 || random.chance(40) {
      var bytes = whole
      bytes[record.offset + random.below(record.sizeBytes)] ^= UInt8(1 << random.below(8))
      try bytes.write(to: stored.file)
      let (damages, found) = PageCheckpointReader().examine(stored.checkpoint, in: stored.folder)
      // Pages that later checkpoints have replaced are not read.
      guard found > 0 else {
        #expect(try stored.copy().root == stored.root)
        continue
      }
      count += 1
      let damage = try #require(damages.first)
      #expect(found == 1 && damages.count == 1 && damage.place.byteOffset == record.offset)
      #expect(damage.place.file == stored.file.path && damage.finding.contains("the checksum is wrong"))
      let error = #expect(throws: JournalError.self) { try stored.copy() }
      #expect(error?.code == .corrupt && error?.message == damage.finding && error?.place == damage.place)
      let rest = try stored.copy(skipsUnreadable: true)
      if damage.finding.hasPrefix("the rules") {
        lostRules += 1
        #expect(rest.root == stored.root && rest.rules == #"{"rules": {".read": false, ".write": false}}"#)
        continue
      }
      #expect(rest.rules == stored.rules.source)
      if damage.finding.hasPrefix("onDisconnect") { continue }
      let path = try #require(damage.finding.firstMatch(of: #/ at (\S+) cannot be read/#)).output.1
      #expect(rest.root != stored.root)
      #expect(isRest(rest.root, of: stored.root, without: Path(String(path)).keys[...]), "\(damage.finding)")
    }
    #expect(count > 20 && lostRules > 0)
  }

  @Test("a missing or foreign file is named, and a repair gives an empty state that denies all access")
  func missingFile() throws {
    let stored = try Stored()
    stored.database.close()
    for isForeign in [true, false] {
      if isForeign {
        try Data(count: 500_000).write(to: stored.file)
      } else {
        try FileManager.default.removeItem(at: stored.file)
      }
      let (damages, count) = PageCheckpointReader().examine(stored.checkpoint, in: stored.folder)
      #expect(count == 3 && damages.allSatisfy { $0.place.file == stored.file.path })
      #expect(damages.first?.finding.hasPrefix("the data at / cannot be read") == true)
      let error = #expect(throws: JournalError.self) { try stored.copy() }
      #expect(error?.place.file == stored.file.path && error?.code == .corrupt)
      let rest = try stored.copy(skipsUnreadable: true)
      #expect(rest.root.isEmpty && rest.sessions.isEmpty && rest.rules?.contains("false") == true)
    }
    let unreadable = Checkpoint(position: 1, runningHash: .empty, payload: [9])
    #expect(PageCheckpointReader().examine(unreadable, in: stored.folder).count == 1)
  }

  // MARK: Views

  /// An archive of one journal, whose views have its checkpoint.
  private struct OneJournal: JournalArchive {
    final class View: JournalView {
      let head: JournalHead
      let checkpoint: Checkpoint?
      let snapshot: SnapshotInfo?
      init(_ head: JournalHead, _ checkpoint: Checkpoint?) {
        (self.head, self.checkpoint) = (head, checkpoint)
        snapshot = checkpoint.map {
          SnapshotInfo(
            identifier: 1, position: $0.position, runningHash: $0.runningHash, chunkCount: 0, sizeBytes: 9)
        }
      }
      func forEachChunk(_ body: ([UInt8]) throws -> Void) throws { throw JournalError(.unsupported, "no pages") }
      func forEachLink(after position: Int64, _ body: (JournalLink) throws -> Bool) throws {}
      func forEachEntry(_ body: (ArchivedEntry) throws -> Void) throws {}
      func close() {}
    }
    var checkpoint: Checkpoint?
    func names() throws(JournalError) -> [String] { ["a"] }
    func view(_ name: String) throws(JournalError) -> any JournalView {
      let position = checkpoint?.position ?? 0
      return View(JournalHead(epoch: 1, position: position, runningHash: .empty), checkpoint)
    }
    func restoration(_ name: String) throws(JournalError) -> any JournalRestoration {
      throw JournalError(.unsupported, "no restoration")
    }
  }

  /// A removal of pages that is under way.
  private final class Removal: Sendable {
    let lock: Mutex<PageFolderLock?>
    init(_ lock: PageFolderLock) { self.lock = Mutex(lock) }
  }

  @Test("a view keeps pages from being removed until it is closed, and waits while they are removed")
  func lock() throws {
    let stored = try Stored()
    stored.database.close()
    let folder = stored.folder
    let archive = CheckpointArchive(OneJournal(checkpoint: stored.checkpoint)) { _ in folder }
    let view = try archive.view("a")
    #expect(try PageFolderLock.forRemoving(folder) == nil && view.snapshot?.position == stored.checkpoint.position)
    var reader = SnapshotReader()
    try view.forEachChunk { try reader.read($0) }
    #expect(reader.root == stored.root)
    view.close()
    let removal = Removal(try #require(try PageFolderLock.forRemoving(folder)))
    let owner = Thread {
      usleep(100_000)
      removal.lock.withLock { $0 = nil }
    }
    owner.start()
    let second = try archive.view("a")
    #expect(removal.lock.withLock { $0 == nil })
    second.close()
  }

  @Test("a database without pages has the views of its archive")
  func unpaged() throws {
    for folder in [nil, NSTemporaryDirectory() + "hearth-missing.pages"] {
      let archive = CheckpointArchive(OneJournal()) { _ in folder }
      #expect(try archive.view("a") is OneJournal.View)
    }
  }
}
