import HearthTree
import PagesTestKit
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Tests of reading pages before commands are decided.
@Suite struct PagePrefetcherTests {
  /// Returns a tree of rooms that is stored and not in memory, with its store.
  private static func storedRooms(_ count: Int) throws -> (root: Node, store: MemoryStore) {
    var store = MemoryStore()
    var root = Node.empty
    for room in 0..<count {
      for message in 0..<100 {
        root = root.replacing(Path("rooms/r\(room)/m\(message)"), with: Node(.string("\(room) \(message)")))
      }
    }
    let stored = try store.writer.write(root)
    try store.writer.commit()
    return (try StoredNode(stored.bytes, in: store.store).open(), store)
  }

  private static func command(_ connection: UInt64, _ action: Command.Action) -> Command {
    Command(connection: ConnectionID(rawValue: connection), action: action)
  }

  /// Returns true when a lookup reads no page.
  private static func isResident(_ path: Path, in root: Node) -> Bool {
    !FaultScope.run(.refuse) { root[path] }.faults.isIncomplete
  }

  @Test("the paths of waiting reads, writes and on-disconnect writes are read, and their connections pay a part")
  func paths() throws {
    let (root, store) = try Self.storedRooms(6)
    let value = WriteValue(Node(.int(1)))
    let commands: [Command] = [
      Self.command(1, .get(Path("rooms/r1/m7"))), Self.command(2, .listen(ListenRequest(Path("rooms/r2/m7")))),
      Self.command(3, .write(WriteOperation(.put(Location(path: Path("rooms/r3/m7")), value)))),
      Self.command(4, .onDisconnect(.put(Location(path: Path("rooms/r4/m7")), value))), Self.command(5, .barrier),
    ]
    let before = store.pages.readCount
    let work = PagePrefetcher.shared.run(commands[...], in: root)
    #expect((1...4).allSatisfy { Self.isResident(Path("rooms/r\($0)/m7"), in: root) })
    #expect(!Self.isResident(Path("rooms/r5/m7"), in: root), "no command names it")
    #expect(Set(work.map(\.payer)) == Set(commands.prefix(4).map { WorkPayer($0) }))
    let readCount = store.pages.readCount - before
    #expect(
      readCount >= 4
        && work.reduce(0) { $0 + $1.steps } == readCount * EngineLimits.pageReadSteps / PagePrefetcher.readsMax)
    #expect(PagePrefetcher.shared.run(commands[...], in: root).isEmpty, "nothing is missing")
  }

  @Test("one missing page is left to its command, and a failed read, too")
  func left() throws {
    let (root, store) = try Self.storedRooms(3)
    let commands = (1...2).map { Self.command(UInt64($0), .get(Path("rooms/r\($0)/m7"))) }
    #expect(PagePrefetcher.shared.run(commands.prefix(1), in: root).isEmpty)
    #expect(!Self.isResident(Path("rooms/r1/m7"), in: root))
    store.pages.fail(after: 0)
    _ = PagePrefetcher.shared.run(commands[...], in: root)
    #expect(!Self.isResident(Path("rooms/r1/m7"), in: root))
    store.pages.fail(after: .max)
    _ = PagePrefetcher.shared.run(commands[...], in: root)
    #expect(Self.isResident(Path("rooms/r2/m7"), in: root))
  }

  @Test("a merge of many places and many commands read a bounded number of paths")
  func bounds() throws {
    let (root, _) = try Self.storedRooms(400)
    let writes = (0..<400).map { Write(location: Location(path: Path("r\($0)/m7")), value: WriteValue(Node(.int(1)))) }
    _ = PagePrefetcher.shared.run([Self.command(1, .write(WriteOperation(.merge(Path("rooms"), writes))))], in: root)
    func residentCount() -> Int { (0..<400).count { Self.isResident(Path("rooms/r\($0)/m7"), in: root) } }
    let first = residentCount()
    #expect((PagePrefetcher.commandPathsMax..<400).contains(first))
    let gets = (0..<400).map { Self.command(UInt64($0), .get(Path("rooms/r\($0)/m7"))) }
    _ = PagePrefetcher.shared.run(gets[...], in: root)
    #expect(residentCount() >= min(400, PagePrefetcher.missingPathsMax))
  }
}
