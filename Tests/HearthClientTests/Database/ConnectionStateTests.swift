import Foundation
import LiveServerKit
import ServerTestKit
import Testing

@testable import HearthClient

/// Tests of going online and offline with a live server.
@Suite struct ConnectionStateTests {
  // Without network conditions that cut: each cut is another value of `.info/connected`.
  @Test(".info holds the connection state and the clock offset", arguments: NetworkCondition.reliable)
  func info(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (database, lines) = (fixture.database(), Lines())
      database.reference(withPath: ".info/connected").observe(.value) { lines.add(json($0)) }
      #expect(await lines.wait(for: 2) == ["false", "true"])
      let offset = await database.reference(withPath: ".info/serverTimeOffset").observeSingleEvent(of: .value)
      #expect(offset.value is NSNumber)
      let connected = try await database.reference(withPath: ".info/connected").getData()
      #expect(json(connected) == "true")
      database.goOffline()
      #expect(await lines.wait(for: 3).last == "false")
      database.goOnline()
      #expect(await lines.wait(for: 4).last == "true")
    }
  }

  @Test("the class methods take every database of the process offline and online")
  func everyDatabase() async throws {
    try await DatabaseFixture.with { fixture in
      // A separate process, because other tests have databases as well, some of which must stay offline.
      await #expect(processExitsWith: .success) { [url = fixture.url as String] in
        let database = Database.database(url: url)
        database.callbackQueue = DispatchQueue(label: "test")
        let lines = Lines()
        database.reference(withPath: ".info/connected").observe(.value) { lines.add(json($0)) }
        await lines.wait(for: 2)
        DatabaseReference.goOffline()
        await lines.wait(for: 3)
        DatabaseReference.goOnline()
        exit(await lines.wait(for: 4) == ["false", "true", "false", "true"] ? 0 : 1)
      }
    }
  }

  @Test(
    "writes without a connection are visible locally, wait, and are sent in their order",
    arguments: NetworkCondition.all)
  func offlineWrites(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, other, lines) = (fixture.ref(), fixture.ref(), Lines())
      ref.observe(.value) { lines.add(json($0)) }
      await lines.wait(for: 1)
      ref.database.goOffline()
      plainly {
        for i in 1...3 { ref.setValue(i) { error, _ in lines.add("done \(i) \(error == nil)") } }
      }
      #expect(await lines.wait(for: 4) == ["null", "1", "2", "3"])
      let before = try await other.getData()
      #expect(json(before) == "null")
      ref.database.goOnline()
      #expect(await lines.wait(for: 7).suffix(3) == ["done 1 true", "done 2 true", "done 3 true"])
      #expect(try await json(other.getData()) == "3")
    }
  }

  @Test("purged writes are reverted, and their blocks are called", arguments: NetworkCondition.all)
  func purge(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let (ref, lines) = (fixture.ref(), Lines())
      try await ref.setValue(0)
      ref.observe(.value) { lines.add(json($0)) }
      await lines.wait(for: 1)
      ref.database.goOffline()
      plainly {
        for i in 1...2 { ref.setValue(i) { error, _ in lines.add("\(i) \((error as? DatabaseError)?.code ?? 0)") } }
      }
      ref.database.purgeOutstandingWrites()
      let all = await lines.wait(for: 6)
      #expect(all.suffix(2) == ["1 3", "2 3"])
      #expect(all.dropLast(2).last == "0")
    }
  }

  @Test("data and pending writes are there after a restart without a connection", arguments: NetworkCondition.all)
  func persistence(over network: NetworkCondition) async throws {
    try await DatabaseFixture.with(over: network) { fixture in
      let folder = try TemporaryFolder()
      let options = FirebaseOptions()
      options.storageDirectory = URL(fileURLWithPath: folder.path)
      FirebaseApp.configure(name: folder.path, options: options)
      let app = try #require(FirebaseApp.app(name: folder.path))
      defer { app.delete() }
      func start(isOnline: Bool) -> Database {
        let database = Database.database(app: app, url: fixture.url, credentials: FixedCredential(nil))
        database.isPersistenceEnabled = true
        database.persistenceCacheSizeBytes = 2 << 20
        database.callbackQueue = DispatchQueue(label: "test")
        database.configureConnections { DatabaseFixture.configure(&$0, over: network) }
        if !isOnline { database.goOffline() }
        return database
      }
      let first = start(isOnline: true)
      let ref = first.reference(withPath: "open")
      ref.keepSynced(true)
      try await ref.setValue(["a": 1])
      _ = try await ref.singleEvent(of: .value)
      first.goOffline()
      plainly { ref.child("b").setValue(2) }
      #expect(try await json(ref.singleEvent(of: .value).snapshot) == #"{"a":1,"b":2}"#)
      await first.close()
      let second = start(isOnline: false)
      defer { second.shutDown() }
      let again = second.reference(withPath: "open")
      #expect(try await json(again.singleEvent(of: .value).snapshot) == #"{"a":1,"b":2}"#)
      second.goOnline()
      try await again.child("c").setValue(3)
      #expect(try await json(fixture.ref().getData()) == #"{"a":1,"b":2,"c":3}"#)
    }
  }
}
