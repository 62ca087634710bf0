import HearthTestKit
import HearthTree
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Tests of commit counts by location, which do not contain the written data.
@Suite struct CommitCounterTests {
  private static let open = #"{"rules":{".read":true,".write":true}}"#

  private static func put(_ path: String, _ number: Int64) -> Command.Action {
    .write(WriteOperation(.put(Location(path: Path(path)), WriteValue(Node(.int(number))))))
  }

  @Test("a commit counts once at each watched location that it is at, above or below")
  func counts() {
    let watch = CommitCountWatch(["", "a", "a/b", "a/b/c", "a/x", "d", "a"].map { Path($0) })
    watch.note(CommitLocations([[Path("a/b")]]))
    #expect(watch.take() == [1, 1, 1, 1, 0, 0, 1])
    #expect(watch.take() == [0, 0, 0, 0, 0, 0, 0])
    watch.note(CommitLocations([[Path("a/b/c/d"), Path("a/b/c/e"), Path("d/e")], [Path("z")], [.root], []]))
    #expect(watch.take() == [3, 2, 2, 2, 1, 2, 2])
  }

  @Test("among many locations each commit is counted where it was made")
  func manyPlaces() {
    let watch = CommitCountWatch((0..<40).map { Path("a/\($0)") })
    watch.note(CommitLocations([[Path("a/3")], [Path("a/39/x")], [Path("a/40")], [Path("a/3")]]))
    #expect(watch.take() == (0..<40).map { [3: 2, 39: 1][$0] ?? 0 })
    watch.note(CommitLocations([[Path("a")]]))
    #expect(watch.take() == [Int](repeating: 1, count: 40))
  }

  @Test("a database counts commits while a subscriber exists")
  func database() throws {
    let host = DatabaseHost()
    let database = try host.database(MemoryJournal(), rules: Self.open)
    defer { database.close() }
    host.send(database, [.connect, Self.put("a/b", 1)])
    host.finish(database)
    #expect(database.decider.engine.withLock { !$0.locationRecorder.isOn })
    let first = try #require(database.commitCounter.watch([Path("a"), Path("c")]))
    let second = try #require(database.commitCounter.watch([.root]))
    host.send(database, [Self.put("a/b", 2), Self.put("a/b", 2), Self.put("c", 1), .get(Path("a"))])
    host.finish(database)
    #expect(first.take() == [1, 1], "a write of what is there is no commit")
    database.commitCounter.end(first)
    host.send(database, [Self.put("c", 2)])
    host.finish(database)
    #expect(first.take() == [0, 0])
    #expect(second.take() == [3])
    database.commitCounter.end(second)
    host.send(database, [Self.put("c", 3)])
    host.finish(database)
    #expect(database.decider.engine.withLock { !$0.locationRecorder.isOn })
  }

  @Test("a followed database counts the commits of others")
  func follower() throws {
    var (writer, follower) = (Engine(state: Self.state), Engine(following: Self.state))
    let instant = Instant(wallMilliseconds: 1, monotonicMilliseconds: 1)
    follower.locationRecorder.isOn = true
    let commands = [Self.put("a/b", 1), Self.put("c", 1)].map {
      Command(connection: ConnectionID(rawValue: 256), request: 1, principal: .administrator, action: $0)
    }
    let written = writer.decide(commands[...], at: instant)
    #expect(written.places.isEmpty)
    let followed = try follower.follow(written.payload, firstPosition: 1, lastPosition: 2, at: instant)
    #expect(followed.places.commits == [[Path("a/b")], [Path("c")]])
  }

  private static let state = DatabaseState(root: .empty, rules: .denyAll, position: 0)

  @Test("locations and subscribers are bounded")
  func bounds() {
    let commitCounter = CommitCounter()
    let watches = (0..<CommitCounter.watchesMax + 1).map { _ in commitCounter.watch([.root]) }
    #expect(watches.filter { $0 == nil }.count == 1)
    if let first = watches[0] { commitCounter.end(first) }
    let paths = (0..<300).map { Path("\($0)") }
    #expect(commitCounter.watch(paths)?.take().count == CommitCounter.pathsMax)
  }
}

extension CommitLocations {
  fileprivate init(_ commits: [[Path]]) {
    self.init()
    for places in commits { append(places) }
  }

  fileprivate var commits: [[Path]] {
    var commits = [[Path]](repeating: [], count: count)
    visit { commits[$0].append($1) }
    return commits
  }
}
