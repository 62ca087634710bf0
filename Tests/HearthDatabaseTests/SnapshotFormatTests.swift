import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthDatabase
@testable import HearthEngine

@Suite struct SnapshotFormatTests {
  private func node(_ json: String) throws -> Node {
    try Array(json.utf8).withUnsafeBytes { bytes in
      var reader = JSONReader(bytes)
      return try reader.writeValue().node
    }
  }

  @Test func `a snapshot is read back for any division into chunks`() throws {
    var random = SeededRandom(seed: 5)
    var root = Node.empty
    for _ in 0..<60 {
      let path = Path((0...random.below(4)).map { _ in Key("k\(random.below(5))") })
      let text = String(repeating: "é", count: random.below(40))
      root = root.replacing(path, with: Node(.string(text), priority: random.isOne(in: 3) ? .int(1) : nil))
    }
    root = root.replacing(Path("big"), with: Node(.string(String(repeating: "x", count: 3_000))))
    for (chunkBytes, rules) in [(1, nil), (7, "{}"), (64, nil), (1_000, String(repeating: "r", count: 2_000))] {
      var state = DatabaseState(root: root, rules: .denyAll, position: 77, storedRules: rules)
      if chunkBytes != 64 { state.sessions = OnDisconnectSessions(root.replacing("5", with: Node(.string("x")))) }
      var (reader, chunks): (SnapshotReader, [[UInt8]]) = (SnapshotReader(), [])
      try SnapshotFormat.write(state, chunkBytes: chunkBytes) { chunks.append($0) }
      #expect(chunks.allSatisfy { !$0.isEmpty && $0.count <= chunkBytes })
      for chunk in chunks { try reader.read(chunk) }
      #expect(reader.root == root)
      #expect(reader.sessions == state.sessions.tree)
      #expect(reader.position == 77)
      #expect(reader.storedRules == rules)
    }
  }

  @Test func `a snapshot of version 1 has no sessions, and one of the current version without them is incomplete`()
    throws
  {
    var bytes: [UInt8] = []
    let state = DatabaseState(root: try node(#"{"a": 1}"#), rules: .denyAll, position: 3)
    try SnapshotFormat.write(state, chunkBytes: 1_000) { bytes += $0 }
    let first = [1] + bytes.dropFirst().dropLast()
    for chunkBytes in [1, 1_000] {
      var reader = SnapshotReader()
      for start in stride(from: 0, to: first.count, by: chunkBytes) {
        try reader.read(Array(first[start..<min(first.count, start + chunkBytes)]))
      }
      #expect(reader.root == state.root)
      #expect(reader.sessions == .some(.empty))
    }
    var reader = SnapshotReader()
    try reader.read(Array(bytes.dropLast()))
    #expect(reader.root == state.root)
    #expect(reader.sessions == nil)
    reader = SnapshotReader()
    #expect(throws: RecordError.self) { try reader.read(first + [0]) }
  }

  @Test func `a snapshot with bytes after its end, or of another version, is refused`() throws {
    var bytes: [UInt8] = []
    let state = DatabaseState(root: Node(.int(1)), rules: .denyAll, position: 1)
    try SnapshotFormat.write(state, chunkBytes: 1_000) { bytes += $0 }
    var reader = SnapshotReader()
    #expect(throws: RecordError.self) { try reader.read(bytes + [0]) }
    reader = SnapshotReader()
    #expect(throws: RecordError.self) { try reader.read([9] + bytes.dropFirst()) }
  }
}
