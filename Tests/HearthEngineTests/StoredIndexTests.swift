import HearthTree
import PagesTestKit
import RandomTestKit
import Testing

@testable import HearthEngine

/// Tests of the stored form of indexes, and of their names.
@Suite struct StoredIndexTests {
  private static let orders: [Query.Order] = [.priority, .value, .child(Path("a")), .child(Path("a/b c"))]

  @Test("a name has the location and the order, and orders that data cannot have are not stored")
  func names() throws {
    for order in Self.orders {
      for path in [Path(), Path("users"), Path("a/ü/.x")] {
        let name = try #require(StoredIndexes.Name(path, order))
        #expect(StoredIndexes.Name(name.key) == name)
      }
    }
    #expect(StoredIndexes.Name(Path("a"), .key) == nil)
    #expect(StoredIndexes.Name(Path("a"), .child(Path([Key("x#y")]))) == nil)
    #expect(StoredIndexes.Name(Path("a"), .child(Path([Key("x/y")]))) == nil)
    #expect(StoredIndexes.Name(Path("a"), .child(Path())) == nil)
    for text in ["", "a", "#", "/#/", ".key#/a", ".value#a", ".value#/a/", "/a#/b//c"] {
      #expect(StoredIndexes.Name(Key(text)) == nil, "\(text)")
    }
  }

  private static func node(_ count: Int, _ random: inout SeededRandom) -> Node {
    Node.empty.replacing(
      (0..<count).map { number in
        let value = Node(.int(Int64(random.below(50))), priority: number % 9 == 0 ? .int(1) : nil)
        return (Path("k\(number)"), number % 3 == 0 ? Node.empty.replacing(Key("a"), with: value) : value)
      })
  }

  @Test("an index is read from its stored form, and wrong numbers are none")
  func stored() {
    var random = SeededRandom(seed: 1)
    for count in [1, 40, 2_000] {
      let node = Self.node(count, &random)
      for order in Self.orders {
        var cost = QueryCost()
        let index = ChildIndex(node, by: order, cost: &cost)
        let stored = index.stored
        let again = ChildIndex(stored: stored, by: order)
        #expect(again?.stored == stored && again?.count == count)
        for key in ["count", "values", "entries", "sparse"] {
          for wrong in [Node(.int(-1)), Node(.int(1 << 60)), Node(.string("x")), .empty] {
            let changed = stored.replacing(Key(key), with: wrong)
            guard let read = ChildIndex(stored: changed, by: order) else { continue }
            #expect(read.entryCount <= read.count)
          }
        }
        #expect(ChildIndex(stored: stored.replacing("count", with: .empty), by: order) == nil)
        #expect(ChildIndex(stored: stored, by: .key) == nil)
      }
    }
    #expect(StoredIndexes(Node(.int(1))).isEmpty)
    #expect(StoredIndexes(Node.empty.replacing(Key("x"), with: Node(.int(1)))).isEmpty)
  }

  @Test("a replay gives the index that a new one would be", arguments: 1...20)
  func replay(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var root = Node.empty.replacing(Key("list"), with: Self.node(400, &random))
    var (indexes, cost) = (StoredIndexes(), QueryCost())
    let names = Self.orders.compactMap { StoredIndexes.Name(Path("list"), $0) }
    for name in names {
      indexes.apply([name: ChildIndex(root.child("list"), by: name.order, cost: &cost)])
    }
    var (store, evictor) = (MemoryStore(), IndexEvictor(of: MemoryStore().store))
    evictor = IndexEvictor(of: store.store)
    var replay = IndexReplay(indexes, of: root)
    for _ in 0..<60 {
      let changes = (0..<random.below(5) + 1).map { _ -> (location: Location, node: Node) in
        let path = Path("list/k\(random.below(600))" + ["", "/a", "/a/b c"][random.below(3)])
        let node: Node = random.chance(25) ? .empty : Node(.int(Int64(random.below(50))))
        return (Location(path: path, isPriority: random.chance(15)), node)
      }
      let old = root
      root = CommitRecord.apply(changes, to: old)
      replay.apply(changes, from: old, to: root)
      _ = try store.save(replay.indexes.tree)
      replay.replace { indexes in
        repeat { _ = evictor.run(&indexes, sizeBytes: 10_000) } while !evictor.isAtStart
      }
    }
    #expect(replay.indexes.names.count == names.count && replay.failedCount == 0)
    for name in names {
      for limit in [Query.Limit.first(30), .last(30), .last(10_000)] {
        let query = Query(order: name.order, limit: limit)
        let index = try #require(replay.indexes.index(named: name))
        let list = root.child("list")
        #expect(index.count == list.childCount)
        #expect(QueryResult(query, of: list, index: index).node == QueryResult(query, of: list).node, "\(name.key)")
      }
    }
    replay.apply([(Location(path: Path("list")), .empty)], from: root, to: .empty)
    #expect(replay.indexes.isEmpty)
    #expect(IndexReplay(indexes, of: .empty).indexes.isEmpty, "data of another version")
  }
}
