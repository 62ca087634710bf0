import HearthTree
import Testing

@testable import HearthSync

/// Tests of listens, writes, gets and lost connections.
@Suite struct CoreTests {
  @Test("one listen serves observers of a location and below; a child's first value comes from the cache")
  func listensOnce() {
    let story = CoreStory()
    story.listen("a")
    #expect(story.take() == ["> q /a"])
    story.push("a", #"{"b":1}"#)
    story.reply("q")
    #expect(story.take() == [#"value(1) /a {"b":1}"#])
    story.listen("a/b")
    #expect(story.take() == ["value(2) /a/b 1"])
    story.push("a/b", "2")
    #expect(story.take() == ["value(2) /a/b 2", #"value(1) /a {"b":2}"#])
  }

  @Test("when a covering listen is removed, the covered ones are sent first; one with a query has its tag again")
  func handsOver() {
    let story = CoreStory()
    let limit = Query(limit: .first(2))
    story.listen("a", limit)
    story.listen("a/b/c", limit)
    story.listen("a/k")
    let id = story.listen("a")
    #expect(
      story.take() == [
        "> q /a tag 1", "> q /a/b/c tag 2", "> q /a/k", "> q /a", "> n /a tag 1", "> n /a/b/c tag 2", "> n /a/k",
      ])
    story.push("a", #"{"k":1,"l":2,"m":3}"#)
    _ = story.take()
    story.unlisten(id, "a")
    #expect(
      story.take() == ["> q /a tag 1 with hash", "> q /a/b/c tag 2", "> q /a/k with hash", "> n /a"])
  }

  @Test("a response without data is null, for the listen and those it covers, deeper ones first")
  func completesEmpty() {
    let story = CoreStory()
    story.listen("a/b")
    story.listen("a")
    _ = story.take()
    story.reply("q")
    #expect(story.take() == ["value(1) /a/b null", "value(2) /a null"])
  }

  @Test("the response to an ended listen does not affect one that began since")
  func ignoresStaleReplies() {
    let story = CoreStory()
    let id = story.listen("a")
    let first = story.requests["q"]!
    story.unlisten(id, "a")
    story.listen("a")
    _ = story.take()
    story.note(story.core.reply(first, SyncReply()))
    #expect(story.take() == [])
    story.reply("q")
    #expect(story.take() == ["value(2) /a null"])
  }

  @Test("a denied listen ends all observers of its location; deeper observers get listens of their own")
  func cancels() {
    let story = CoreStory()
    story.listen("a", Query(order: .key))
    story.listen("a", Query(order: .value))
    story.listen("a/b")
    story.note(story.core.keepSynced(QuerySpec(Path("a")), true))
    _ = story.take()
    story.reply("q", "permission_denied")
    let lines = story.take()
    #expect(lines.contains("cancelled(1) /a permission_denied") && lines.contains("cancelled(2) /a permission_denied"))
    #expect(lines.last == "> q /a/b")
    // The data is not marked as kept: it can be requested again.
    story.note(story.core.keepSynced(QuerySpec(Path("a")), true))
    #expect(story.take() == ["> q /a", "> n /a/b"])
  }

