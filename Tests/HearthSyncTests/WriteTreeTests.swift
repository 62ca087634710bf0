import HearthTree
import RandomTestKit
import Testing

@testable import HearthSync

/// Tests of the input of a transaction: some of the pending writes over the server's data.
@Suite struct WriteTreeTests {
  @Test("removing any write leaves the layered result of the others")
  func layers() {
    for seed in 0..<150 {
      var random = SeededRandom(scattered: seed)
      var tree = WriteTree()
      var records: [WriteRecord] = []
      for id in 1...12 {
        let path = Self.path(&random)
        let node = random.isOne(in: 4) ? Node.empty : random.node(depth: 2)
        let isVisible = !random.isOne(in: 3)
        let record =
          random.isOne(in: 3)
          ? WriteRecord(id: id, merge: path, Self.merge(node, &random))
          : WriteRecord(id: id, overwrite: Location(path: path), node, isVisible: isVisible)
        tree.add(record)
        records.append(record)
      }
      let server = random.node(depth: 3)
      for _ in 0..<8 {
        let path = Self.path(&random)
        let excluded = Set(records.map(\.id).filter { _ in Bool.random(using: &random) })
        var layered = CompoundWrite()
        for record in records where !excluded.contains(record.id) { layered.add(record.content, at: record.path) }
        let whole = layered.applied(to: server)
        let found = tree.eventCache(at: path, server: server[path], hidden: true, excluding: excluded)
        #expect(found == whole[path], "seed \(seed), \(path) without \(excluded.sorted())")
      }
    }
  }

  private static func path(_ random: inout SeededRandom) -> Path {
    Path((0..<Int.random(in: 0...3, using: &random)).map { _ in random.pick(["a", "b"] as [Key]) })
  }

  private static func merge(_ node: Node, _ random: inout SeededRandom) -> CompoundWrite {
    var merge = CompoundWrite()
    merge.add(Location(path: Path("a")), node)
    merge.add(Location(path: Path("b/a")), random.node(depth: 1))
    return merge
  }
}
