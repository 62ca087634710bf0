import Foundation
import HearthSync
import HearthTree
import LiveServerKit
import ServerTestKit
import Testing

@testable import HearthClient

/// Tests of data on disk, as an app sees it.
@Suite struct PersistenceTests {
  /// Returns a client with its data in a folder. Tests run concurrently, so each has its own app names.
  private static func database(
    _ folder: String, _ url: String, isOnline: Bool, app name: String = "app"
  ) throws -> Database {
    let options = FirebaseOptions()
    options.storageDirectory = URL(fileURLWithPath: folder)
    let name = folder + name
    FirebaseApp.configure(name: name, options: options)
    let app = try #require(FirebaseApp.app(name: name))
    app.delete()
    let database = Database.database(app: app, url: url, credentials: FixedCredential(nil))
    database.isPersistenceEnabled = true
    database.persistenceCacheSizeBytes = 1 << 20
    database.callbackQueue = DispatchQueue(label: "test")
    database.configureConnections { DatabaseFixture.configure(&$0, over: .plain) }
    if !isOnline { database.goOffline() }
    return database
  }

  @Test(
    "after a kill cached data is available at once, and each pending write is sent once, in order",
    arguments: NetworkCondition.reliable)
  func killed(over network: NetworkCondition) async throws {
    let folder = try TemporaryFolder()
    try await DatabaseFixture.with(over: network) { fixture in
      let other = fixture.ref()
      try await other.child("cached").setValue("x")
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String, url = fixture.url as String] in
        let ref = try PersistenceTests.database(path, url, isOnline: true).reference(withPath: "open")
        ref.keepSynced(true)
        guard try await json(ref.singleEvent(of: .value).snapshot) == #"{"cached":"x"}"# else { exit(1) }
        ref.database.goOffline()
        for i in 1...20 {
          plainly {
            ref.child("sum").setValue(ServerValue.increment(1))
            ref.child("list/k\(i)").setValue(i)
            ref.child("last").setValue(i)
          }
        }
        // The answer to this request follows the answers to all earlier ones.
        _ = try await ref.root.child(".info/connected").singleEvent(of: .value)
        kill(getpid(), SIGKILL)
      }
      #expect(try await json(other.getData()) == #"{"cached":"x"}"#)
      let database = try Self.database(folder.path, fixture.url, isOnline: false)
      defer { database.shutDown() }
      let ref = database.reference(withPath: "open")
      #expect(try await json(ref.child("cached").singleEvent(of: .value).snapshot) == #""x""#)
      #expect(try await json(ref.child("sum").singleEvent(of: .value).snapshot) == "20")
      let lines = Lines()
      other.child("list").observe(.childAdded) { lines.add($0.key) }
      // The initial data of a listen comes in key order.
      _ = try await other.child("list").singleEvent(of: .value)
      database.goOnline()
      try await ref.child("done").setValue(true)
      let stored = try await other.getData()
      #expect(stored.childSnapshot(forPath: "sum").value as? Int == 20)
      #expect(stored.childSnapshot(forPath: "last").value as? Int == 20)
      #expect(await lines.wait(for: 20) == (1...20).map { "k\($0)" })
    }
  }

  @Test("data read once is available offline, also after a restart")
  func readOnce() async throws {
    let folder = try TemporaryFolder()
    try await DatabaseFixture.with { fixture in
      try await fixture.ref().setValue(["a": ["x": 1], "b": ["k1": 1, "k2": 2, "k3": 3]])
      func check(_ ref: DatabaseReference) async throws {
        let last = ref.child("b").queryOrderedByKey().queryLimited(toLast: 2)
        // Each read waits three seconds for a connection, so all run at once.
        let whole = Task { try await ref.child("a").getData() }
        let part = Task { try await ref.child("a/x").getData() }
        let limited = Task { try await last.getData() }
        let none = Task { try await ref.child("none").getData() }
        let other = Task { try await ref.child("other").getData() }
        #expect(try await json(whole.value) == #"{"x":1}"#)
        #expect(try await json(ref.child("a").singleEvent(of: .value).snapshot) == #"{"x":1}"#)
        #expect(try await json(part.value) == "1")
        #expect(try await json(limited.value) == #"{"k2":2,"k3":3}"#)
        #expect(try await json(last.singleEvent(of: .value).snapshot) == #"{"k2":2,"k3":3}"#)
        #expect(try await json(none.value) == "null", "nothing was there")
        await #expect(throws: DatabaseError.self) { try await other.value }
      }
      let database = try Self.database(folder.path, fixture.url, isOnline: true)
      let ref = database.reference(withPath: "open")
      for query in [ref.child("a"), ref.child("b").queryOrderedByKey().queryLimited(toLast: 2), ref.child("none")] {
        _ = try await query.getData()
      }
      database.goOffline()
      _ = try await ref.root.child(".info/connected").singleEvent(of: .value)
      try await check(ref)
      await database.close()
      let again = try Self.database(folder.path, fixture.url, isOnline: false)
      defer { again.shutDown() }
      try await check(again.reference(withPath: "open"))
    }
  }

  @Test("two apps of one process persist side by side, in one directory and for one address")
  func twoApps() async throws {
    let folder = try TemporaryFolder()
    try await DatabaseFixture.with { fixture in
      for isOnline in [true, false] {
        let databases = try ["one", "two"].map {
          try Self.database(folder.path, fixture.url, isOnline: isOnline, app: $0)
        }
        for (i, database) in databases.enumerated() {
          let ref = database.reference(withPath: "open")
          let expected = #"{"app\#(i)":"waits","cached":"x"}"#
          guard isOnline else {
            #expect(try await json(ref.singleEvent(of: .value).snapshot) == expected)
            continue
          }
          try await ref.child("cached").setValue("x")
          ref.keepSynced(true)
          _ = try await ref.singleEvent(of: .value)
          database.goOffline()
          plainly { ref.child("app\(i)").setValue("waits") }
          #expect(try await json(ref.singleEvent(of: .value).snapshot) == expected)
        }
        for database in databases { await database.close() }
      }
    }
  }

  @Test("an app and its extension persist side by side in one directory")
  func appAndExtension() async throws {
    let folder = try TemporaryFolder()
    try await DatabaseFixture.with { fixture in
      let database = try Self.database(folder.path, fixture.url, isOnline: true)
      let ref = database.reference(withPath: "open")
      try await ref.child("cached").setValue("x")
      ref.keepSynced(true)
      _ = try await ref.singleEvent(of: .value)
      await #expect(processExitsWith: .success) { [path = folder.path as String, url = fixture.url as String] in
        ProcessInfo.processInfo.processName = "extension"
        for isOnline in [true, false] {
          let database = try PersistenceTests.database(path, url, isOnline: isOnline)
          let ref = database.reference(withPath: "open")
          ref.keepSynced(true)
          guard try await json(ref.singleEvent(of: .value).snapshot) == #"{"cached":"x"}"# else { exit(1) }
          await database.close()
        }
        exit(0)
      }
      await database.close()
      let again = try Self.database(folder.path, fixture.url, isOnline: false)
      defer { again.shutDown() }
      #expect(try await json(again.reference(withPath: "open/cached").singleEvent(of: .value).snapshot) == #""x""#)
    }
  }

  @Test("the shared folder of version 1.0 is adopted by the first app that opens it")
  func adoptsSharedFolder() throws {
    let folder = try TemporaryFolder()
    let directory = URL(fileURLWithPath: folder.path)
    let (address, _) = try DatabaseAddress.parse("http://127.0.0.1:9/?ns=default")
    let shared = directory.appendingPathComponent("databases/ZGvObpiSjl4sTBkoemel2z6SNk4=")
    try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: true)
    let file = shared.appendingPathComponent("nobody.sqlite").path
    let write = StoredWrite(id: 4, content: .overwrite(Location(path: Path("a")), WriteValue(Node(.int(1)))))
    try DiskStore(path: file).save(write)
    for (app, ids) in [("one", [4]), ("two", [])] {
      let store = try #require(RepositoryFolder(directory, address, app: app).store(of: nil))
      #expect(try store.writes().map(\.id) == ids)
    }
  }

  @Test(
    "unused data is evicted when the cache is too large, the least recently used first; data kept in sync stays")
  func pruned() async throws {
    let folder = try TemporaryFolder()
    try await DatabaseFixture.with { fixture in
      let text = String(repeating: "x", count: 1_500)
      try await fixture.ref().setValue(
        Dictionary(uniqueKeysWithValues: (0..<1_100).map { ("k\(1_000 + $0)", text) }))
      let first = try Self.database(folder.path, fixture.url, isOnline: true)
      let ref = first.reference(withPath: "open")
      ref.child("k1000").keepSynced(true)
      _ = try await ref.child("k1000").singleEvent(of: .value)
      for start in stride(from: 1, to: 1_100, by: 100) {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for i in start..<min(start + 100, 1_100) {
            group.addTask { _ = try await ref.child("k\(1_000 + i)").singleEvent(of: .value) }
          }
          try await group.waitForAll()
        }
      }
      await first.close()
      let again = try Self.database(folder.path, fixture.url, isOnline: false)
      defer { again.shutDown() }
      let cached = again.reference(withPath: "open")
      #expect(try await cached.child("k1000").singleEvent(of: .value).snapshot.exists())
      #expect(try await cached.child("k2099").singleEvent(of: .value).snapshot.exists())
      let (size, isGone): (Int, Bool) = try await withCheckedThrowingContinuation { continuation in
        again.repository.enqueue { worker in
          continuation.resume(
            with: Result {
              let store = try #require(worker.folder?.store(of: nil))
              return (try store.serverDataSizeBytes(), try store.serverData(at: Path("open/k1001")).isEmpty)
            })
        }
      }
      #expect(isGone)
      // The size is checked after every thousand changes.
      #expect(size <= (1 << 20) + 200 * 1_600)
    }
  }
}
