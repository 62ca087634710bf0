import HearthCrypto
import HearthJournal
import HearthTree
import RandomTestKit
import Testing

@testable import HearthBackup

@Suite struct BackupTests {
  private func filled(_ fixture: BackupFixture, _ random: inout SeededRandom) throws {
    for database in fixture.databases {
      for count in [1, 3, 2, 1, 2] { try database.commit(&random, count) }
    }
    try TestFolder.write(Array("{\"a\":1}".utf8), fixture.data + "/settings/a.json")
    try TestFolder.write(Array("{}".utf8), fixture.data + "/settings.json")
    try TestFolder.write(Array("a program".utf8), fixture.data + "/plugins/door/versions/1.0/run", mode: 0o700)
    try TestFolder.write(Array("no secret to tell".utf8), fixture.data + "/plugins/door/secrets.json")
    try TestFolder.write(Array("0123456789abcdef key".utf8), fixture.data + "/keys/sealing-key")
    try TestFolder.write(Array("{}".utf8), fixture.data + "/server.json")
    try TestFolder.write(Array("half done".utf8), fixture.data + "/plugins/door/work/state")
    try TestFolder.write(Array("7".utf8), fixture.data + "/triggers/home")
  }

  @Test func `a restored folder has its databases, files and keys, and no lock or socket of the process`() throws {
    var random = SeededRandom(seed: 1)
    let fixture = try BackupFixture()
    try filled(fixture, &random)
    for database in fixture.databases { try database.stop() }
    let manifest = try fixture.backUp()
    #expect(manifest.kind == .full && manifest.databases.count == 3 && manifest.keysText == "clear")
    #expect(try fixture.verify().findings.isEmpty)
    let restored = try fixture.restore(.latest)
    for database in fixture.databases { try restored.expect(database, at: Int(database.head.position)) }
    #expect(restored.outcome.hasKeys)
    for name in [
      "settings/a.json", "settings.json", "plugins/door/versions/1.0/run", "plugins/door/secrets.json",
      "keys/sealing-key",
    ] {
      #expect(TestFolder.bytes("\(restored.path)/\(name)") == TestFolder.bytes("\(fixture.data)/\(name)"), "\(name)")
    }
    #expect(try TestFolder.mode(restored.path + "/keys/sealing-key") == 0o600)
    #expect(try TestFolder.mode(restored.path + "/keys") == 0o700)
    #expect(try TestFolder.mode(restored.path + "/plugins/door/versions/1.0/run") == 0o700)
    #expect(!TestFolder.isThere(restored.path + "/server.json"))
    #expect(!TestFolder.isThere(restored.path + "/triggers/home"))
    #expect(!TestFolder.isThere(restored.path + "/plugins/door/work"))
    for file in TestFolder.files(fixture.repository) + TestFolder.files(restored.path) {
      #expect(try TestFolder.mode(file).map { $0 & 0o077 } == 0, "\(file)")
    }
  }

  @Test func `journals are backed up while their owner writes`() throws {
    var random = SeededRandom(seed: 2)
    let fixture = try BackupFixture()
    try filled(fixture, &random)
    let first = try fixture.backUp()
    try fixture["databases/a"].commit(&random, 4)
    let second = try fixture.backUp()
    #expect(second.kind == .incremental && second.parent == first.id)
    // Unchanged data is not stored again, and the log of changed databases continues where the first backup ended.
    #expect(second.database("databases/b") == first.database("databases/b"))
    #expect(second.database("databases/a")?.segments.count == 2 && second.files == first.files)
    let restored = try fixture.restore(.latest)
    for database in fixture.databases {
      try restored.expect(database, at: Int(database.head.position))
      try database.commit(&random)
    }
  }

