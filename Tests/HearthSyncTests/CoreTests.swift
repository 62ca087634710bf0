import HearthTree
import Testing

@testable import HearthSync

/// Tests of listens, writes, gets and lost connections.
@Suite struct CoreTests {
  @Test("one listen serves observers of a location and below; a child's first value comes from the cache")
  func listensOnce() {
    let harness = SyncCoreHarness()
    harness.listen("a")
    #expect(harness.take() == ["> q /a"])
    harness.push("a", #"{"b":1}"#)
    harness.reply("q")
    #expect(harness.take() == [#"value(1) /a {"b":1}"#])
    harness.listen("a/b")
    #expect(harness.take() == ["value(2) /a/b 1"])
    harness.push("a/b", "2")
    #expect(harness.take() == ["value(2) /a/b 2", #"value(1) /a {"b":2}"#])
  }

  @Test("when a covering listen is removed, the covered ones are sent first; one with a query has its tag again")
  func handsOver() {
    let harness = SyncCoreHarness()
    let limit = Query(limit: .first(2))
    harness.listen("a", limit)
    harness.listen("a/b/c", limit)
    harness.listen("a/k")
    let id = harness.listen("a")
    #expect(
      harness.take() == [
        "> q /a tag 1", "> q /a/b/c tag 2", "> q /a/k", "> q /a", "> n /a tag 1", "> n /a/b/c tag 2", "> n /a/k",
      ])
    harness.push("a", #"{"k":1,"l":2,"m":3}"#)
    _ = harness.take()
    harness.unlisten(id, "a")
    #expect(
      harness.take() == ["> q /a tag 1 with hash", "> q /a/b/c tag 2", "> q /a/k with hash", "> n /a"])
  }

  @Test("a response without data is null, for the listen and those it covers, deeper ones first")
  func completesEmpty() {
    let harness = SyncCoreHarness()
    harness.listen("a/b")
    harness.listen("a")
    _ = harness.take()
    harness.reply("q")
    #expect(harness.take() == ["value(1) /a/b null", "value(2) /a null"])
  }

  @Test("the response to an ended listen does not affect one that began since")
  func ignoresStaleReplies() {
    let harness = SyncCoreHarness()
    let id = harness.listen("a")
    let first = harness.requests["q"]!
    harness.unlisten(id, "a")
    harness.listen("a")
    _ = harness.take()
    harness.note(harness.core.reply(first, SyncReply()))
    #expect(harness.take() == [])
    harness.reply("q")
    #expect(harness.take() == ["value(2) /a null"])
  }

  @Test("a denied listen ends all observers of its location; deeper observers get listens of their own")
  func cancels() {
    let harness = SyncCoreHarness()
    harness.listen("a", Query(order: .key))
    harness.listen("a", Query(order: .value))
    harness.listen("a/b")
    harness.note(harness.core.keepSynced(QuerySpec(Path("a")), true))
    _ = harness.take()
    harness.reply("q", "permission_denied")
    let lines = harness.take()
    #expect(lines.contains("cancelled(1) /a permission_denied") && lines.contains("cancelled(2) /a permission_denied"))
    #expect(lines.last == "> q /a/b")
    // The data is not marked as kept: it can be requested again.
    harness.note(harness.core.keepSynced(QuerySpec(Path("a")), true))
    #expect(harness.take() == ["> q /a", "> n /a/b"])
  }

