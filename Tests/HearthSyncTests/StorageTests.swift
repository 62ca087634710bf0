import HearthTree
import Testing

@testable import HearthSync

/// Tests of the data and writes that a client's store keeps across restarts.
@Suite struct StorageTests {
  private let limit = Query(limit: .last(2))

  /// Runs a connected client with listens, then returns another one on the same store, without a connection.
  private func restarted(_ store: MemoryStore, _ first: (SyncCoreHarness) -> Void) -> SyncCoreHarness {
    first(SyncCoreHarness(store: store))
    return SyncCoreHarness(store: store, isConnected: false)
  }

  @Test("complete data is shown at once and offline, for its location and below")
  func showsComplete() {
    let harness = restarted(MemoryStore()) { harness in
      harness.listen("a")
      harness.push("a", #"{"b":1,"c":{".value":2,".priority":3}}"#)
      harness.reply("q")
      harness.merge("a", [("b", "5")])
    }
    harness.listen("a")
    harness.listen("a/b")
    #expect(harness.take() == [#"value(1) /a {"b":5,"c":{".value":2,".priority":3}}"#, "value(2) /a/b 5"])
    harness.connect()
    #expect(harness.take().contains("> q /a with hash"))
  }

  @Test("a listen above complete data shows that data as a child, and gets no value event")
  func showsChildren() {
    let harness = restarted(MemoryStore()) { harness in
      harness.listen("a/b")
      harness.push("a/b", "1")
      harness.reply("q")
    }
    harness.listen("a", Query(), .all)
    #expect(harness.take() == ["added(1) /a b 1"])
  }

  @Test("the result of a limited query is shown again, and does not serve other queries of its location")
  func showsLimitedQuery() {
    let harness = restarted(MemoryStore()) { harness in
      harness.listen("a", limit)
      harness.push("a", #"{"k1":1,"k2":2}"#, tag: 1)
      harness.reply("q")
      harness.merge("a", [("k1", "null"), ("k3", "3")], tag: 1)
    }
    harness.listen("a", limit)
    #expect(harness.take() == [#"value(1) /a {"k2":2,"k3":3}"#])
    harness.listen("a")
    #expect(harness.take() == [])
    harness.listen("a", Query(limit: .last(1)))
    #expect(harness.take() == [])
  }

  @Test("pending writes are shown over stored data and sent in order, server values unchanged")
  func restoresWrites() {
    let store = MemoryStore()
    let harness = restarted(store) { harness in
      harness.listen("n")
      harness.push("n", "5")
      harness.reply("q")
      harness.lose()
      harness.set("n", #"{".sv":{"increment":1}}"#)
      harness.update("", [("m/x", "1"), ("n", #"{".sv":{"increment":1}}"#)])
    }
    harness.listen("n")
    #expect(harness.take() == ["value(1) /n 7"])
    harness.set("z", "1")
    harness.connect()
    #expect(
      harness.take() == ["> q /n with hash", "> p /n 0 with 1 server values", "> m / /m/x 1, /n 0", "> p /z 1"])
    #expect(store.writes().map(\.id) == [1, 2, 3])
    let put = RequestID(harness.requests["m"]!.number - 1)
    harness.note(harness.core.reply(put, SyncReply(status: "permission_denied")))
    // A later pending write to the same location hides the refusal from the listener.
    #expect(harness.take() == ["warning A stored write to /n was refused: permission_denied"])
    #expect(store.writes().map(\.id) == [2, 3])
  }

  @Test("the result of a write is stored also without a listener")
  func storesResults() {
    let harness = restarted(MemoryStore()) { harness in
      harness.set("a/b", #"{"c":1}"#)
      harness.reply("p")
    }
    harness.listen("a/b")
    #expect(harness.take() == [#"value(1) /a/b {"c":1}"#])
  }

  @Test("after a denial its data is erased from the store before the callback")
  func erasesDenied() {
    let store = MemoryStore()
    let harness = restarted(store) { harness in
      harness.listen("a")
      harness.push("a", #"{"b":1,"secret":2}"#)
      harness.reply("q")
      harness.listen("a/b")
      harness.note(harness.core.serverCancel(Path("a"), query: nil, SyncFailure("permission_denied")))
      #expect(harness.take().contains("cancelled(1) /a permission_denied"))
      #expect(store.serverData(at: Path("a/secret")).isEmpty)
    }
    harness.listen("a")
    harness.listen("a", limit)
    #expect(!harness.take().contains { $0.contains("secret") })
    harness.get("a")
    harness.now += 3_000
    harness.note(harness.core.timePassed())
    #expect(!harness.take().contains { $0.contains("secret") })
  }

  @Test("a denied limited query keeps the data of other queries and listeners")
  func keepsOtherQueries() {
    let store = MemoryStore()
    let harness = SyncCoreHarness(store: store)
    let other = Query(limit: .first(1))
    harness.listen("a", limit)
    harness.listen("a", other)
    harness.push("a", #"{"k1":1,"k2":2}"#, tag: 1)
    harness.push("a", #"{"k1":1}"#, tag: 2)
    harness.note(harness.core.serverCancel(Path("a"), query: limit, SyncFailure("permission_denied")))
    #expect(store.serverData(at: Path("a")) == SyncCoreHarness.node(#"{"k1":1}"#))
  }

  @Test("another user sees no data of the first, whose writes are kept until the first returns")
  func separatesUsers() {
    let (first, second) = (MemoryStore(), MemoryStore())
    let harness = SyncCoreHarness(store: first)
    harness.listen("n")
    harness.push("n", "1")
    harness.reply("q")
    harness.lose()
    harness.set("n", "2")
    _ = harness.take()
    harness.note(harness.core.changeUser(store: second))
    #expect(harness.take() == ["value(1) /n 1", "done(1) user_changed"])
    harness.connect()
    #expect(harness.take() == ["> q /n with hash"])
    #expect(second.writes().isEmpty && first.writes().count == 1)
    harness.note(harness.core.changeUser(store: first))
    #expect(harness.take() == ["value(1) /n 2", "> p /n 2"])
  }

  @Test("without a store no request of one user is sent as another")
  func separatesUsersInMemory() {
    let harness = SyncCoreHarness(isConnected: false)
    harness.set("n", "1")
    harness.count("c")
    harness.onDisconnectSet("o", "1")
    harness.listen("n")
    _ = harness.take()
    harness.note(harness.core.changeUser(store: nil))
    #expect(harness.take() == ["done(2) user_changed -", "done(1) user_changed", "done(3) user_changed"])
    harness.connect()
    #expect(harness.take() == ["> q /n"])
    harness.reply("q")
    #expect(harness.take() == ["value(1) /n null"])
  }

  @Test("requests of a former user are answered as usual and not sent again")
  func answersOfFormerUser() {
    let (first, second) = (MemoryStore(), MemoryStore())
    let harness = SyncCoreHarness(store: first)
    harness.set("a", "1")
    harness.count("c")
    harness.set("b", "1")
    let requests = harness.requests
    harness.note(harness.core.changeUser(store: second))
    harness.set("b", "2")
    _ = harness.take()
    // The requests are b's set by the first user, and then the transaction and a's set, whose connection is lost.
    harness.note(harness.core.reply(requests["p"] ?? RequestID(0), SyncReply()))
    #expect(harness.take() == ["done(3) ok"])
    #expect(first.writes().count == 1 && second.writes().count == 1)
    harness.lose()
    #expect(harness.take() == ["done(1) user_changed", "done(2) user_changed -"])
    harness.connect()
    #expect(harness.take() == ["> p /b 2"])
    harness.reply("p")
    #expect(harness.take() == ["done(4) ok"])
    #expect(first.writes().count == 1 && second.writes().isEmpty)
  }

  @Test(
    "a user who returns before a write's response sees it again, and it is not resent on this connection")
  func returnsBeforeResponse() {
    let (first, second) = (MemoryStore(), MemoryStore())
    let harness = SyncCoreHarness(store: first)
    harness.set("a", "1")
    harness.note(harness.core.changeUser(store: second))
    _ = harness.take()
    harness.note(harness.core.changeUser(store: first))
    harness.set("a", "2")
    #expect(harness.take() == ["> p /a 2"])
    harness.lose()
    harness.connect()
    #expect(harness.take() == ["> p /a 1", "> p /a 2"])
    harness.reply("p")
    #expect(harness.take() == ["done(2) ok"])
  }

  @Test(
    "a transaction sent before a change of users ends as the server answers",
    arguments: ["ok", "datastale"])
  func transactionOfFormerUser(status: String) {
    let harness = SyncCoreHarness()
    harness.count("c")
    _ = harness.take()
    harness.note(harness.core.changeUser(store: nil))
    harness.reply("p", status)
    #expect(harness.take() == ["> n /c", status == "ok" ? "done(1) committed 1" : "done(1) user_changed -"])
  }

  @Test("of 1,001 inactive queries the 201 least recently used are evicted; kept data stays")
  func prunes() {
    let store = MemoryStore()
    let harness = SyncCoreHarness(store: store)
    harness.note(harness.core.keepSynced(QuerySpec(Path("kept")), true))
    harness.push("kept", "1")
    for i in 0...1_000 {
      harness.now += 1
      let id = harness.listen("list/k\(i)")
      harness.push("list/k\(i)", "\(i)")
      harness.unlisten(id, "list/k\(i)")
    }
    #expect(store.trackedQueries().count == 1_002)
    for i in 0..<1_000 { harness.push("kept", "\(i % 2)") }
    let inactive = store.trackedQueries().filter { !$0.isActive }
    #expect(inactive.count == 800)
    #expect(store.serverData(at: Path("list")).childCount == 800)
    #expect(store.serverData(at: Path("list/k0")).isEmpty)
    #expect(store.serverData(at: Path("list/k1000")) == SyncCoreHarness.node("1000"))
    #expect(store.serverData(at: Path("kept")) == SyncCoreHarness.node("1"))
    #expect(harness.lines.allSatisfy { !$0.hasPrefix("warning") })
  }

  @Test("a store that fails is no longer used, with one warning")
  func survivesFailure() {
    final class Broken: SyncStore {
      struct Full: Error {}
      func transaction(_ body: () throws -> Void) throws { throw Full() }
      func writes() -> [StoredWrite] { [] }
      func save(_ write: StoredWrite) {}
      func removeWrite(_ id: Int) {}
      func removeAllWrites() {}
      func serverData(at path: Path) -> Node { .empty }
      func serverData(at path: Path, keys: Set<Key>) -> Node { .empty }
      func replaceServerData(at location: Location, with node: Node) {}
      func removeServerData(at path: Path, keeping: [Path]) {}
      func serverDataSizeBytes() -> Int { 0 }
      func trackedQueries() -> [TrackedQuery] { [] }
      func save(_ query: TrackedQuery) {}
      func removeTrackedQuery(_ id: Int) {}
      func keys(ofQuery id: Int) -> Set<Key> { [] }
      func setKeys(_ keys: Set<Key>, ofQuery id: Int) {}
      func changeKeys(ofQuery id: Int, adding: Set<Key>, removing: Set<Key>) {}
    }
    let harness = SyncCoreHarness(store: Broken())
    harness.set("a", "1")
    #expect(harness.take().count { $0.hasPrefix("warning The store failed") } == 1)
    harness.listen("a")
    #expect(harness.take() == ["value(1) /a 1", "> q /a"])
  }
}
