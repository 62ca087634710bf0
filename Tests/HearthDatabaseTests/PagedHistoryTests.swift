import Foundation
import HearthJournal
import HearthPages
import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Tests of the history of databases with page files, compared with the states that were recorded while they were
/// current.
@Suite struct PagedHistoryTests {
  @Test("the state at each position is the recorded one, across checkpoints, cleanings and restarts", arguments: 1...3)
  func states(seed: UInt64) throws {
    var fixture = try PagedHistory(seed: seed)
    for round in 0..<12 {
      try fixture.change(40)
      if fixture.random.chance(60) { fixture.checkpoint() }
      if fixture.random.chance(40) { _ = try fixture.database.cleaner.clean(round % 2 == 0 ? .all : .due) { false } }
      if fixture.random.chance(30) { try fixture.restart() }
      if round % 4 == 3 { try fixture.expectStates() }
    }
    #expect(try fixture.journal.checkpointPositions().count > 3)
    #expect(fixture.database.figures().pages?.historyBytes ?? 0 > 0)
    try fixture.expectStates()
    let page = try fixture.database.history.changes(of: Path("r1"), countMax: 20)
    #expect(!page.changes.isEmpty)
    for change in page.changes {
      #expect(change.to == fixture.states[change.position]?[Path("r1")])
      #expect(change.from == fixture.states[change.position - 1]?[Path("r1")])
    }
    fixture.database.close()
  }

  @Test("of frequent checkpoints those are retained between which there is much log or time")
  func thins() throws {
    var limits = PagedHistory.limits
    (limits.snapshotIntervalBytes, limits.historyIntervalMilliseconds) = (1 << 20, 1_000)
    var fixture = try PagedHistory(seed: 1, limits: limits)
    for step in 1...10 {
      fixture.host.advance(to: Int64(step * 10))
      try fixture.change(5)
      fixture.checkpoint()
    }
    #expect(try fixture.journal.checkpointPositions().count == 2, "the oldest and the newest")
    for step in 1...10 {
      fixture.host.advance(to: Int64(step * 600))
      try fixture.change(5)
      fixture.checkpoint()
    }
    let count = try fixture.journal.checkpointPositions().count
    #expect((5...8).contains(count), "\(count)")
    limits.snapshotIntervalBytes = 2_000
    try fixture.restart(limits)
    for _ in 1...5 {
      try fixture.change(60)
      fixture.checkpoint()
    }
    #expect(try fixture.journal.checkpointPositions().count >= count + 4)
    try fixture.expectStates()
    fixture.database.close()
  }

  @Test("segments stay until the last checkpoint that names them expires, also over a restart")
  func expires() throws {
    var limits = PagedHistory.limits
    limits.history.ageMilliseconds = 1_000
    var fixture = try PagedHistory(seed: 2, limits: limits)
    for step in 1...6 {
      fixture.host.advance(to: Int64(step * 100))
      try fixture.change(60)
      fixture.checkpoint()
    }
    _ = try fixture.database.cleaner.clean(.all) { false }
    let first = fixture.folder + "/00000000.seg"
    #expect(fixture.database.figures().pages?.historyBytes ?? 0 > 0 && fixture.exists(first))
    try fixture.restart(limits)
    #expect(fixture.database.figures().pages?.historyBytes ?? 0 > 0 && fixture.exists(first))
    try fixture.expectStates()
    fixture.host.advance(to: 5_000)
    try fixture.change(1)
    // The log that the first one ends is the last that the age needs.
    for step in 0..<3 {
      fixture.host.advance(to: Int64(10_000 + step * 2_000))
      try fixture.change(1)
      fixture.checkpoint()
    }
    #expect(fixture.database.figures().pages?.historyBytes == 0 && !fixture.exists(first))
    #expect(try fixture.journal.checkpointPositions().count < 5)
    fixture.database.close()
  }

  @Test("the files of the history count for its limit in bytes")
  func limited() throws {
    var limits = PagedHistory.limits
    limits.history = HistoryRetention(ageMilliseconds: 1 << 40, sizeBytesMax: 1 << 20)
    var fixture = try PagedHistory(seed: 3, limits: limits)
    for _ in 1...4 {
      try fixture.change(60)
      fixture.checkpoint()
    }
    #expect(try fixture.journal.oldestPosition() == 0)
    limits.history.sizeBytesMax = 300_000
    try fixture.restart(limits)
    for _ in 1...3 {
      try fixture.change(60)
      fixture.checkpoint()
      _ = try fixture.database.cleaner.clean(.all) { false }
    }
    fixture.checkpoint()
    #expect(fixture.host.notices.contains { $0.hasPrefix("history from ") })
    #expect(fixture.database.figures().pages?.historyBytes ?? .max <= 300_000)
    #expect(try fixture.journal.oldestPosition() > 0)
    fixture.database.close()
  }

