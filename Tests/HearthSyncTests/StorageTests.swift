import HearthTree
import Testing

@testable import HearthSync

/// Tests of the data and writes that a client's store keeps across restarts.
@Suite struct StorageTests {
  private let limit = Query(limit: .last(2))

  /// Runs a connected client with listens, then returns another one on the same store, without a connection.
  private func restarted(_ store: MemoryStore, _ first: (CoreStory) -> Void) -> CoreStory {
    first(CoreStory(store: store))
    return CoreStory(store: store, isConnected: false)
  }

  @Test("complete data is shown at once and offline, for its location and below")
  func showsComplete() {
    let story = restarted(MemoryStore()) { story in
      story.listen("a")
      story.push("a", #"{"b":1,"c":{".value":2,".priority":3}}"#)
      story.reply("q")
      story.merge("a", [("b", "5")])
    }
    story.listen("a")
    story.listen("a/b")
    #expect(story.take() == [#"value(1) /a {"b":5,"c":{".value":2,".priority":3}}"#, "value(2) /a/b 5"])
    story.connect()
    #expect(story.take().contains("> q /a with hash"))
  }

  @Test("a listen above complete data shows that data as a child, and gets no value event")
  func showsChildren() {
    let story = restarted(MemoryStore()) { story in
      story.listen("a/b")
      story.push("a/b", "1")
      story.reply("q")
    }
    story.listen("a", Query(), .all)
    #expect(story.take() == ["added(1) /a b 1"])
  }

  @Test("the result of a limited query is shown again, and does not serve other queries of its location")
  func showsLimitedQuery() {
    let story = restarted(MemoryStore()) { story in
      story.listen("a", limit)
      story.push("a", #"{"k1":1,"k2":2}"#, tag: 1)
      story.reply("q")
      story.merge("a", [("k1", "null"), ("k3", "3")], tag: 1)
    }
    story.listen("a", limit)
    #expect(story.take() == [#"value(1) /a {"k2":2,"k3":3}"#])
    story.listen("a")
    #expect(story.take() == [])
    story.listen("a", Query(limit: .last(1)))
    #expect(story.take() == [])
  }

  @Test("pending writes are shown over stored data and sent in order, server values unchanged")
  func restoresWrites() {
    let store = MemoryStore()
    let story = restarted(store) { story in
      story.listen("n")
      story.push("n", "5")
      story.reply("q")
      story.lose()
      story.set("n", #"{".sv":{"increment":1}}"#)
      story.update("", [("m/x", "1"), ("n", #"{".sv":{"increment":1}}"#)])
    }
    story.listen("n")
    #expect(story.take() == ["value(1) /n 7"])
    story.set("z", "1")
    story.connect()
    #expect(
      story.take() == ["> q /n with hash", "> p /n 0 with 1 server values", "> m / /m/x 1, /n 0", "> p /z 1"])
    #expect(store.writes().map(\.id) == [1, 2, 3])
    let put = RequestID(story.requests["m"]!.number - 1)
    story.note(story.core.reply(put, SyncReply(status: "permission_denied")))
    // A later pending write to the same location hides the refusal from the listener.
    #expect(story.take() == ["warning A stored write to /n was refused: permission_denied"])
    #expect(store.writes().map(\.id) == [2, 3])
  }

  @Test("the result of a write is stored also without a listener")
  func storesResults() {
    let story = restarted(MemoryStore()) { story in
      story.set("a/b", #"{"c":1}"#)
      story.reply("p")
    }
    story.listen("a/b")
    #expect(story.take() == [#"value(1) /a/b {"c":1}"#])
  }

  @Test("after a denial its data is erased from the store before the callback")
  func erasesDenied() {
    let store = MemoryStore()
    let story = restarted(store) { story in
      story.listen("a")
      story.push("a", #"{"b":1,"secret":2}"#)
      story.reply("q")
      story.listen("a/b")
      story.note(story.core.serverCancel(Path("a"), query: nil, SyncFailure("permission_denied")))
      #expect(story.take().contains("cancelled(1) /a permission_denied"))
      #expect(store.serverData(at: Path("a/secret")).isEmpty)
    }
    story.listen("a")
    story.listen("a", limit)
    #expect(!story.take().contains { $0.contains("secret") })
    story.get("a")
    story.now += 3_000
    story.note(story.core.timePassed())
    #expect(!story.take().contains { $0.contains("secret") })
  }

  @Test("a denied limited query keeps the data of other queries and listeners")
  func keepsOtherQueries() {
    let store = MemoryStore()
    let story = CoreStory(store: store)
    let other = Query(limit: .first(1))
    story.listen("a", limit)
    story.listen("a", other)
    story.push("a", #"{"k1":1,"k2":2}"#, tag: 1)
    story.push("a", #"{"k1":1}"#, tag: 2)
    story.note(story.core.serverCancel(Path("a"), query: limit, SyncFailure("permission_denied")))
    #expect(store.serverData(at: Path("a")) == CoreStory.node(#"{"k1":1}"#))
  }

  @Test("another user sees no data of the first, whose writes are kept until the first returns")
  func separatesUsers() {
    let (first, second) = (MemoryStore(), MemoryStore())
    let story = CoreStory(store: first)
    story.listen("n")
    story.push("n", "1")
    story.reply("q")
    story.lose()
    story.set("n", "2")
    _ = story.take()
    story.note(story.core.changeUser(store: second))
    #expect(story.take() == ["value(1) /n 1", "done(1) user_changed"])
    story.connect()
    #expect(story.take() == ["> q /n with hash"])
    #expect(second.writes().isEmpty && first.writes().count == 1)
    story.note(story.core.changeUser(store: first))
    #expect(story.take() == ["value(1) /n 2", "> p /n 2"])
  }

  @Test("without a store no request of one user is sent as another")
  func separatesUsersInMemory() {
    let story = CoreStory(isConnected: false)
    story.set("n", "1")
    story.count("c")
    story.onDisconnectSet("o", "1")
    story.listen("n")
    _ = story.take()
    story.note(story.core.changeUser(store: nil))
    #expect(story.take() == ["done(2) user_changed -", "done(1) user_changed", "done(3) user_changed"])
    story.connect()
    #expect(story.take() == ["> q /n"])
    story.reply("q")
    #expect(story.take() == ["value(1) /n null"])
  }

  @Test("requests of a former user are answered as usual and not sent again")
  func answersOfFormerUser() {
    let (first, second) = (MemoryStore(), MemoryStore())
    let story = CoreStory(store: first)
    story.set("a", "1")
    story.count("c")
    story.set("b", "1")
    let requests = story.requests
    story.note(story.core.changeUser(store: second))
    story.set("b", "2")
    _ = story.take()
    // The requests are b's set by the first user, and then the transaction and a's set, whose connection is lost.
    story.note(story.core.reply(requests["p"] ?? RequestID(0), SyncReply()))
    #expect(story.take() == ["done(3) ok"])
    #expect(first.writes().count == 1 && second.writes().count == 1)
    story.lose()
    #expect(story.take() == ["done(1) user_changed", "done(2) user_changed -"])
    story.connect()
    #expect(story.take() == ["> p /b 2"])
    story.reply("p")
    #expect(story.take() == ["done(4) ok"])
    #expect(first.writes().count == 1 && second.writes().isEmpty)
  }

  @Test(
    "a user who returns before a write's response sees it again, and it is not resent on this connection")
  func returnsBeforeResponse() {
    let (first, second) = (MemoryStore(), MemoryStore())
    let story = CoreStory(store: first)
    story.set("a", "1")
    story.note(story.core.changeUser(store: second))
    _ = story.take()
    story.note(story.core.changeUser(store: first))
    story.set("a", "2")
    #expect(story.take() == ["> p /a 2"])
    story.lose()
    story.connect()
    #expect(story.take() == ["> p /a 1", "> p /a 2"])
    story.reply("p")
    #expect(story.take() == ["done(2) ok"])
  }

  @Test(
    "a transaction sent before a change of users ends as the server answers",
    arguments: ["ok", "datastale"])
  func transactionOfFormerUser(status: String) {
    let story = CoreStory()
    story.count("c")
    _ = story.take()
    story.note(story.core.changeUser(store: nil))
    story.reply("p", status)
    #expect(story.take() == ["> n /c", status == "ok" ? "done(1) committed 1" : "done(1) user_changed -"])
  }

  @Test("of 1,001 inactive queries the 201 least recently used are evicted; kept data stays")
  func prunes() {
    let store = MemoryStore()
    let story = CoreStory(store: store)
    story.note(story.core.keepSynced(QuerySpec(Path("kept")), true))
    story.push("kept", "1")
    for i in 0...1_000 {
      story.now += 1
      let id = story.listen("list/k\(i)")
      story.push("list/k\(i)", "\(i)")
      story.unlisten(id, "list/k\(i)")
    }
    #expect(store.trackedQueries().count == 1_002)
    for i in 0..<1_000 { story.push("kept", "\(i % 2)") }
    let inactive = store.trackedQueries().filter { !$0.isActive }
    #expect(inactive.count == 800)
    #expect(store.serverData(at: Path("list")).childCount == 800)
    #expect(store.serverData(at: Path("list/k0")).isEmpty)
    #expect(store.serverData(at: Path("list/k1000")) == CoreStory.node("1000"))
    #expect(store.serverData(at: Path("kept")) == CoreStory.node("1"))
    #expect(story.lines.allSatisfy { !$0.hasPrefix("warning") })
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
    let story = CoreStory(store: Broken())
    story.set("a", "1")
    #expect(story.take().count { $0.hasPrefix("warning The store failed") } == 1)
    story.listen("a")
    #expect(story.take() == ["value(1) /a 1", "> q /a"])
  }
}