  @Test func `a backup has all commits acknowledged before its instant, and no later ones`() throws {
    var random = SeededRandom(seed: 3)
    let fixture = try BackupFixture()
    try filled(fixture, &random)
    let known = Dictionary(uniqueKeysWithValues: fixture.databases.map { ($0.name, $0.head.position) })
    // First three views are opened; then the clock is read; then these views are opened in order.
    let counts: [Int: [String]] = [
      4: ["databases/a", "databases/b"], 5: ["databases/b"], 6: ["accounts", "databases/a"],
    ]
    fixture.hook.set { count in
      var random = SeededRandom(seed: UInt64(count))
      for name in counts[count] ?? [] { try fixture[name].commit(&random, 2) }
    }
    let manifest = try fixture.backUp()
    fixture.hook.set(nil)
    for database in manifest.databases { #expect(database.position == known[database.name], "\(database.name)") }
    let restored = try fixture.restore(.latest)
    for database in fixture.databases { try restored.expect(database, at: Int(known[database.name] ?? -1)) }
    // The next backup has the remaining commits.
    try fixture.backUp()
    let later = try fixture.restore(.latest)
    for database in fixture.databases { try later.expect(database, at: Int(database.head.position)) }
  }

  @Test func `a snapshot that replaces the log during a backup makes the backup begin again`() throws {
    var random = SeededRandom(seed: 4)
    let fixture = try BackupFixture()
    try filled(fixture, &random)
    fixture.hook.set { count in
      guard count == 5 else { return }
      var random = SeededRandom(seed: 5)
      try fixture["databases/b"].commit(&random, 3)
      try fixture["databases/b"].snapshot()
    }
    let manifest = try fixture.backUp()
    fixture.hook.set(nil)
    #expect(manifest.database("databases/b")?.position == fixture["databases/b"].head.position)
    try fixture.restore(.latest).expect(fixture["databases/b"], at: Int(fixture["databases/b"].head.position))
  }

  @Test func `a clock that was set back loses no commit`() throws {
    var random = SeededRandom(seed: 6)
    let fixture = try BackupFixture(["databases/a"])
    let database = fixture["databases/a"]
    for _ in 0..<1_000 { fixture.clock.tick() }
    try database.commit(&random, 5)
    let source = fixture.source
    // The backup's clock is behind that of the commits.
    let behind = BackupSource(folder: source.folder, journals: source.journals, clock: { 1_700_000_000_100 })
    let repository = try BackupRepository(path: fixture.repository, for: .adding)
    let manifest = try Backup(behind, into: repository).make(Backup.Options(secrets: .leftOut))
    #expect(manifest.databases.first?.position == 5)
  }

  @Test(arguments: [false, true])
  func `every position and every time is restored with its state`(prunes: Bool) throws {
    for seed in UInt64(10)..<UInt64(Torture.count(sample: 12, full: 200)) {
      var random = SeededRandom(seed: seed)
      let fixture = try BackupFixture(["accounts", "databases/a"])
      var instants: [Int64] = []
      for step in 0..<30 {
        for database in fixture.databases where random.chance(60) {
          let count = 1 + random.below(4)
          try database.commit(&random, count, sizeBytes: 60)
        }
        if random.isOne(in: 8) { try random.pick(fixture.databases).snapshot(prunes: prunes) }
        if random.isOne(in: 12) { try random.pick(fixture.databases).restart() }
        if step == 15 { try fixture.add("databases/late") }
        guard step == 0 || random.isOne(in: 4) else { continue }
        instants.append(
          try fixture.backUp(isFull: random.isOne(in: 8), isContinuous: random.isOne(in: 2)).instantMilliseconds)
      }
      instants.append(try fixture.backUp().instantMilliseconds)
      #expect(try fixture.verify().findings.isEmpty)
      try checkTimes(fixture, instants, prunes: prunes, &random)
      try checkPositions(fixture, instants[0], prunes: prunes, &random)
    }
  }

  @Test func `restoring to a position without a time record has the state of the time before it`()
    throws
  {
    var random = SeededRandom(seed: 20)
    let fixture = try BackupFixture(["databases/a", "databases/b"])
    let (one, other) = (fixture["databases/a"], fixture["databases/b"])
    for database in fixture.databases { try database.commit(&random) }
    try fixture.backUp()
    // The segment begins with records without a time, and has one at its end.
    try one.note()
    try one.note()
    try other.commit(&random)
    try one.commit(&random)
    try one.note()
    try other.commit(&random)
    try fixture.backUp()
    for (position, otherPosition) in [(2, 1), (3, 1), (4, 2)] {
      let restored = try fixture.restore(.position(one.name, Int64(position)))
      try restored.expect(one, at: position)
      try restored.expect(other, at: otherPosition)
    }
    #expect(try fixture.verify().findings.isEmpty)
  }

  private func checkTimes(_ fixture: BackupFixture, _ instants: [Int64], prunes: Bool, _ random: inout SeededRandom)
    throws
  {
    for _ in 0..<6 {
      let time = Int64.random(in: instants[0]...instants[instants.count - 1], using: &random)
      do {
        let restored = try fixture.restore(.time(time))
        for database in fixture.databases { try restored.expect(database, at: database.position(at: time)) }
      } catch let error as BackupError where error.code == .notCovered && prunes {
        // A snapshot had replaced the log between two backups.
      }
    }
    #expect(throws: BackupError.self) { try fixture.restore(.time(instants[0] - 1)) }
    #expect(throws: BackupError.self) { try fixture.restore(.time(instants[instants.count - 1] + 1)) }
  }

  private func checkPositions(_ fixture: BackupFixture, _ first: Int64, prunes: Bool, _ random: inout SeededRandom)
    throws
  {
    for database in fixture.databases {
      for _ in 0..<4 {
        let position = random.below(database.states.count)
        do {
          let restored = try fixture.restore(.position(database.name, Int64(position)))
          try restored.expect(database, at: position)
          let time = database.states[position].time
          for other in fixture.databases where other.name != database.name && time > first {
            // The position is that of the last commit in its millisecond, or of the backup that ends with it.
            let found = restored.position(other.name) ?? 0
            #expect(other.states[Int(found)].time <= max(time, restored.outcome.backup.instantMilliseconds))
            try restored.expect(other, at: Int(found))
          }
        } catch let error as BackupError where error.code == .notCovered {
          #expect(
            prunes || database.states[position].time <= first || position == 0, "\(database.name) \(position): \(error)"
          )
        }
      }
    }
  }