  @Test("a past value that is too large is refused, and one below it is read")
  func tooLarge() throws {
    var limits = PagedHistory.limits
    limits.historyReads.pagedStateBytesMax = 60_000
    var fixture = try PagedHistory(seed: 4, limits: limits)
    try fixture.change(300)
    fixture.checkpoint()
    let last = try #require(fixture.states.keys.max())
    try fixture.change(50)
    for position in [last, last + 20, try #require(fixture.states.keys.max())] {
      #expect(throws: HistoryError.tooLarge(sizeBytesMax: 60_000)) {
        try fixture.database.history.state(at: position)
      }
      let found = try fixture.database.history.state(at: position, of: Path("r3/m3")).node
      #expect(found == fixture.states[position]?[Path("r3/m3")])
    }
    fixture.database.close()
  }

  @Test("a past state stays readable after its files are removed, and no file is removed while one is read")
  func readerAndRemoval() throws {
    var limits = PagedHistory.limits
    limits.history.ageMilliseconds = 1_000
    var fixture = try PagedHistory(seed: 5, limits: limits)
    try fixture.change(200)
    fixture.checkpoint()
    let position = try #require(fixture.states.keys.max())
    try fixture.change(200)
    fixture.checkpoint()
    let state = try fixture.database.history.state(at: position)
    _ = try fixture.database.cleaner.clean(.all) { false }
    #expect(fixture.database.figures().pages?.historyBytes ?? 0 > 0)
    func expire(_ time: Int64) throws {
      for step in 0..<3 as Range<Int64> {
        fixture.host.advance(to: time + step * 2_000)
        try fixture.change(1)
        fixture.checkpoint()
      }
    }
    var lock = try PageFolderLock.forReading(fixture.folder)
    #expect(lock != nil)
    try expire(10_000)
    #expect(fixture.database.figures().pages?.historyBytes ?? 0 > 0)
    withExtendedLifetime(lock) {}
    lock = nil
    try expire(20_000)
    #expect(fixture.database.figures().pages?.historyBytes == 0)
    #expect(state.node == fixture.states[position])
    fixture.database.close()
  }

  @Test("a database that becomes paged keeps the history from before")
  func converts() throws {
    var limits = PagedHistory.limits
    var fixture = try PagedHistory(seed: 6, limits: limits, isPaged: false)
    try fixture.change(150)
    #expect(try fixture.journal.snapshots().count > 0)
    limits.pagedBytesMin = 0
    try fixture.restart(limits, isPaged: true)
    try fixture.change(150)
    fixture.checkpoint()
    #expect(fixture.database.isPaged)
    #expect(try !fixture.journal.snapshots().isEmpty && fixture.journal.checkpointPositions().count > 1)
    try fixture.expectStates()
    fixture.database.close()
  }

  // MARK: Erasure

  @Test("after an erasure no file has the user's data, and past states have all other data, also after a restart")
  func erases() throws {
    var fixture = try PagedHistory(seed: 7, erased: true)
    for _ in 0..<6 {
      try fixture.change(60)
      fixture.checkpoint()
    }
    _ = try fixture.database.cleaner.clean(.all) { false }
    try fixture.deleteErased()
    #expect(try fixture.holdsSecret() && fixture.journal.checkpointPositions().count > 3)
    let count = try fixture.database.erasable(uid: nil, places: [PagedHistory.erasedPath]).snapshotCount
    let report = try fixture.database.erase(uid: nil, places: [PagedHistory.erasedPath])
    #expect(report.snapshotCount >= count && count > 2 && report.batchCount > 0)
    #expect(try !fixture.holdsSecret())
    try fixture.expectStates(isErased: true)
    let again = try fixture.database.erase(uid: nil, places: [PagedHistory.erasedPath])
    #expect(again.snapshotCount == 0 && again.batchCount == 0)
    try fixture.restart()
    #expect(try !fixture.holdsSecret())
    try fixture.change(100)
    fixture.checkpoint()
    _ = try fixture.database.cleaner.clean(.all) { false }
    try fixture.expectStates(isErased: true)
    fixture.database.close()
  }

  @Test("an erasure that ends early at any point, and a crash then, leave all other data, and another one completes it")
  func erasesAgain() throws {
    for pollCount in [1, 3, 6, 10, 20, 40, 80] {
      var fixture = try PagedHistory(seed: UInt64(pollCount), erased: true)
      for _ in 0..<4 {
        try fixture.change(40)
        fixture.checkpoint()
      }
      try fixture.deleteErased()
      var count = 0
      let isDone =
        (try? fixture.database.erase(uid: nil, places: [PagedHistory.erasedPath]) {
          count += 1
          return count >= pollCount
        }) != nil
      try fixture.restart()
      try fixture.expectStates(isErased: nil)
      if !isDone { _ = try fixture.database.erase(uid: nil, places: [PagedHistory.erasedPath]) }
      #expect(try !fixture.holdsSecret(), "after \(pollCount) polls")
      try fixture.expectStates(isErased: true)
      fixture.database.close()
    }
  }
}