  @Test("set and update show at once, are sent unresolved, and complete without an event when the push came first")
  func writes() {
    let story = CoreStory.listening(to: "n", "5")
    story.set("n", #"{".sv":{"increment":1}}"#)
    #expect(story.take() == ["value(1) /n 6", "> p /n 0 with 1 server values"])
    story.set("n", #"{".sv":{"increment":1}}"#)
    #expect(story.take() == ["value(1) /n 7", "> p /n 0 with 1 server values"])
    let second = story.requests["p"]!
    story.push("n", "6")
    story.note(story.core.reply(RequestID(second.number - 1), SyncReply()))
    story.push("n", "7")
    story.reply("p")
    #expect(story.take() == ["done(1) ok", "done(2) ok"])
    story.set("n", #"{".sv":"timestamp"}"#)
    #expect(story.take().first == "value(1) /n \(story.now)")
    story.reply("p", "permission_denied")
    #expect(story.take() == ["value(1) /n 7", "done(3) permission_denied"])
    story.update("n", [])
    #expect(story.take() == ["done(4) ok"])
  }

  @Test(
    "a pushed update is applied in its order: a node that is empty in between loses its priority",
    arguments: [
      (#"{"b":1,".priority":5}"#, [("b", "null"), ("c", "2")], #"{"c":2}"#),
      (#"{"b":1,".priority":5}"#, [("c", "2"), ("b", "null")], #"{"c":2,".priority":5}"#),
      (#"{"b":1,".priority":5}"#, [("b", "null"), ("c", "2"), (".priority", "6")], #"{"c":2,".priority":6}"#),
      (#"{"b":{"x":1},".priority":5}"#, [("b/x", "null"), ("b/y", "2")], #"{"b":{"y":2}}"#),
      (#"{"b":{"x":1},".priority":5}"#, [("b/y", "2"), ("b/x", "null")], #"{"b":{"y":2},".priority":5}"#),
      (#"{"b":{"x":1,".priority":5},"d":3}"#, [("b/x", "null"), ("b/y", "2")], #"{"b":{"y":2},"d":3}"#),
      (
        #"{"b":{"x":1,".priority":5},"d":3}"#, [("b/y", "2"), ("b/x", "null")],
        #"{"b":{"y":2,".priority":5},"d":3}"#
      ),
    ])
  func pushedOrder(before: String, changes: [(String, String)], after: String) {
    let above = CoreStory.listening(to: "r", #"{"a":\#(before)}"#)
    above.merge("r", changes.map { ("a/" + $0, $1) })
    #expect(above.take() == [#"value(1) /r {"a":\#(after)}"#])
    let here = CoreStory.listening(to: "a", before)
    here.merge("a", changes)
    #expect(here.take() == ["value(1) /a \(after)"])
  }

  @Test("pushes to another listener show at once in a full window, and the window's own message still applies")
  func fullWindow() {
    for asMerge in [false, true] {
      let story = CoreStory()
      story.listen("r", Query(order: .key, limit: .first(2)))
      story.push("r", #"{"a":1,"c":3}"#, tag: 1)
      story.reply("q")
      story.listen("r/b")
      story.reply("q")
      _ = story.take()
      // One update of another client removes a and adds b, so that b and c are the first two.
      if asMerge { story.merge("r", [("b", "2")]) } else { story.push("r/b", "2") }
      #expect(story.take() == ["value(2) /r/b 2", #"value(1) /r {"a":1,"b":2}"#])
      story.merge("r", [("a", "null"), ("b", "2")], tag: 1)
      #expect(story.take() == [#"value(1) /r {"b":2,"c":3}"#])
    }
  }

  @Test("a window covered by a listen of the whole location follows its pushes")
  func coveredWindow() {
    let story = CoreStory(store: MemoryStore())
    let id = story.listen("r")
    story.push("r", #"{"a":1,"c":3}"#)
    story.reply("q")
    story.unlisten(id, "r")
    story.listen("r", Query(order: .key, limit: .first(2)))
    story.push("r", #"{"a":1,"c":3}"#, tag: 1)
    story.reply("q")
    story.listen("r")
    // No push came: the stored data is current.
    story.reply("q")
    _ = story.take()
    story.push("r/b", "2")
    #expect(story.take().contains(#"value(2) /r {"a":1,"b":2}"#))
  }

  @Test("an increment of a non-number is the increment; overflowing integers become doubles")
  func increments() throws {
    for (before, delta, after) in [
      ("null", "1", "1"), (#""text""#, "1", "1"), ("true", "1", "1"), (#"{"a":1}"#, "1", "1"), ("1.5", "1", "2.5"),
      ("9223372036854775807", "4096", "9223372036854779904"),
    ] {
      let story = CoreStory(isConnected: false)
      story.listen("n")
      story.set("n", before)
      _ = story.take()
      story.set("n", #"{".sv":{"increment":\#(delta)}}"#)
      let shown = try #require(story.take().first)
      #expect(CoreStory.node(String(shown.dropFirst("value(1) /n ".count))) == CoreStory.node(after), "\(before)")
    }
  }

  @Test("two increments in one update use the former value")
  func updatesReadBefore() {
    let story = CoreStory(isConnected: false)
    story.listen("n")
    story.set("n", #"{"a":1,"b":1}"#)
    _ = story.take()
    story.update("n", [("a", #"{".sv":{"increment":1}}"#), ("b", #"{".sv":{"increment":2}}"#)])
    #expect(story.take() == [#"value(1) /n {"a":2,"b":3}"#])
  }

  @Test("pending requests are sent on the next connection: listens with hashes, writes in order, gets, onDisconnects")
  func reconnects() {
    let story = CoreStory.listening(to: "a", #"{"x":1}"#)
    story.set("b", "1")
    _ = story.take()
    story.lose()
    #expect(story.take() == [])
    story.set("c", "2")
    story.get("d")
    story.onDisconnectSet("e", "3")
    #expect(story.take() == [])
    story.connect()
    #expect(story.take() == ["> q /a with hash", "> p /b 1", "> p /c 2", "> g /d", "> o /e 3"])
    story.reply("q")
    #expect(story.take() == [])
    story.reply("o")
    story.reply("g", "ok", "7")
    #expect(story.take() == ["done(4) ok", "got(3) 7"])
  }

  @Test(".info has the connection state and the clock offset, which is unknown before the first hello")
  func info() {
    let story = CoreStory(isConnected: false)
    story.listen(".info/connected")
    story.listen(".info/serverTimeOffset")
    story.listen(".info/none")
    #expect(story.take() == ["value(1) /.info/connected false"])
    story.note(story.core.helloReceived(serverTimeMilliseconds: story.now + 90_000))
    #expect(story.take() == ["value(2) /.info/serverTimeOffset 90000", "value(1) /.info/connected true"])
    story.get(".info/connected")
    #expect(story.take() == ["got(1) true"])
    story.set("t", #"{".sv":"timestamp"}"#)
    story.lose()
    #expect(story.take() == ["value(1) /.info/connected false"])
    story.listen("t")
    #expect(story.take() == ["value(4) /t \(story.now + 90_000)"])
  }

  @Test("onDisconnect changes made by the server are shown once, and are not local writes")
  func onDisconnect() {
    let story = CoreStory.listening(to: "p", #"{"me":"on","other":1}"#)
    story.onDisconnectSet("p/me", #"{"state":"off","at":{".sv":"timestamp"}}"#)
    story.reply("o")
    story.onDisconnectSet("p/other", "null")
    story.reply("o")
    _ = story.take()
    story.lose()
    #expect(story.take() == [#"value(1) /p {"me":{"at":\#(story.now),"state":"off"}}"#])
    story.connect()
    #expect(story.take() == ["> q /p with hash"])
    story.lose()
    #expect(story.take() == [])
  }

  @Test("onDisconnects: cancelling below a value keeps the rest of it")
  func cancelsOnDisconnect() {
    let story = CoreStory.listening(to: "p", "0")
    story.onDisconnectSet("p", #"{"a":1,"b":{"c":2,"d":3}}"#)
    story.reply("o")
    story.note(story.core.onDisconnectCancel(Path("p/b/c"), operation: OperationID(90)))
    story.reply("oc")
    _ = story.take()
    story.lose()
    #expect(story.take() == [#"value(1) /p {"a":1,"b":{"d":3}}"#])
  }

  @Test("purging reverts the local values, then reports every write in order")
  func purges() {
    let story = CoreStory(isConnected: false)
    story.listen("a")
    story.set("a", "1")
    story.set("a", "2")
    story.onDisconnectSet("b", "1")
    story.count("c")
    _ = story.take()
    story.note(story.core.purgeOutstandingWrites())
    #expect(
      story.take() == [
        "done(4) write_canceled -", "done(1) write_canceled", "done(2) write_canceled", "done(3) write_canceled",
      ])
    story.connect()
    #expect(story.take() == ["> q /a"])
  }

  @Test("differing ranges replace their parts; a merge for an ended listen is ignored")
  func rangeMerges() {
    let story = CoreStory.listening(to: "a", #"{"b":1,"c":2,"d":3}"#)
    let range = RangeMerge(start: Path("b"), end: Path("c"), node: CoreStory.node(#"{"bb":5}"#))
    story.note(story.core.serverRangeMerge(Path("a"), [range], tag: nil))
    #expect(story.take() == [#"value(1) /a {"b":1,"bb":5,"d":3}"#])
    story.note(story.core.serverRangeMerge(Path("z"), [range], tag: nil))
    story.note(story.core.serverRangeMerge(Path("a"), [range], tag: 7))
    #expect(story.take() == [])
  }

  @Test("large values are hashed by ranges")
  func hashesRanges() {
    let story = CoreStory.listening(to: "a", #"{"x":""# + String(repeating: "y", count: 2_000) + #""}"#)
    story.lose()
    _ = story.take()
    story.connect()
    #expect(story.take() == ["> q /a with hash and ranges"])
  }
}

/// Tests of one-time reads.
@Suite struct GetTests {
  @Test("a get below a live listener is answered from the cache, with pending writes")
  func readsMemory() {
    let story = CoreStory.listening(to: "a", #"{"b":{"x":1,"y":2}}"#)
    story.set("a/b/x", "9")
    _ = story.take()
    story.get("a/b")
    story.get("a/b", Query(limit: .last(1)))
    #expect(story.take() == [#"got(2) {"x":9,"y":2}"#, #"got(3) {"y":2}"#])
  }

  @Test("a get with a query leaves a listener to the whole location unchanged")
  func keepsListeners() {
    let story = CoreStory()
    story.listen("a/b")
    story.reply("q")
    _ = story.take()
    story.get("a", Query(limit: .first(1)))
    story.reply("g", "ok", #"{"b":4}"#)
    #expect(story.take() == ["> g /a", #"got(1) {"b":4}"#])
    story.get("a")
    story.reply("g", "ok", #"{"b":5}"#)
    #expect(story.take() == ["> g /a", "value(1) /a/b 5", #"got(2) {"b":5}"#])
  }

  @Test("a get without a connection fails after three seconds, and is retried when there is one")
  func givesUp() {
    let story = CoreStory(isConnected: false)
    story.get("a")
    #expect(story.core.nextDeadlineMilliseconds == story.now + 3_000)
    story.now += 2_999
    story.note(story.core.timePassed())
    #expect(story.take() == [])
    story.connect()
    #expect(story.take() == ["> g /a"])
    #expect(story.core.nextDeadlineMilliseconds == nil)
    story.reply("g", "ok", "1")
    #expect(story.take() == ["got(1) 1"])
    story.lose()
    story.get("a")
    story.now += 3_000
    story.note(story.core.timePassed())
    #expect(story.take() == ["got(2) network_error"])
  }

  @Test("a get sent before a disconnection is sent again, with the usual timeout")
  func getsThatAreCutOff() {
    let story = CoreStory()
    story.get("a")
    for _ in 0..<3 {
      // The server is slow, or the connection unstable.
      story.now += 60_000
      story.lose()
      #expect(story.core.nextDeadlineMilliseconds == story.now + 3_000)
      story.now += 2_999
      // A failed attempt extends no deadline.
      story.lose()
      #expect(story.core.nextDeadlineMilliseconds == story.now + 1)
      story.connect()
      #expect(story.core.nextDeadlineMilliseconds == nil)
    }
    #expect(story.take() == Array(repeating: "> g /a", count: 4))
    story.lose()
    story.now += 3_000
    story.note(story.core.timePassed())
    #expect(story.take() == ["got(1) network_error"])
  }

  @Test("the server's refusal is reported with its status")
  func denied() {
    let story = CoreStory()
    story.get("a")
    story.reply("g", "permission_denied")
    #expect(story.take() == ["> g /a", "got(1) permission_denied"])
  }
}
