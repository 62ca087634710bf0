import HearthTree
import RandomTestKit
import Testing

@testable import HearthSync

/// Tests of the events of each listen, and of its lifetime.
@Suite struct ListenTests {
  @Test("a registration of a query is removed through the location's default query; others stay")
  func removesThroughReference() {
    let harness = SyncCoreHarness()
    let limit = Query(limit: .first(1))
    let id = harness.listen("a", limit)
    harness.listen("a", Query(order: .key))
    harness.push("a", #"{"x":1}"#)
    _ = harness.take()
    harness.unlisten(id, "a")
    #expect(harness.take() == [])
    harness.push("a", #"{"x":2}"#)
    #expect(harness.take() == [#"value(2) /a {"x":2}"#])
  }

  @Test("a registration of the default query is not removed through another query")
  func keepsOthers() {
    let harness = SyncCoreHarness()
    let id = harness.listen("a")
    harness.unlisten(id, "a", Query(limit: .first(1)))
    harness.push("a", "1")
    #expect(harness.take() == ["> q /a", "value(1) /a 1"])
  }

  @Test("two orders of all children share one listen, which lasts until both have ended")
  func sharesListens() {
    let harness = SyncCoreHarness()
    let id = harness.listen("a", Query(order: .key))
    harness.listen("a", Query(order: .value))
    harness.unlisten(id, "a", Query(order: .key))
    #expect(harness.take() == ["> q /a"])
    harness.push("a", "1")
    #expect(harness.take() == ["value(2) /a 1"])
  }

  @Test("keepSynced is on or off, lasts beyond all observers, and needs a listen")
  func keepsSynced() {
    let harness = SyncCoreHarness()
    let spec = QuerySpec(Path("a"))
    harness.note(harness.core.keepSynced(spec, true))
    harness.note(harness.core.keepSynced(spec, true))
    #expect(harness.take() == ["> q /a"])
    harness.push("a", "1")
    harness.listen("a")
    #expect(harness.take() == ["value(1) /a 1"])
    harness.note(harness.core.removeAll(from: spec))
    #expect(harness.take() == [])
    harness.note(harness.core.keepSynced(spec, false))
    #expect(harness.take() == ["> n /a"])
    harness.note(harness.core.keepSynced(QuerySpec(Path(".info/connected")), true))
    #expect(harness.take() == ["warning keepSynced has no meaning for /.info/connected"])
  }

  @Test("after the last listener has ended the next one starts without data")
  func startsCold() {
    let harness = SyncCoreHarness()
    let id = harness.listen("a")
    harness.push("a", "1")
    harness.unlisten(id, "a")
    _ = harness.take()
    harness.listen("a")
    #expect(harness.take() == ["> q /a"])
  }

  @Test("several registrations of one view are called in order; a new one only with the current value")
  func tellsInOrder() {
    let harness = SyncCoreHarness()
    harness.listen("a", Query(), .all)
    harness.listen("a", Query(), .all)
    harness.push("a", #"{"x":1}"#)
    #expect(
      harness.take() == [
        "> q /a", "added(1) /a x 1", "added(2) /a x 1", #"value(1) /a {"x":1}"#, #"value(2) /a {"x":1}"#,
      ])
    harness.listen("a", Query(), .childAdded)
    #expect(harness.take() == ["added(3) /a x 1"])
  }

  @Test("a change between integer and double is no change; a change of type is")
  func equality() {
    let harness = SyncCoreHarness()
    harness.listen("a")
    for json in ["1", "1.0", "true", "1", #""1""#] { harness.push("a", json) }
    #expect(harness.take() == ["> q /a", "value(1) /a 1", "value(1) /a true", "value(1) /a 1", #"value(1) /a "1""#])
  }

  @Test("deleting the last grandchild empties all ancestors up to the observer")
  func empties() {
    let harness = SyncCoreHarness()
    harness.listen("a", Query(), .all)
    harness.push("a", #"{"b":{"c":1},".priority":2}"#)
    _ = harness.take()
    harness.push("a/b/c", "null")
    #expect(harness.take() == [#"removed(1) /a b {"c":1}"#, "value(1) /a null"])
  }

  @Test("a client survives any server message at any time")
  func standsAnything() {
    for seed in 0..<200 {
      var random = SeededRandom(scattered: seed)
      let harness = SyncCoreHarness(store: seed % 2 == 0 ? MemoryStore() : nil)
      for _ in 0..<30 {
        let path = random.path(upTo: 3)
        let tag = random.isOne(in: 2) ? Int.random(in: -1..<6, using: &random) : nil
        let location = Location(path: path, isPriority: random.isOne(in: 4))
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1: harness.listen(path.description, random.query(), .all)
        case 2: harness.note(harness.core.serverOverwrite(location, random.node(depth: 2), tag: tag))
        case 3:
          let changes = (0..<3).map { _ in
            (Location(path: random.path(upTo: 2), isPriority: random.isOne(in: 4)), random.node(depth: 1))
          }
          harness.note(harness.core.serverMerge(path, changes, tag: tag))
        case 4:
          let range = RangeMerge(
            start: random.isOne(in: 2) ? random.path(upTo: 2) : nil,
            end: random.isOne(in: 2) ? random.path(upTo: 2) : nil, node: random.node(depth: 2))
          harness.note(harness.core.serverRangeMerge(path, [range, range], tag: tag))
        case 5:
          let query = random.isOne(in: 2) ? random.query() : nil
          harness.note(harness.core.serverCancel(path, query: query, SyncFailure("permission_denied")))
        case 6, 7:
          let status = random.pick(["ok", "datastale", "permission_denied", "", "made up"])
          let id = RequestID(Int.random(in: -1..<30, using: &random))
          harness.note(harness.core.reply(id, SyncReply(status: status, node: random.node(depth: 1))))
        case 8: harness.lose()
        case 9: harness.connect()
        case 10: harness.count(path.description)
        case 11: harness.set(path.description, SyncCoreHarness.text(random.node(depth: 2)))
        case 12: harness.onDisconnectSet(path.description, #"{".sv":"timestamp"}"#)
        default:
          harness.now += 100
          harness.note(harness.core.timePassed())
        }
      }
      harness.note(harness.core.helloReceived(serverTimeMilliseconds: .max))
      harness.note(harness.core.helloReceived(serverTimeMilliseconds: .min))
      harness.note(harness.core.purgeOutstandingWrites())
    }
  }
}