  @Test func `small segments are merged, and a continuous backup replaces the former one`()
    throws
  {
    var random = SeededRandom(seed: 30)
    let fixture = try BackupFixture(["databases/a"])
    let database = fixture["databases/a"]
    try database.commit(&random)
    let first = try fixture.backUp()
    for _ in 0..<80 {
      try database.commit(&random, 2)
      try fixture.backUp(isContinuous: true)
    }
    let manifests = try BackupRepository(path: fixture.repository, for: .reading).manifests().whole
    #expect(manifests.count == 2 && manifests[0] == first && manifests[1].kind == .continuous)
    #expect(manifests[1].databases[0].segments.count <= BackupLimits.segmentsBeforeMerge)
    for position in [1, 40, 77, 161] {
      try fixture.restore(.position("databases/a", Int64(position))).expect(database, at: position)
    }
    let outcome = try Retention(BackupRepository(path: fixture.repository, for: .removing)).prune(before: nil)
    #expect(outcome.removed.isEmpty && outcome.removedPieceCount > 40)
    #expect(try fixture.verify().findings.isEmpty)
    try fixture.restore(.latest).expect(database, at: 161)
  }

  @Test func `a full backup does not replace a continuous one with log before its snapshot`() throws {
    var random = SeededRandom(seed: 36)
    let fixture = try BackupFixture(["databases/a"])
    try fixture["databases/a"].commit(&random)
    try fixture.backUp()
    try fixture.add("databases/late")
    let late = fixture["databases/late"]
    try late.commit(&random, 3)
    try late.commit(&random, 2)
    try late.snapshot(prunes: false)
    let continuous = try fixture.backUp(isContinuous: true)
    #expect(continuous.database("databases/late")?.segments.first?.first == 1)
    try late.commit(&random)
    try fixture.backUp(isFull: true, isContinuous: true)
    // Between the first backup and the snapshot.
    let restored = try fixture.restore(.time(late.states[3].time))
    try restored.expect(late, at: late.position(at: late.states[3].time))
  }