  @Test("set and update show at once, are sent unresolved, and complete without an event when the push came first")
  func writes() {
    let harness = SyncCoreHarness.listening(to: "n", "5")
    harness.set("n", #"{".sv":{"increment":1}}"#)
    #expect(harness.take() == ["value(1) /n 6", "> p /n 0 with 1 server values"])
    harness.set("n", #"{".sv":{"increment":1}}"#)
    #expect(harness.take() == ["value(1) /n 7", "> p /n 0 with 1 server values"])
    let second = harness.requests["p"]!
    harness.push("n", "6")
    harness.note(harness.core.reply(RequestID(second.number - 1), SyncReply()))
    harness.push("n", "7")
    harness.reply("p")
    #expect(harness.take() == ["done(1) ok", "done(2) ok"])
    harness.set("n", #"{".sv":"timestamp"}"#)
    #expect(harness.take().first == "value(1) /n \(harness.now)")
    harness.reply("p", "permission_denied")
    #expect(harness.take() == ["value(1) /n 7", "done(3) permission_denied"])
    harness.update("n", [])
    #expect(harness.take() == ["done(4) ok"])
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
    let above = SyncCoreHarness.listening(to: "r", #"{"a":\#(before)}"#)
    above.merge("r", changes.map { ("a/" + $0, $1) })
    #expect(above.take() == [#"value(1) /r {"a":\#(after)}"#])
    let here = SyncCoreHarness.listening(to: "a", before)
    here.merge("a", changes)
    #expect(here.take() == ["value(1) /a \(after)"])
  }

  @Test("pushes to another listener show at once in a full window, and the window's own message still applies")
  func fullWindow() {
    for asMerge in [false, true] {
      let harness = SyncCoreHarness()
      harness.listen("r", Query(order: .key, limit: .first(2)))
      harness.push("r", #"{"a":1,"c":3}"#, tag: 1)
      harness.reply("q")
      harness.listen("r/b")
      harness.reply("q")
      _ = harness.take()
      // One update of another client removes a and adds b, so that b and c are the first two.
      if asMerge { harness.merge("r", [("b", "2")]) } else { harness.push("r/b", "2") }
      #expect(harness.take() == ["value(2) /r/b 2", #"value(1) /r {"a":1,"b":2}"#])
      harness.merge("r", [("a", "null"), ("b", "2")], tag: 1)
      #expect(harness.take() == [#"value(1) /r {"b":2,"c":3}"#])
    }
  }

  @Test("a window covered by a listen of the whole location follows its pushes")
  func coveredWindow() {
    let harness = SyncCoreHarness(store: MemoryStore())
    let id = harness.listen("r")
    harness.push("r", #"{"a":1,"c":3}"#)
    harness.reply("q")
    harness.unlisten(id, "r")
    harness.listen("r", Query(order: .key, limit: .first(2)))
    harness.push("r", #"{"a":1,"c":3}"#, tag: 1)
    harness.reply("q")
    harness.listen("r")
    // No push came: the stored data is current.
    harness.reply("q")
    _ = harness.take()
    harness.push("r/b", "2")
    #expect(harness.take().contains(#"value(2) /r {"a":1,"b":2}"#))
  }

  @Test("an increment of a non-number is the increment; overflowing integers become doubles")
  func increments() throws {
    for (before, delta, after) in [
      ("null", "1", "1"), (#""text""#, "1", "1"), ("true", "1", "1"), (#"{"a":1}"#, "1", "1"), ("1.5", "1", "2.5"),
      ("9223372036854775807", "4096", "9223372036854779904"),
    ] {
      let harness = SyncCoreHarness(isConnected: false)
      harness.listen("n")
      harness.set("n", before)
      _ = harness.take()
      harness.set("n", #"{".sv":{"increment":\#(delta)}}"#)
      let shown = try #require(harness.take().first)
      #expect(
        SyncCoreHarness.node(String(shown.dropFirst("value(1) /n ".count))) == SyncCoreHarness.node(after), "\(before)")
    }
  }

  @Test("two increments in one update use the former value")
  func updatesReadBefore() {
    let harness = SyncCoreHarness(isConnected: false)
    harness.listen("n")
    harness.set("n", #"{"a":1,"b":1}"#)
    _ = harness.take()
    harness.update("n", [("a", #"{".sv":{"increment":1}}"#), ("b", #"{".sv":{"increment":2}}"#)])
    #expect(harness.take() == [#"value(1) /n {"a":2,"b":3}"#])
  }

  @Test("pending requests are sent on the next connection: listens with hashes, writes in order, gets, onDisconnects")
  func reconnects() {
    let harness = SyncCoreHarness.listening(to: "a", #"{"x":1}"#)
    harness.set("b", "1")
    _ = harness.take()
    harness.lose()
    #expect(harness.take() == [])
    harness.set("c", "2")
    harness.get("d")
    harness.onDisconnectSet("e", "3")
    #expect(harness.take() == [])
    harness.connect()
    #expect(harness.take() == ["> q /a with hash", "> p /b 1", "> p /c 2", "> g /d", "> o /e 3"])
    harness.reply("q")
    #expect(harness.take() == [])
    harness.reply("o")
    harness.reply("g", "ok", "7")
    #expect(harness.take() == ["done(4) ok", "got(3) 7"])
  }

  @Test(".info has the connection state and the clock offset, which is unknown before the first hello")
  func info() {
    let harness = SyncCoreHarness(isConnected: false)
    harness.listen(".info/connected")
    harness.listen(".info/serverTimeOffset")
    harness.listen(".info/none")
    #expect(harness.take() == ["value(1) /.info/connected false"])
    harness.note(harness.core.helloReceived(serverTimeMilliseconds: harness.now + 90_000))
    #expect(harness.take() == ["value(2) /.info/serverTimeOffset 90000", "value(1) /.info/connected true"])
    harness.get(".info/connected")
    #expect(harness.take() == ["got(1) true"])
    harness.set("t", #"{".sv":"timestamp"}"#)
    harness.lose()
    #expect(harness.take() == ["value(1) /.info/connected false"])
    harness.listen("t")
    #expect(harness.take() == ["value(4) /t \(harness.now + 90_000)"])
  }

  @Test("onDisconnect changes made by the server are shown once, and are not local writes")
  func onDisconnect() {
    let harness = SyncCoreHarness.listening(to: "p", #"{"me":"on","other":1}"#)
    harness.onDisconnectSet("p/me", #"{"state":"off","at":{".sv":"timestamp"}}"#)
    harness.reply("o")
    harness.onDisconnectSet("p/other", "null")
    harness.reply("o")
    _ = harness.take()
    harness.lose()
    #expect(harness.take() == [#"value(1) /p {"me":{"at":\#(harness.now),"state":"off"}}"#])
    harness.connect()
    #expect(harness.take() == ["> q /p with hash"])
    harness.lose()
    #expect(harness.take() == [])
  }

  @Test("onDisconnects: cancelling below a value keeps the rest of it")
  func cancelsOnDisconnect() {
    let harness = SyncCoreHarness.listening(to: "p", "0")
    harness.onDisconnectSet("p", #"{"a":1,"b":{"c":2,"d":3}}"#)
    harness.reply("o")
    harness.note(harness.core.onDisconnectCancel(Path("p/b/c"), operation: OperationID(90)))
    harness.reply("oc")
    _ = harness.take()
    harness.lose()
    #expect(harness.take() == [#"value(1) /p {"a":1,"b":{"d":3}}"#])
  }

  @Test("purging reverts the local values, then reports every write in order")
  func purges() {
    let harness = SyncCoreHarness(isConnected: false)
    harness.listen("a")
    harness.set("a", "1")
    harness.set("a", "2")
    harness.onDisconnectSet("b", "1")
    harness.count("c")
    _ = harness.take()
    harness.note(harness.core.purgeOutstandingWrites())
    #expect(
      harness.take() == [
        "done(4) write_canceled -", "done(1) write_canceled", "done(2) write_canceled", "done(3) write_canceled",
      ])
    harness.connect()
    #expect(harness.take() == ["> q /a"])
  }

  @Test("differing ranges replace their parts; a merge for an ended listen is ignored")
  func rangeMerges() {
    let harness = SyncCoreHarness.listening(to: "a", #"{"b":1,"c":2,"d":3}"#)
    let range = RangeMerge(start: Path("b"), end: Path("c"), node: SyncCoreHarness.node(#"{"bb":5}"#))
    harness.note(harness.core.serverRangeMerge(Path("a"), [range], tag: nil))
    #expect(harness.take() == [#"value(1) /a {"b":1,"bb":5,"d":3}"#])
    harness.note(harness.core.serverRangeMerge(Path("z"), [range], tag: nil))
    harness.note(harness.core.serverRangeMerge(Path("a"), [range], tag: 7))
    #expect(harness.take() == [])
  }

  @Test("large values are hashed by ranges")
  func hashesRanges() {
    let harness = SyncCoreHarness.listening(to: "a", #"{"x":""# + String(repeating: "y", count: 2_000) + #""}"#)
    harness.lose()
    _ = harness.take()
    harness.connect()
    #expect(harness.take() == ["> q /a with hash and ranges"])
  }
}

/// Tests of one-time reads.
@Suite struct GetTests {
  @Test("a get below a live listener is answered from the cache, with pending writes")
  func readsMemory() {
    let harness = SyncCoreHarness.listening(to: "a", #"{"b":{"x":1,"y":2}}"#)
    harness.set("a/b/x", "9")
    _ = harness.take()
    harness.get("a/b")
    harness.get("a/b", Query(limit: .last(1)))
    #expect(harness.take() == [#"got(2) {"x":9,"y":2}"#, #"got(3) {"y":2}"#])
  }

  @Test("a get with a query leaves a listener to the whole location unchanged")
  func keepsListeners() {
    let harness = SyncCoreHarness()
    harness.listen("a/b")
    harness.reply("q")
    _ = harness.take()
    harness.get("a", Query(limit: .first(1)))
    harness.reply("g", "ok", #"{"b":4}"#)
    #expect(harness.take() == ["> g /a", #"got(1) {"b":4}"#])
    harness.get("a")
    harness.reply("g", "ok", #"{"b":5}"#)
    #expect(harness.take() == ["> g /a", "value(1) /a/b 5", #"got(2) {"b":5}"#])
  }

  @Test("a get without a connection fails after three seconds, and is retried when there is one")
  func givesUp() {
    let harness = SyncCoreHarness(isConnected: false)
    harness.get("a")
    #expect(harness.core.nextDeadlineMilliseconds == harness.now + 3_000)
    harness.now += 2_999
    harness.note(harness.core.timePassed())
    #expect(harness.take() == [])
    harness.connect()
    #expect(harness.take() == ["> g /a"])
    #expect(harness.core.nextDeadlineMilliseconds == nil)
    harness.reply("g", "ok", "1")
    #expect(harness.take() == ["got(1) 1"])
    harness.lose()
    harness.get("a")
    harness.now += 3_000
    harness.note(harness.core.timePassed())
    #expect(harness.take() == ["got(2) network_error"])
  }

  @Test("a get sent before a disconnection is sent again, with the usual timeout")
  func getsThatAreCutOff() {
    let harness = SyncCoreHarness()
    harness.get("a")
    for _ in 0..<3 {
      // The server is slow, or the connection unstable.
      harness.now += 60_000
      harness.lose()
      #expect(harness.core.nextDeadlineMilliseconds == harness.now + 3_000)
      harness.now += 2_999
      // A failed attempt extends no deadline.
      harness.lose()
      #expect(harness.core.nextDeadlineMilliseconds == harness.now + 1)
      harness.connect()
      #expect(harness.core.nextDeadlineMilliseconds == nil)
    }
    #expect(harness.take() == Array(repeating: "> g /a", count: 4))
    harness.lose()
    harness.now += 3_000
    harness.note(harness.core.timePassed())
    #expect(harness.take() == ["got(1) network_error"])
  }

  @Test("the server's refusal is reported with its status")
  func denied() {
    let harness = SyncCoreHarness()
    harness.get("a")
    harness.reply("g", "permission_denied")
    #expect(harness.take() == ["> g /a", "got(1) permission_denied"])
  }
}
