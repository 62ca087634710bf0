import Foundation
import GRDB
import HearthSync
import HearthTree
import RandomTestKit
import ServerTestKit
import Synchronization
import Testing

@testable import HearthClient

/// The folder of a store, with the store's log.
private final class StoreFolder: Sendable {
  private let folder: TemporaryFolder
  private let lines = Mutex<[String]>([])

  init() throws { folder = try TemporaryFolder() }

  var file: String { folder.path + "/data/alice.cache" }
  var log: [String] { lines.withLock { $0 } }

  func open(sizeBytesMax: Int? = nil) throws -> DiskStore {
    try DiskStore(path: file, sizeBytesMax: sizeBytesMax) { line in self.lines.withLock { $0.append(line) } }
  }

  func mode(_ path: String) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }
}

private func node(_ text: String) -> Node {
  Array(text.utf8).withUnsafeBytes { bytes in
    var reader = JSONReader(bytes)
    return (try? reader.receivedValue()) ?? .empty
  }
}

private func text(_ node: Node) -> String { String(decoding: node.json(), as: UTF8.self) }

@Suite struct DiskStoreTests {
  @Test("stored data is there at the next start, in files that only the owner can read")
  func persists() throws {
    let folder = try StoreFolder()
    try {
      let store = try folder.open()
      try store.replaceServerData(
        at: Location(path: Path("a")), with: node(#"{"x":{".value":1,".priority":2},"y":"é"}"#))
      #expect(throws: DiskStoreError.self) { try folder.open() }
    }()
    #expect(try folder.mode(folder.file) == 0o600)
    #expect(try folder.mode((folder.file as NSString).deletingLastPathComponent) == 0o700)
    let store = try folder.open()
    #expect(text(try store.serverData(at: .root)) == #"{"a":{"x":{".value":1,".priority":2},"y":"é"}}"#)
    #expect(text(try store.serverData(at: Path("a/x"))) == #"{".value":1,".priority":2}"#)
    #expect(try store.serverData(at: Path("b")).isEmpty)
    #expect(text(try store.serverData(at: Path("a"), keys: ["y", "z"])) == #"{"y":"é"}"#)
    for suffix in ["-wal"] { #expect(try folder.mode(folder.file + suffix) == 0o600) }
  }

  @Test("no lock is held between changes; a second store is refused while the first is open, in this process")
  func holdsNoLock() throws {
    let folder = try StoreFolder()
    do {
      let store = try folder.open()
      try store.replaceServerData(at: Location(path: Path("a")), with: node("1"))
      let other = try DatabaseQueue(path: folder.file)
      try other.write { try $0.execute(sql: "INSERT INTO queryKey VALUES (9, CAST('k' AS BLOB))") }
      #expect(try store.keys(ofQuery: 9) == ["k"])
      let error = #expect(throws: DiskStoreError.self) { try folder.open() }
      #expect(error?.code == .inUse)
      #expect(text(try store.serverData(at: .root)) == #"{"a":1}"#)
    }
    #expect(text(try folder.open().serverData(at: .root)) == #"{"a":1}"#)
  }

  @Test("a store whose file another process took over stops writing, and no file is set aside")
  func takenOver() throws {
    let folder = try StoreFolder()
    let first = try folder.open()
    let other = try DatabaseQueue(path: folder.file)
    // Like a process in another container, whose lock is not visible here.
    try other.write { try $0.execute(sql: "UPDATE owner SET token = 5, start = CAST('1 elsewhere' AS BLOB)") }
    let error = #expect(throws: DiskStoreError.self) {
      try first.replaceServerData(at: Location(path: Path("a")), with: node("1"))
    }
    #expect(error?.code == .inUse)
    #expect(throws: DiskStoreError.self) { try first.writes() }
    #expect(throws: DiskStoreError.self) { try first.transaction {} }
    let second = try folder.open()
    #expect(try second.serverData(at: .root).isEmpty)
    #expect(folder.log.isEmpty)
  }

  @Test("a location that becomes empty loses its priority, and a leaf that gets children keeps its own")
  func priorities() throws {
    let store = try StoreFolder().open()
    let long = String(repeating: "x", count: 5_000)
    try store.replaceServerData(
      at: Location(path: Path("a")), with: node(#"{".priority":7,"b":"\#(long)","c":"\#(long)"}"#))
    #expect(try store.serverData(at: Path("a")).priority == .int(7))
    for key in ["b", "c"] { try store.replaceServerData(at: Location(path: Path("a/" + key)), with: .empty) }
    #expect(try store.serverDataSizeBytes() == 0)
    try store.replaceServerData(at: Location(path: Path("a/b")), with: node("1"))
    #expect(text(try store.serverData(at: Path("a"))) == #"{"b":1}"#)
    try store.replaceServerData(at: Location(path: Path("a"), isPriority: true), with: Node(.string("p")))
    try store.replaceServerData(at: Location(path: Path("nothing"), isPriority: true), with: Node(.string("p")))
    try store.replaceServerData(at: Location(path: Path("l")), with: node(#"{".value":1,".priority":2}"#))
    try store.replaceServerData(at: Location(path: Path("l/m")), with: node("3"))
    #expect(text(try store.serverData(at: .root)) == #"{"a":{"b":1,".priority":"p"},"l":{"m":3,".priority":2}}"#)
  }

  @Test("adjacent keys in byte order are separate, and keys are read back unchanged")
  func neighbours() throws {
    let store = try StoreFolder().open()
    let keys = ["a", "a!", "a0", "A", "é", "e\u{301}", "01", "1", "-5", "\u{10000}", "\u{FFFD}", "a\u{0}b", "a.b"]
    for (i, key) in keys.enumerated() {
      try store.replaceServerData(at: Location(path: Path([Key(key), "x"])), with: Node(.int(Int64(i))))
    }
    try store.replaceServerData(at: Location(path: Path("a")), with: .empty)
    let all = try store.serverData(at: .root)
    #expect(all.childCount == keys.count - 1)
    for (i, key) in keys.enumerated().dropFirst() {
      #expect(all[Path([Key(key), "x"])].scalar == .int(Int64(i)), "\(key)")
    }
  }

  @Test("random changes give the same data as in memory, from a printed seed, also after a restart")
  func followsMemory() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    let folder = try StoreFolder()
    var store: DiskStore? = try folder.open()
    var memory = Node.empty
    let keys: [Key] = ["a", "b", "1", "a!", "c"]
    func path() -> Path {
      Path((0..<Int.random(in: 0...4, using: &random)).map { _ in keys.randomElement(using: &random) ?? "a" })
    }
    func value(_ depth: Int) -> Node {
      switch Int.random(in: 0..<(depth > 3 ? 5 : 8), using: &random) {
      case 0: return .empty
      case 1: return Node(.string(String(repeating: "x", count: Int.random(in: 0...3_000, using: &random))))
      case 2: return Node(.double(1.5), priority: .int(3))
      case 3: return Node(.bool(true))
      case 4: return Node(.int(.random(in: -9...9, using: &random)), priority: .string("p"))
      default:
        let children = keys.filter { _ in Bool.random(using: &random) }.map { (Path([$0]), value(depth + 1)) }
        return Node.empty.replacing(children).with(priority: Bool.random(using: &random) ? .int(1) : nil)
      }
    }
    for round in 0..<400 {
      let place = path()
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        try store?.transaction {
          for key in keys where Bool.random(using: &random) {
            let (child, node) = (place.appending(key), value(1))
            try store?.replaceServerData(at: Location(path: child), with: node)
            memory = memory.replacing(child, with: node)
          }
        }
      case 1:
        let priority: Scalar? = Bool.random(using: &random) ? .int(5) : nil
        try store?.replaceServerData(
          at: Location(path: place, isPriority: true), with: priority.map { Node($0) } ?? .empty)
        if !memory[place].isEmpty { memory = memory.replacing(place, with: memory[place].with(priority: priority)) }
      default:
        let node = value(place.count)
        try store?.replaceServerData(at: Location(path: place), with: node)
        memory = memory.replacing(place, with: node)
      }
      if round % 50 == 49 {
        store = nil
        store = try folder.open()
      }
      let look = path()
      #expect(try store?.serverData(at: look).json() == memory[look].json(), "seed \(seed), round \(round), \(look)")
    }
    #expect(try store?.serverData(at: .root).json() == memory.json(), "seed \(seed)")
    try store?.replaceServerData(at: Location(path: .root), with: .empty)
    #expect(try store?.serverDataSizeBytes() == 0, "seed \(seed)")
  }

  @Test("pruning drops the data below a location except what is kept, in every record")
  func prunes() throws {
    let store = try StoreFolder().open()
    let long = String(repeating: "x", count: 5_000)
    try store.replaceServerData(
      at: Location(path: .root),
      with: node(#"{"a":{"b":{"c":1,"d":2},"e":"\#(long)"},"f":{"g":{"h":3},"i":"\#(long)"}}"#))
    try store.removeServerData(at: Path("a"), keeping: [Path("a/b/c"), Path("f/g")])
    #expect(text(try store.serverData(at: Path("a"))) == #"{"b":{"c":1}}"#)
    try store.removeServerData(at: .root, keeping: [Path("f/g"), Path("f/g/h")])
    #expect(text(try store.serverData(at: .root)) == #"{"f":{"g":{"h":3}}}"#)
  }

  @Test("writes are restored in order and unresolved; an unreadable one is dropped with a warning")
  func keepsWrites() throws {
    let folder = try StoreFolder()
    var store: DiskStore? = try folder.open()
    func value(_ text: String) throws -> WriteValue {
      try Array(text.utf8).withUnsafeBytes { bytes in
        var reader = JSONReader(bytes)
        return try reader.writeValue()
      }
    }
    let deferred = try value(#"{"t":{".sv":"timestamp"},"n":{".sv":{"increment":2}}}"#)
    try store?.save(
      StoredWrite(id: 12, content: .merge(Path("a"), [Write(location: Location(path: Path("b/c")), value: deferred)])))
    try store?.save(
      StoredWrite(id: 3, content: .overwrite(Location(path: Path("a"), isPriority: true), WriteValue(Node(.int(1))))))
    try store?.save(StoredWrite(id: 7, content: .overwrite(Location(path: .root), WriteValue(.empty))))
    try store?.save(StoredWrite(id: 8, content: .overwrite(Location(path: .root), WriteValue(.empty))))
    try store?.removeWrite(8)
    store = nil
    let database = try DatabaseQueue(path: folder.file)
    try database.write {
      try $0.execute(sql: "INSERT INTO write VALUES (20, 0, CAST('/a' AS BLOB), CAST('1e999' AS BLOB))")
    }
    try database.close()
    store = try folder.open()
    let writes = try store?.writes() ?? []
    #expect(writes.map(\.id) == [3, 7, 12])
    guard case .merge(let path, let parts) = writes[2].content, case .overwrite(let location, _) = writes[0].content
    else {
      Issue.record("other kinds of writes")
      return
    }
    #expect(path == Path("a") && parts[0].location == Location(path: Path("b/c")) && parts[0].value.deferred.count == 2)
    #expect(location.isPriority)
    #expect(folder.log.count == 1)
    try store?.removeAllWrites()
    #expect(try store?.writes().isEmpty == true)
  }

  @Test("queries and their stored keys")
  func keepsQueries() throws {
    let store = try StoreFolder().open()
    var query = TrackedQuery(
      id: 4,
      spec: QuerySpec(Path("a"), Query(order: .child(Path("n")), start: .init(value: .int(1)), limit: .last(2))),
      lastUseMilliseconds: 99, isComplete: false, isActive: true)
    try store.save(query)
    query.isComplete = true
    try store.setKeys(["x", "é", "e\u{301}"], ofQuery: 4)
    try store.save(query)
    #expect(try store.trackedQueries() == [query])
    try store.changeKeys(ofQuery: 4, adding: ["y", "x"], removing: ["é", "nothing"])
    #expect(try store.keys(ofQuery: 4) == ["x", "y", "e\u{301}"])
    try store.removeTrackedQuery(4)
    #expect(try store.keys(ofQuery: 4).isEmpty && store.trackedQueries().isEmpty)
  }

  @Test("a transaction that throws is rolled back, and a nested one is part of it")
  func transactions() throws {
    struct Stop: Error {}
    let store = try StoreFolder().open()
    #expect(throws: Stop.self) {
      try store.transaction {
        try store.replaceServerData(at: Location(path: Path("a")), with: node("1"))
        try store.transaction {
          try store.save(StoredWrite(id: 1, content: .overwrite(Location(path: .root), WriteValue(.empty))))
        }
        #expect(text(try store.serverData(at: .root)) == #"{"a":1}"#)
        throw Stop()
      }
    }
    #expect(try store.serverData(at: .root).isEmpty && store.writes().isEmpty && store.serverDataSizeBytes() == 0)
  }

  @Test("a full disk is an error, and stored data stays", arguments: [300_000])
  func fullDisk(sizeBytesMax: Int) throws {
    let store = try StoreFolder().open(sizeBytesMax: sizeBytesMax)
    try store.replaceServerData(at: Location(path: Path("kept")), with: node("1"))
    let big = Node(.string(String(repeating: "x", count: 50_000)))
    var failures = 0
    for i in 0..<20 {
      do { try store.replaceServerData(at: Location(path: Path("k\(i)")), with: big) } catch let error as DiskStoreError
      {
        #expect(error.code == .full)
        failures += 1
      }
    }
    #expect(failures > 0 && failures < 20)
    #expect(text(try store.serverData(at: Path("kept"))) == "1")
    for i in 0..<20 { try store.replaceServerData(at: Location(path: Path("k\(i)")), with: .empty) }
    try store.replaceServerData(at: Location(path: Path("again")), with: big)
  }

  @Test("a damaged or foreign file is set aside with a warning, and a new one is created")
  func damagedFiles() throws {
    for damage in 0..<4 {
      let folder = try StoreFolder()
      try {
        let store = try folder.open()
        for i in 0..<200 {
          try store.replaceServerData(
            at: Location(path: Path("k\(i)")), with: Node(.string(String(repeating: "x", count: 5_000))))
        }
      }()
      switch damage {
      case 0: try Data("not a database at all".utf8).write(to: URL(fileURLWithPath: folder.file))
      case 1: try Data(repeating: 0x55, count: 40_000).write(to: URL(fileURLWithPath: folder.file))
      case 2:
        var bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file))
        for i in 100..<min(bytes.count, 4_096) { bytes[i] = 0xAA }
        try bytes.write(to: URL(fileURLWithPath: folder.file))
      default:
        try FileManager.default.removeItem(atPath: folder.file)
        let other = try DatabaseQueue(path: folder.file)
        try other.write { try $0.execute(sql: "CREATE TABLE cache (x)") }
        try other.close()
      }
      let store = try folder.open()
      #expect(folder.log.count == 1, "\(damage): \(folder.log)")
      #expect(FileManager.default.fileExists(atPath: folder.file + ".damaged"))
      try store.replaceServerData(at: Location(path: Path("a")), with: node("1"))
      #expect(text(try store.serverData(at: .root)) == #"{"a":1}"#)
      #expect(try folder.mode(folder.file) == 0o600)
    }
  }

  @Test("damage found after opening is an error and not a crash, and the next start begins with a new file")
  func damageWithin() throws {
    let folder = try StoreFolder()
    try {
      let store = try folder.open()
      try store.replaceServerData(at: Location(path: Path("a")), with: node("1"))
    }()
    let database = try DatabaseQueue(path: folder.file)
    try database.write { try $0.execute(sql: "UPDATE cache SET node = 'x'") }
    try database.close()
    try {
      let store = try folder.open()
      #expect(throws: DiskStoreError.self) { try store.serverData(at: .root) }
      #expect(throws: DiskStoreError.self) { try store.writes() }
      #expect(folder.log.count == 1)
    }()
    #expect(try folder.open().serverData(at: .root).isEmpty)
  }

  @Test("an unwritable folder is an error")
  func notPermitted() throws {
    #expect(throws: DiskStoreError.self) { try DiskStore(path: "/proc/nowhere/store") }
    #expect(throws: DiskStoreError.self) { try DiskStore(path: "/dev/null/store") }
  }
}
