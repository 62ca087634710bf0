import HearthTree
import RandomTestKit
import Testing

@testable import HearthEngine

/// Tests that a scan of one location gives the same result as reading all records.
@Suite struct RecordScanTests {
  private static func path(_ random: inout SeededRandom, levels: Int = 4) -> Path {
    Path((0..<random.below(levels)).map { _ in Key(random.pick(["a", "b", "bb", "é"])) })
  }

  private static func node(_ random: inout SeededRandom, levels: Int = 3) -> Node {
    switch random.below(7) {
    case 0: return .empty
    case 1: return Node(.string(String(repeating: "é", count: random.below(30))), priority: .int(3))
    case 2: return Node(.double(1.5))
    case 3: return Node(.bool(random.isOne(in: 2)), priority: random.isOne(in: 2) ? .string("p") : nil)
    default:
      var node = Node.empty
      for _ in 0...random.below(3) where levels > 0 {
        let key = Key(random.pick(["a", "b", "bb", "é", "c"]))
        node = node.replacing(Path([key]), with: self.node(&random, levels: levels - 1))
      }
      return random.isOne(in: 3) ? node.with(priority: .int(7)) : node
    }
  }

  private static func record(_ random: inout SeededRandom) -> CommitRecord {
    let author =
      random.isOne(in: 2) ? CommitAuthor(uid: "u", connection: ConnectionID(rawValue: 1 << 40)) : nil
    let content: CommitRecord.Content
    switch random.below(8) {
    case 0: content = .rules("{}")
    case 1: content = .sessions([(Location(path: path(&random)), node(&random))])
    default:
      var changes: [(location: Location, node: Node)] = []
      for _ in 0...random.below(3) {
        let path = path(&random)
        if changes.contains(where: { $0.location.path.contains(path) || path.contains($0.location.path) }) { continue }
        let isPriority = random.isOne(in: 5)
        changes.append((Location(path: path, isPriority: isPriority), isPriority ? Node(.int(1)) : node(&random)))
      }
      content = .changes(changes)
    }
    let grant = random.isOne(in: 2) ? CommitGrant(places: ["/a", "/b/$c"]) : nil
    let mergeDepth: Int? = if case .changes = content, random.isOne(in: 3) { 0 } else { nil }
    return CommitRecord(
      wallMilliseconds: Int64(random.below(1_000)), author: author, grant: grant, mergeDepth: mergeDepth,
      content: content)
  }

  /// Returns one record, several in a joint record, or a note.
  private static func position(_ random: inout SeededRandom) -> CommitRecord {
    switch random.below(6) {
    case 0: return CommitRecord(wallMilliseconds: 0, content: .note([8]))
    case 1, 2:
      let records = (0..<random.below(4)).map { _ in record(&random) }
      let cause: CommitRecord.JointCause =
        random.isOne(in: 2) ? .end(session: 1) : .request(session: 1, request: 2, answered: 1)
      return CommitRecord(
        wallMilliseconds: records.first?.wallMilliseconds ?? 0, content: .joint(records, of: cause))
    default: return record(&random)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `the changes of a location agree with those of the whole`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var (payload, root): ([UInt8], Node) = ([], .empty)
    var records: [CommitRecord] = []
    for _ in 0..<60 {
      let record = Self.position(&random)
      record.append(to: &payload)
      records.append(record)
      for part in record.parts {
        if case .changes(let changes) = part.content { root = CommitRecord.apply(changes, to: root) }
      }
    }
    var time: Int64?
    for (index, record) in records.enumerated() {
      time = record.ownMilliseconds ?? time
      #expect(try RecordScan.time(ofRecord: index, in: payload) == time)
    }
    #expect(try RecordScan.time(ofRecord: records.count, in: payload) == nil)
    for _ in 0..<10 {
      let path = Self.path(&random)
      let scan = RecordScan(of: path)
      var (node, authors): (Node, [CommitAuthor?]) = (.empty, [])
      try scan.forEach(in: payload) { record in
        for part in record.parts {
          authors.append(part.author)
          if case .changes(let changes) = part.content { node = scan.apply(changes, to: node) }
        }
      }
      #expect(node == root[path], "\(path)")
      #expect(authors == records.flatMap(\.parts).map(\.author))
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `the value at a location is found in a value of several pieces`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var root = Node.empty
    for _ in 0..<30 { root = root.replacing(Self.path(&random), with: Self.node(&random)) }
    var bytes: [UInt8] = []
    NodeEncoder.append(root, to: &bytes)
    for chunkBytes in [1, 3, 1_000_000] {
      let path = Self.path(&random, levels: 6)
      var (decoder, rest, found): (SubtreeDecoder, [UInt8], Node?) = (SubtreeDecoder(of: path), [], nil)
      for start in stride(from: 0, to: bytes.count, by: chunkBytes) where found == nil {
        rest += bytes[start..<min(bytes.count, start + chunkBytes)]
        let whole = rest
        var end = 0
        found = try whole.withUnsafeBytes { raw in
          var cursor = ByteCursor(raw)
          defer { end = cursor.offset }
          return try decoder.decode(&cursor)
        }
        rest.removeSubrange(..<end)
      }
      #expect(found == root[path], "\(path)")
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `damaged bytes end in an error or a value, never in a trap`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var good: [UInt8] = []
    for _ in 0..<8 { Self.position(&random).append(to: &good) }
    var tree: [UInt8] = []
    NodeEncoder.append(Self.node(&random, levels: 5), to: &tree)
    for _ in 0..<2_000 {
      var bytes = good
      for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8.random(in: 0...255, using: &random) }
      if random.isOne(in: 4) { bytes.removeLast(random.below(bytes.count)) }
      try? RecordScan(of: Self.path(&random)).forEach(in: bytes) { _ in }
      _ = try? RecordScan.time(ofRecord: 7, in: bytes)
      bytes = tree
      bytes[random.below(bytes.count)] = UInt8.random(in: 0...255, using: &random)
      bytes.withUnsafeBytes { raw in
        var (cursor, decoder) = (ByteCursor(raw), SubtreeDecoder(of: Self.path(&random)))
        _ = try? decoder.decode(&cursor)
      }
    }
  }
}
