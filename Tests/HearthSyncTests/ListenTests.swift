import HearthTree
import RandomTestKit
import Testing

@testable import HearthSync

/// Tests of the events of each listen, and of its lifetime.
@Suite struct ListenTests {
  @Test("a registration of a query is removed through the location's default query; others stay")
  func removesThroughReference() {
    let story = CoreStory()
    let limit = Query(limit: .first(1))
    let id = story.listen("a", limit)
    story.listen("a", Query(order: .key))
    story.push("a", #"{"x":1}"#)
    _ = story.take()
    story.unlisten(id, "a")
    #expect(story.take() == [])
    story.push("a", #"{"x":2}"#)
    #expect(story.take() == [#"value(2) /a {"x":2}"#])
  }

  @Test("a registration of the default query is not removed through another query")
  func keepsOthers() {
    let story = CoreStory()
    let id = story.listen("a")
    story.unlisten(id, "a", Query(limit: .first(1)))
    story.push("a", "1")
    #expect(story.take() == ["> q /a", "value(1) /a 1"])
  }

  @Test("two orders of all children share one listen, which lasts until both have ended")
  func sharesListens() {
    let story = CoreStory()
    let id = story.listen("a", Query(order: .key))
    story.listen("a", Query(order: .value))
    story.unlisten(id, "a", Query(order: .key))
    #expect(story.take() == ["> q /a"])
    story.push("a", "1")
    #expect(story.take() == ["value(2) /a 1"])
  }

  @Test("keepSynced is on or off, lasts beyond all observers, and needs a listen")
  func keepsSynced() {
    let story = CoreStory()
    let spec = QuerySpec(Path("a"))
    story.note(story.core.keepSynced(spec, true))
    story.note(story.core.keepSynced(spec, true))
    #expect(story.take() == ["> q /a"])
    story.push("a", "1")
    story.listen("a")
    #expect(story.take() == ["value(1) /a 1"])
    story.note(story.core.removeAll(from: spec))
    #expect(story.take() == [])
    story.note(story.core.keepSynced(spec, false))
    #expect(story.take() == ["> n /a"])
    story.note(story.core.keepSynced(QuerySpec(Path(".info/connected")), true))
    #expect(story.take() == ["warning keepSynced has no meaning for /.info/connected"])
  }

  @Test("after the last listener has ended the next one starts without data")
  func startsCold() {
    let story = CoreStory()
    let id = story.listen("a")
    story.push("a", "1")
    story.unlisten(id, "a")
    _ = story.take()
    story.listen("a")
    #expect(story.take() == ["> q /a"])
  }

  @Test("several registrations of one view are called in order; a new one only with the current value")
  func tellsInOrder() {
    let story = CoreStory()
    story.listen("a", Query(), .all)
    story.listen("a", Query(), .all)
    story.push("a", #"{"x":1}"#)
    #expect(
      story.take() == [
        "> q /a", "added(1) /a x 1", "added(2) /a x 1", #"value(1) /a {"x":1}"#, #"value(2) /a {"x":1}"#,
      ])
    story.listen("a", Query(), .childAdded)
    #expect(story.take() == ["added(3) /a x 1"])
  }

  @Test("a change between integer and double is no change; a change of type is")
  func equality() {
    let story = CoreStory()
    story.listen("a")
    for json in ["1", "1.0", "true", "1", #""1""#] { story.push("a", json) }
    #expect(story.take() == ["> q /a", "value(1) /a 1", "value(1) /a true", "value(1) /a 1", #"value(1) /a "1""#])
  }

  @Test("deleting the last grandchild empties all ancestors up to the observer")
  func empties() {
    let story = CoreStory()
    story.listen("a", Query(), .all)
    story.push("a", #"{"b":{"c":1},".priority":2}"#)
    _ = story.take()
    story.push("a/b/c", "null")
    #expect(story.take() == [#"removed(1) /a b {"c":1}"#, "value(1) /a null"])
  }

  @Test("a client survives any server message at any time")
  func standsAnything() {
    for seed in 0..<200 {
      var random = SeededRandom(scattered: seed)
      let story = CoreStory(store: seed % 2 == 0 ? MemoryStore() : nil)
      for _ in 0..<30 {
        let path = random.path(upTo: 3)
        let tag = random.isOne(in: 2) ? Int.random(in: -1..<6, using: &random) : nil
        let location = Location(path: path, isPriority: random.isOne(in: 4))
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1: story.listen(path.description, random.query(), .all)
        case 2: story.note(story.core.serverOverwrite(location, random.node(depth: 2), tag: tag))
        case 3:
          let changes = (0..<3).map { _ in
            (Location(path: random.path(upTo: 2), isPriority: random.isOne(in: 4)), random.node(depth: 1))
          }
          story.note(story.core.serverMerge(path, changes, tag: tag))
        case 4:
          let range = RangeMerge(
            start: random.isOne(in: 2) ? random.path(upTo: 2) : nil,
            end: random.isOne(in: 2) ? random.path(upTo: 2) : nil, node: random.node(depth: 2))
          story.note(story.core.serverRangeMerge(path, [range, range], tag: tag))
        case 5:
          let query = random.isOne(in: 2) ? random.query() : nil
          story.note(story.core.serverCancel(path, query: query, SyncFailure("permission_denied")))
        case 6, 7:
          let status = random.pick(["ok", "datastale", "permission_denied", "", "made up"])
          let id = RequestID(Int.random(in: -1..<30, using: &random))
          story.note(story.core.reply(id, SyncReply(status: status, node: random.node(depth: 1))))
        case 8: story.lose()
        case 9: story.connect()
        case 10: story.count(path.description)
        case 11: story.set(path.description, CoreStory.text(random.node(depth: 2)))
        case 12: story.onDisconnectSet(path.description, #"{".sv":"timestamp"}"#)
        default:
          story.now += 100
          story.note(story.core.timePassed())
        }
      }
      story.note(story.core.helloReceived(serverTimeMilliseconds: .max))
      story.note(story.core.helloReceived(serverTimeMilliseconds: .min))
      story.note(story.core.purgeOutstandingWrites())
    }
  }
}