  @Test func `a different log starts a new backup`() throws {
    var random = SeededRandom(seed: 31)
    let fixture = try BackupFixture(["databases/a"])
    try fixture["databases/a"].commit(&random, 5)
    try fixture.backUp()
    let other = try BackupFixture(["databases/a"])
    for _ in 0..<7 { try other["databases/a"].commit(&random) }
    let repository = try BackupRepository(path: fixture.repository, for: .adding)
    let manifest = try Backup(other.source, into: repository).make(Backup.Options(secrets: .clear))
    #expect(manifest.kind == .incremental || manifest.kind == .full)
    #expect(manifest.databases[0].segments.count == 1 && manifest.databases[0].segments[0].first == 1)
    try fixture.restore(.latest).expect(other["databases/a"], at: 7)
  }

  @Test func `a journal that lost its end is not backed up`() throws {
    var random = SeededRandom(seed: 32)
    let fixture = try BackupFixture(["databases/a"])
    try fixture["databases/a"].commit(&random)
    try fixture["databases/a"].stop()
    let file = fixture.data + "/databases/a.sqlite"
    let earlier = try #require(TestFolder.bytes(file))
    try fixture["databases/a"].restart()
    try fixture["databases/a"].commit(&random, 3)
    try fixture["databases/a"].stop()
    try TestFolder.write(earlier, file)
    #expect(throws: JournalError.self) { try fixture.backUp() }
    #expect(try BackupRepository(path: fixture.repository, for: .reading).manifests().whole.isEmpty)
  }

  @Test func `one writer at a time, and no writer removes files that are being read`() throws {
    var random = SeededRandom(seed: 33)
    let fixture = try BackupFixture(["databases/a"])
    try fixture["databases/a"].commit(&random)
    try fixture.backUp()
    func code(_ access: BackupRepository.Access) -> BackupError.Code? {
      do {
        _ = try BackupRepository(path: fixture.repository, for: access)
        return nil
      } catch { return error.code }
    }
    do {
      let writer = try BackupRepository(path: fixture.repository, for: .adding)
      #expect(code(.adding) == .busy && code(.removing) == .busy && code(.reading) == nil)
      withExtendedLifetime(writer) {}
    }
    let reader = try BackupRepository(path: fixture.repository, for: .reading)
    #expect(code(.removing) == .busy && code(.adding) == nil && code(.reading) == nil)
    withExtendedLifetime(reader) {}
  }

  @Test func `restoring never overwrites a folder, and backups are written into no foreign folder`() throws {
    var random = SeededRandom(seed: 34)
    let fixture = try BackupFixture(["databases/a"])
    try fixture["databases/a"].commit(&random)
    try fixture.backUp()
    let repository = try BackupRepository(path: fixture.repository, for: .reading)
    let restore = Restore(repository, archives: { _ in fatalError() }, seal: nil)
    #expect(throws: BackupError.self) { try restore.run(.latest, into: fixture.data) }
    #expect(throws: BackupError.self) { try BackupRepository(path: fixture.data, for: .adding) }
    #expect(throws: BackupError.self) { try BackupRepository(path: fixture.folder("none"), for: .reading) }
    #expect(!TestFolder.isThere(fixture.folder("none")))
  }

  @Test func `the marker file names the last backup`() throws {
    var random = SeededRandom(seed: 35)
    let fixture = try BackupFixture(["databases/a"])
    try fixture["databases/a"].commit(&random)
    #expect(BackupMarker.read(in: fixture.data) == nil)
    let marker = BackupMarker(try fixture.backUp(), repository: fixture.repository)
    try marker.write(in: fixture.data)
    #expect(BackupMarker.read(in: fixture.data) == marker)
    #expect(try TestFolder.mode(fixture.data + "/backup.json") == 0o600)
    try fixture.backUp()
    #expect(!TestFolder.isThere(try fixture.restore(.latest).path + "/backup.json"))
  }
}