/// A database with page files and a history, and its state at each position.
private struct PagedHistory {
  static let erasedPath = Path("users/eve")
  static let secret = "a-secret-of-eve"

  /// Limits with a checkpoint every few hundred writes, an unlimited history, and cleanings on order only.
  static var limits: DatabaseLimits {
    var limits = DatabaseLimits()
    (limits.snapshotIntervalBytes, limits.replayBytesPerBatch) = (4_000, 0)
    (limits.coldReplayBytesPerCommit, limits.cleaningGraceMilliseconds) = (10, 0)
    (limits.cleanedBytesMin, limits.checkpointPauseFactor) = (.max / 4, 0)
    limits.history = HistoryRetention(ageMilliseconds: .max, sizeBytesMax: .max / 4)
    return limits
  }

  let host = DatabaseHost()
  var journal = MemoryJournal()
  var database: Database
  var states: [Int64: Node] = [0: .empty]
  var random: SeededRandom
  private var model = Node.empty
  private var limits: DatabaseLimits
  private var isPaged: Bool

  /// - Parameter erased: True to write secrets at the erased path, too.
  init(seed: UInt64, limits: DatabaseLimits = limits, isPaged: Bool = true, erased: Bool = false) throws {
    (self.limits, self.isPaged, hasSecrets) = (limits, isPaged, erased)
    random = SeededRandom(seed: seed)
    database = try host.database(journal, rules: PagedDatabaseTests.open, limits: limits, isPaged: isPaged)
  }

  private var hasSecrets: Bool

  var folder: String { host.pageFolder(of: journal) ?? "" }

  func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  private mutating func write(_ path: Path, _ node: Node) {
    model = model.replacing(path, with: node)
    host.send(database, [.write(WriteOperation(.put(Location(path: path), WriteValue(node))))])
    host.finish(database)
    states[database.published.position] = model
  }

  /// Makes random changes.
  mutating func change(_ count: Int) throws {
    for _ in 0..<count {
      let value = random.below(1 << 20)
      if hasSecrets, value % 4 == 0 {
        let text = String(repeating: "\(Self.secret) \(value) ", count: value % 16 == 0 ? 4_000 : 1)
        write(Path("users/eve/s\(random.below(20))"), Node(.string(text)))
        continue
      }
      let text = String(repeating: "text \(value) ", count: value % 60 == 0 ? 9_000 : value % 30 + 1)
      let node: Node = random.chance(10) ? .empty : Node(.string(text), priority: value % 5 == 0 ? .int(7) : nil)
      write(Path("r\(random.below(10))/m\(random.below(40))"), node)
    }
    database.snapshots.queue.sync {}
  }

  mutating func deleteErased() throws {
    hasSecrets = false
    write(Self.erasedPath, .empty)
    checkpoint()
  }

  func checkpoint() {
    host.finish(database)
    host.waitUntil { database.snapshots.schedule.withLock { $0.begin() } }
    database.snapshots.queue.sync { database.snapshots.write(database.published) }
  }

  /// Opens what a crash leaves.
  mutating func restart(_ limits: DatabaseLimits? = nil, isPaged: Bool? = nil) throws {
    (self.limits, self.isPaged) = (limits ?? self.limits, isPaged ?? self.isPaged)
    let next = journal.crash()
    database.close()
    journal = next
    database = try host.database(
      journal, rules: PagedDatabaseTests.open, limits: self.limits, isPaged: self.isPaged)
  }

  /// Expects the states at some positions.
  ///
  /// - Parameter isErased: True when nothing may be left at the erased path; nil when some may be.
  mutating func expectStates(isErased: Bool? = false, sourceLocation: SourceLocation = #_sourceLocation) throws {
    func left(_ node: Node) -> Node { isErased == false ? node : node.replacing(Self.erasedPath, with: .empty) }
    for position in states.keys.sorted() where random.chance(30) {
      let known = try #require(states[position])
      var found = try database.history.state(at: position).node
      if isErased == nil { found = left(found) }
      #expect(found == left(known), "position \(position)", sourceLocation: sourceLocation)
      let path = Path("r\(random.below(10))")
      let part = try database.history.state(at: position, of: path).node
      #expect(part == known[path], "\(path) at \(position)", sourceLocation: sourceLocation)
    }
    #expect(database.published.root.json(.export) == model.json(.export), sourceLocation: sourceLocation)
  }

  /// Returns true when a file or the log has a secret.
  func holdsSecret() throws -> Bool {
    let secret = Data(Self.secret.utf8)
    if journal.storedBatches.contains(where: { Data($0.payload).range(of: secret) != nil }) { return true }
    return try FileManager.default.contentsOfDirectory(atPath: folder).contains { name in
      try Data(contentsOf: URL(filePath: folder + "/" + name)).range(of: secret) != nil
    }
  }
}
