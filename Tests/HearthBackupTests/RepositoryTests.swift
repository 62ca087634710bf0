import HearthCrypto
import HearthJournal
import RandomTestKit
import Testing

@testable import HearthBackup

@Suite struct RepositoryTests {
  /// Makes two backups with commits between them, then prunes; a simulated crash may interrupt it.
  private func history(_ fixture: BackupFixture, _ files: MemoryFiles) throws {
    var random = SeededRandom(seed: 40)
    let database = fixture["databases/a"]
    for round in 0..<3 {
      if database.head.position == Int64(round * 2) {
        try database.commit(&random, 2, sizeBytes: 400)
        try TestFolder.write(Array("round \(round)".utf8), fixture.data + "/settings.json")
        if round == 1 { try database.snapshot() }
      }
      try fixture.backUp(files, isFull: round == 2)
    }
    let repository = try BackupRepository(path: fixture.repository, files: files, for: .removing)
    _ = try Retention(repository).prune(before: .max)
  }

  @Test func `after a crash at any point there are complete backups, and the next one continues`() throws {
    let whole = MemoryFiles()
    try history(try BackupFixture(["databases/a"]), whole)
    let changeCount = whole.changeCount
    #expect(changeCount > 60)
    let step = Torture.isOn ? 1 : 3
    for end in stride(from: 0, to: changeCount, by: step) {
      let fixture = try BackupFixture(["databases/a"])
      let files = MemoryFiles()
      files.end(after: end)
      #expect(throws: BackupError.self) { try history(fixture, files) }
      for disk in MemoryFiles.Disk.allCases {
        let found = files.restarted(disk)
        let database = fixture["databases/a"]
        if let repository = try? BackupRepository(path: fixture.repository, files: found, for: .reading) {
          let (manifests, broken) = try repository.manifests()
          #expect(broken.isEmpty, "after \(end) changes, \(disk)")
          #expect(try Verification(repository).run().findings.isEmpty, "after \(end) changes, \(disk)")
          if let last = manifests.last?.databases.first {
            try fixture.restore(.latest, found).expect(database, at: Int(last.position))
          }
        }
        try fixture.backUp(found)
        #expect(try fixture.verify(found).findings.isEmpty, "after \(end) changes, \(disk)")
        try fixture.restore(.latest, found).expect(database, at: Int(database.head.position))
        _ = try Retention(BackupRepository(path: fixture.repository, files: found, for: .removing)).prune(before: nil)
        #expect(try fixture.verify(found).findings.isEmpty, "after \(end) changes, \(disk)")
        #expect(!found.all.keys.contains { $0.hasSuffix(".new") })
      }
    }
  }

