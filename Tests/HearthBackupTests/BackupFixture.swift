import Foundation
import HearthCrypto
import HearthJournal
import HearthSQLite
import HearthTree
import RandomTestKit
import Synchronization
import Testing

@testable import HearthBackup
@testable import HearthDatabase
@testable import HearthEngine

/// A journal as a server writes it, with the state at each position.
final class TestDatabase: @unchecked Sendable {
  let name: String
  private unowned let fixture: BackupFixture
  private(set) var journal: SQLiteJournal
  private(set) var head: JournalHead
  /// The states by position; the first is the empty one.
  private(set) var states: [(time: Int64, root: Node)] = [(.min, .empty)]
  private(set) var hashes: [Int64: RunningHash] = [0: .empty]

  init(_ name: String, in fixture: BackupFixture) throws {
    self.name = name
    self.fixture = fixture
    journal = try SQLiteJournal(path: "\(fixture.data)/\(name).sqlite")
    head = try journal.acquire()
  }

  var root: Node { states[states.count - 1].root }

  /// Appends one batch of `count` commits, each at its own millisecond. Some records, except the first, have the form
  /// of a cluster's records, and some are control records, which have no time.
  func commit(_ random: inout SeededRandom, _ count: Int = 1, sizeBytes: Int = 20) throws {
    var payload: [UInt8] = []
    var kinds = SeededRandom(seed: UInt64(states.count))
    for index in 0..<count {
      if index > 0, kinds.isOne(in: 8) {
        note(in: &payload)
        continue
      }
      let time = fixture.clock.tick()
      let path = Path([Key("k\(random.below(40))"), Key("c\(random.below(3))")])
      let node = Node(.string("\(states.count) " + String(repeating: "x", count: random.below(sizeBytes))))
      let record = CommitRecord(
        wallMilliseconds: time, content: .changes([(location: Location(path: path), node: node)]))
      if kinds.isOne(in: 4) {
        CommitRecord(wallMilliseconds: time, content: .joint([record], of: .end(session: 1))).append(to: &payload)
      } else {
        record.append(to: &payload)
      }
      states.append((time, root.replacing(path, with: node)))
    }
    head = try journal.append(
      JournalBatch(firstPosition: head.position + 1, lastPosition: head.position + Int64(count), payload: payload),
      after: head)
    hashes[head.position] = head.runningHash
  }

  /// Appends a batch without changes.
  func note() throws {
    var payload: [UInt8] = []
    note(in: &payload)
    head = try journal.append(
      JournalBatch(firstPosition: head.position + 1, lastPosition: head.position + 1, payload: payload), after: head)
    hashes[head.position] = head.runningHash
  }

  private func note(in payload: inout [UInt8]) {
    CommitRecord(wallMilliseconds: 0, content: .note([8])).append(to: &payload)
    states.append((states[states.count - 1].time, root))
  }

  /// Writes a snapshot of the last state, as the server does.
  func snapshot(prunes: Bool = true) throws {
    let state = DatabaseState(root: root, rules: .denyAll, position: head.position)
    let ticket = try journal.beginSnapshot(at: head.position)
    try SnapshotFormat.write(state, chunkBytes: 2_000) { try journal.appendSnapshotChunk($0, to: ticket) }
    _ = try journal.completeSnapshot(ticket)
    if prunes { try journal.prune() }
  }

  func stop() throws { try journal.close() }

  /// Reopens the journal, as the next run of the server does.
  func restart() throws {
    try journal.close()
    journal = try SQLiteJournal(path: "\(fixture.data)/\(name).sqlite")
    head = try journal.acquire()
  }

  /// Returns the last position at a time.
  func position(at time: Int64) -> Int { (states.firstIndex { $0.time > time } ?? states.count) - 1 }
}

/// A data folder that a test writes, a folder for backups, and restored folders.
final class BackupFixture: @unchecked Sendable {
  let folder: TestFolder
  let clock = TestClock()
  private(set) var databases: [TestDatabase] = []
  private var restoredCount = 0
  /// The hook called before each view is opened, with the number of earlier ones.
  let hook: ViewHook

  var data: String { folder("data") }
  var repository: String { folder("backups") }