  @Test func `a flipped bit is found, with the file and the backups that need it`() throws {
    let (fixture, files) = (try BackupFixture(["accounts", "databases/a"]), MemoryFiles())
    var random = SeededRandom(seed: 41)
    for _ in 0..<3 {
      for database in fixture.databases { try database.commit(&random, 3, sizeBytes: 200) }
      try fixture.backUp(files)
    }
    let repository = try BackupRepository(path: fixture.repository, files: files, for: .reading)
    let all = files.all.filter { !$0.key.hasSuffix("lock") && !$0.key.hasSuffix("hearth-backups.json") }
    #expect(all.count > 8)
    for (path, bytes) in all {
      for place in [0, bytes.count / 2, bytes.count - 1, random.below(bytes.count)] {
        var damaged = bytes
        damaged[place] ^= 1 << UInt8(random.below(8))
        files.damage(path, damaged)
        let findings = try Verification(repository).run().findings
        // Zstandard's frames have an unused bit.
        let piece = BlobID(hex: String(path.suffix(64))).flatMap { BlobFormat.decode(damaged, $0) }
        #expect(piece != nil || findings.contains { $0.path == path }, "byte \(place) of \(path)")
        if path.contains("/blobs/") { #expect(findings.allSatisfy { !$0.backups.isEmpty }) }
      }
      files.damage(path, bytes)
    }
    #expect(try Verification(repository).run().findings.isEmpty)
  }

  @Test func `a damaged piece is not restored, and a full backup replaces it`() throws {
    let (fixture, files) = (try BackupFixture(["databases/a"]), MemoryFiles())
    var random = SeededRandom(seed: 42)
    try fixture["databases/a"].commit(&random, 3, sizeBytes: 200)
    try fixture.backUp(files)
    for (path, bytes) in files.all where path.contains("/blobs/") { files.damage(path, Array(bytes.dropLast())) }
    #expect(throws: BackupError.self) { try fixture.restore(.latest, files) }
    #expect(!TestFolder.isThere(fixture.folder("restored-1")))
    #expect(!TestFolder.isThere(fixture.folder("restored-1.restoring")))
    try fixture.backUp(files, isFull: true)
    #expect(try fixture.verify(files).findings.isEmpty)
    try fixture.restore(.latest, files).expect(fixture["databases/a"], at: 3)
  }

  @Test func `kept backups keep their dependencies, and every position since can be restored`() throws {
    let fixture = try BackupFixture(["databases/a"])
    let database = fixture["databases/a"]
    var random = SeededRandom(seed: 43)
    var manifests: [Manifest] = []
    for round in 0..<6 {
      try database.commit(&random, 3, sizeBytes: 100)
      if round == 3 { try database.snapshot(prunes: false) }
      manifests.append(try fixture.backUp(isFull: round == 3))
    }
    let limit = manifests[3].instantMilliseconds + 1
    let outcome = try Retention(BackupRepository(path: fixture.repository, for: .removing)).prune(before: limit)
    #expect(outcome.removed == manifests[..<3].map(\.id) && outcome.keptCount == 3 && outcome.removedPieceCount > 0)
    #expect(try fixture.verify().findings.isEmpty)
    for time in limit...manifests[5].instantMilliseconds {
      try fixture.restore(.time(time)).expect(database, at: database.position(at: time))
    }
    // The last backup is kept at any age.
    let last = try Retention(BackupRepository(path: fixture.repository, for: .removing)).prune(before: .max)
    #expect(last.keptCount == 1)
    try fixture.restore(.latest).expect(database, at: 18)
  }

  @Test func `no backup is removed while its dependents are unknown`() throws {
    let (fixture, files) = (try BackupFixture(["databases/a"]), MemoryFiles())
    var random = SeededRandom(seed: 44)
    for _ in 0..<3 {
      try fixture["databases/a"].commit(&random)
      try fixture.backUp(files)
    }
    let before = files.all
    let path = try #require(before.keys.sorted().first { $0.contains("/backups/") && $0.hasSuffix(".json") })
    files.damage(path, Array((before[path] ?? []).dropFirst()))
    let repository = try BackupRepository(path: fixture.repository, files: files, for: .removing)
    #expect(throws: BackupError.self) { try Retention(repository).prune(before: .max) }
    #expect(files.all.count == before.count)
  }

  @Test func `a manifest that names more pieces than its stream can have is not read`() throws {
    let repository = try BackupRepository(path: "/backups", files: MemoryFiles(), for: .adding)
    let list = try repository.put([UInt8](repeating: 1, count: 1_000 * 32))
    let size = 999 * BackupLimits.pieceBytesMin
    #expect(
      try repository.names(of: StreamReference(sizeBytes: size, names: [list], isListed: true)).pieces.count == 1_000)
    for (sizeBytes, lists) in [(size - 1, [list]), (size, [list, list])] {
      #expect(throws: BackupError.self) {
        try repository.names(of: StreamReference(sizeBytes: sizeBytes, names: lists, isListed: true))
      }
    }
  }

  @Test func `a newer format is refused`() throws {
    let folder = try TestFolder()
    try TestFolder.write(Array("{\"format\":2}\n".utf8), folder("backups/hearth-backups.json"))
    for access in [BackupRepository.Access.reading, .adding, .removing] {
      do {
        _ = try BackupRepository(path: folder("backups"), for: access)
        Issue.record("it was opened")
      } catch { #expect(error.code == .unsupportedFormat) }
    }
  }

  // MARK: Keys

  @Test func `keys are sealed or left out, and no file has them in clear text`() throws {
    let fixture = try BackupFixture(["databases/a"])
    var random = SeededRandom(seed: 45)
    try fixture["databases/a"].commit(&random)
    let secret = Array("a-secret-that-nobody-may-read".utf8)
    for path in ["keys/admin-token", "triggers/triggers.json", "plugins/door/settings.json"] {
      try TestFolder.write(secret, fixture.data + "/" + path)
    }
    let seal = try #require(PassphraseSeal(passphrase: "correct horse battery"))
    try fixture.backUp(to: fixture.folder("sealed"), secrets: .sealed(seal))
    try fixture.backUp(to: fixture.folder("without"), secrets: .leftOut)
    try fixture.backUp(to: fixture.folder("clear"))
    func pieces(_ name: String) throws -> [[UInt8]] {
      let repository = try BackupRepository(path: fixture.folder(name), for: .reading)
      return try TestFolder.files(fixture.folder(name) + "/blobs").map {
        try repository.piece(try #require(BlobID(hex: String($0.suffix(64)))))
      }
    }
    func shows(_ name: String) throws -> Bool {
      let text = String(decoding: secret, as: UTF8.self)
      return try pieces(name).contains { String(decoding: $0, as: UTF8.self).contains(text) }
    }
    #expect(try !shows("sealed"))
    #expect(try !shows("without"))
    #expect(try shows("clear"))
    let restored = try fixture.restore(.latest, from: fixture.folder("sealed"), seal: seal)
    #expect(TestFolder.bytes(restored.path + "/keys/admin-token") == secret)
    #expect(TestFolder.bytes(restored.path + "/plugins/door/settings.json") == secret)
    let other = PassphraseSeal(passphrase: "incorrect horse battery")
    for seal in [nil, other] {
      do {
        _ = try fixture.restore(.latest, from: fixture.folder("sealed"), seal: seal)
        Issue.record("it was restored")
      } catch let error as BackupError {
        #expect(error.code == .passphrase)
        #expect(!error.description.contains("horse"))
      }
    }
    let left = try fixture.restore(.latest, from: fixture.folder("sealed"), leavesOutKeys: true)
    #expect(!left.outcome.hasKeys && !TestFolder.isThere(left.path + "/keys/admin-token"))
    #expect(try !fixture.restore(.latest, from: fixture.folder("without")).outcome.hasKeys)
  }

  // MARK: Streams

  @Test func `a received stream is sent again with the same bytes, and a truncated stream is refused`() throws {
    let fixture = try BackupFixture(["accounts", "databases/a"])
    var random = SeededRandom(seed: 46)
    for database in fixture.databases { for _ in 0..<4 { try database.commit(&random, 3, sizeBytes: 300) } }
    try fixture["databases/a"].snapshot()
    try fixture["databases/a"].commit(&random, 2)
    func stream() throws -> [UInt8] {
      var bytes: [UInt8] = []
      _ = try Backup(fixture.source, into: BackupStreamWriter { bytes += $0 }).make(Backup.Options(secrets: .clear))
      return bytes
    }
    func receive(_ bytes: [UInt8], _ name: String) throws {
      var rest = bytes[...]
      let repository = try BackupRepository(path: fixture.folder(name), for: .adding)
      _ = try BackupStream.receive(into: repository) { count in
        defer { rest = rest.dropFirst(min(count, 1_000)) }
        return Array(rest.prefix(min(count, 1_000)))
      }
    }
    let (first, second) = (try stream(), try stream())
    // The streams differ only in the manifest at their end, which has the time.
    let common = zip(first, second).prefix { $0 == $1 }.count
    #expect(common > first.count * 3 / 4 && first.count == second.count)
    try receive(first, "received")
    let restored = try fixture.restore(.latest, from: fixture.folder("received"))
    for database in fixture.databases { try restored.expect(database, at: Int(database.head.position)) }
    for (index, end) in [0, 5, 9, 10, 14, first.count / 2, first.count - 1].enumerated() {
      #expect(throws: BackupError.self) { try receive(Array(first[..<end]), "cut-\(index)") }
      if end > 20 {
        let repository = try BackupRepository(path: fixture.folder("cut-\(index)"), for: .reading)
        #expect(try repository.manifests().whole.isEmpty)
      }
    }
  }
}