  init(_ names: [String] = ["accounts", "databases/a", "databases/b"]) throws {
    folder = try TestFolder()
    hook = ViewHook()
    try FileManager.default.createDirectory(
      atPath: folder("data") + "/databases", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    for name in names { databases.append(try TestDatabase(name, in: self)) }
  }

  func add(_ name: String) throws { databases.append(try TestDatabase(name, in: self)) }

  subscript(name: String) -> TestDatabase { databases.first { $0.name == name }! }

  var source: BackupSource {
    let data = data
    let hook = hook
    let clock = clock
    return BackupSource(
      folder: data,
      journals: {
        let top = SQLiteJournals(folder: data)
        let below = SQLiteJournals(folder: data + "/databases")
        return try top.names().map { .init(name: $0, archive: HookedArchive(top, hook), journal: $0) }
          + below.names().map { .init(name: "databases/" + $0, archive: HookedArchive(below, hook), journal: $0) }
      }, clock: { clock.now })
  }

  @discardableResult
  func backUp(
    _ files: any FileLayer = SystemFiles(), to path: String? = nil, secrets: SecretsOption = .clear,
    isFull: Bool = false,
    isContinuous: Bool = false
  ) throws -> Manifest {
    var options = Backup.Options(secrets: secrets)
    (options.isFull, options.isContinuous) = (isFull, isContinuous)
    let repository = try BackupRepository(path: path ?? repository, files: files, for: .adding)
    // Later commits get later milliseconds.
    clock.tick()
    defer { clock.tick() }
    return try Backup(source, into: repository).make(options)
  }

  func verify(_ files: any FileLayer = SystemFiles()) throws -> Verification.Report {
    try Verification(BackupRepository(path: repository, files: files, for: .reading)).run()
  }

  /// Restores into a new folder.
  func restore(
    _ moment: RestorePoint, _ files: any FileLayer = SystemFiles(), from path: String? = nil,
    seal: PassphraseSeal? = nil, leavesOutKeys: Bool = false
  ) throws -> Restored {
    restoredCount += 1
    let target = folder("restored-\(restoredCount)")
    let repository = try BackupRepository(path: path ?? repository, files: files, for: .reading)
    let outcome = try Restore(repository, archives: { SQLiteJournals(folder: $0) }, seal: seal).run(
      moment, into: target, leavesOutKeys: leavesOutKeys)
    return Restored(path: target, outcome: outcome)
  }
}

/// A folder restored from a backup.
struct Restored {
  let path: String
  let outcome: Restore.Outcome

  func position(_ name: String) -> Int64? { outcome.databases.first { $0.name == name }?.position }

  /// Opens a journal as a server does.
  func root(_ name: String) throws -> (root: Node, head: JournalHead) {
    let journal = try SQLiteJournal(path: "\(path)/\(name).sqlite")
    defer { try? journal.close() }
    let head = try journal.acquire()
    let engine = try Engine(recovering: journal, upTo: head, initialRules: .denyAll, limits: EngineLimits())
    return (engine.state.root, head)
  }

  /// Expects a database to have its state and running hash of a position.
  func expect(_ database: TestDatabase, at position: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    guard position > 0 || self.position(database.name) != nil else { return }
    let (root, head) = try root(database.name)
    #expect(head.position == Int64(position), "\(database.name)", sourceLocation: sourceLocation)
    guard position < database.states.count else { return }
    #expect(root == database.states[position].root, "\(database.name) at \(position)", sourceLocation: sourceLocation)
    if let hash = database.hashes[Int64(position)] {
      #expect(head.runningHash == hash, "\(database.name) at \(position)", sourceLocation: sourceLocation)
    }
  }
}

/// A clock that the test advances.
final class TestClock: Sendable {
  private let value = Atomic<Int64>(1_700_000_000_000)
  var now: Int64 { value.load(ordering: .relaxed) }

  /// Advances to the next millisecond.
  @discardableResult
  func tick() -> Int64 { value.add(1, ordering: .relaxed).newValue }
}

/// The action to run while views are being opened.
final class ViewHook: Sendable {
  private struct State {
    var count = 0
    var body: (@Sendable (Int) throws -> Void)?
  }
  private let state = Mutex(State())

  func set(_ body: (@Sendable (Int) throws -> Void)?) {
    state.withLock { state in (state.count, state.body) = (0, body) }
  }

  func opening() throws {
    let (count, body) = state.withLock { state in
      state.count += 1
      return (state.count, state.body)
    }
    try body?(count)
  }
}

/// An archive whose views can coincide with writes.
struct HookedArchive: JournalArchive {
  private let journals: SQLiteJournals
  private let hook: ViewHook

  init(_ journals: SQLiteJournals, _ hook: ViewHook) { (self.journals, self.hook) = (journals, hook) }

  func names() throws(JournalError) -> [String] { try journals.names() }

  func view(_ name: String) throws(JournalError) -> any JournalView {
    do { try hook.opening() } catch { throw JournalError(.failed, "\(error)") }
    return try journals.view(name)
  }

  func restoration(_ name: String) throws(JournalError) -> any JournalRestoration { try journals.restoration(name) }
}
