import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthEngine

@Suite struct TableTests {
  @Test(arguments: 0..<4)
  func `a dense table agrees with a dictionary`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var (table, model) = (DenseTable<Int, Int>(), [Int: Int]())
    for step in 0..<2_000 {
      // A few names keep the table near the size at which its representation changes.
      let name = random.below(seed % 2 == 0 ? 40 : 12)
      switch random.below(3) {
      case 0:
        table.set(name, step)
        model[name] = step
      case 1:
        let removed = table.remove(name)
        #expect(removed == model.removeValue(forKey: name))
      default:
        table.update(name, default: 0) { $0 += 1 }
        model[name, default: 0] += 1
      }
      #expect(table[name] == model[name])
      #expect(table.count == model.count)
    }
    #expect(Dictionary(uniqueKeysWithValues: table.entries.map { ($0.name, $0.value) }) == model)
  }

  @Test(arguments: 0..<4)
  func `deadlines are returned in ascending order`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var (queue, model) = (DeadlineQueue(), [Int64]())
    for step in 0..<1_000 {
      if random.isOne(in: 3) {
        let first = queue.removeFirst()
        #expect(first?.deadlineMonotonicMilliseconds == model.min())
        if let i = model.firstIndex(where: { $0 == model.min() }) { model.remove(at: i) }
      } else {
        let deadline = Int64(random.below(100))
        queue.insert(
          DeadlineQueue.Entry(
            deadlineMonotonicMilliseconds: deadline, connection: ConnectionID(rawValue: UInt64(step)), serial: 0
          ))
        model.append(deadline)
      }
      if step == 500 {
        queue.removeAll { $0.deadlineMonotonicMilliseconds < 50 }
        model.removeAll { $0 < 50 }
      }
      #expect(queue.first?.deadlineMonotonicMilliseconds == model.min())
    }
  }

  @Test func `signing in repeatedly leaves no outdated deadlines in the table`() {
    var engine = Engine(state: DatabaseState(root: .empty, rules: .denyAll, position: 0))
    let connection = ConnectionID(rawValue: 1)
    let now = Instant(wallMilliseconds: 0, monotonicMilliseconds: 0)
    _ = engine.decide([Command(connection: connection, action: .connect)], at: now)
    for i in 0..<1_000 {
      let principal = Principal(auth: nil, deadlineMonotonicMilliseconds: 1_000_000 + Int64(i))
      _ = engine.decide([Command(connection: connection, action: .authenticate(principal))], at: now)
    }
    #expect(engine.connections.deadlines.count < 100)
    #expect(engine.nextDeadlineMonotonicMilliseconds.map { $0 <= 1_000_999 } == true)
    let late = Instant(wallMilliseconds: 0, monotonicMilliseconds: 1_000_999)
    let batch = engine.decide([Command(connection: connection, action: .tick)], at: late)
    #expect(batch.effects.flatMap { $0.scenarioLines() } == ["1 < ended"])
  }

  @Test func `a hash is computed again when its location has changed`() {
    var cache = HashCache()
    var node = Node.empty.replacing(Path("a/b"), with: Node(.int(1)))
    for i in 0..<100 {
      let path = Path("place\(i % 40)")
      let (isSame, isOther) = (
        cache.isKnown(node, at: path, hash: node.simpleHash()), cache.isKnown(node, at: path, hash: "other")
      )
      #expect(isSame && !isOther)
      node = node.replacing(Path("a/b"), with: Node(.int(Int64(i + 2))))
    }
    let answers = [(Node.empty, ""), (.empty, "other"), (node, "")].map { cache.isKnown($0, at: .root, hash: $1) }
    #expect(answers == [true, false, false])
  }

  @Test func `a listen that depends on a location is found once for each commit, however many merged paths touch it`() {
    let connection = Connection(id: ConnectionID(rawValue: 1))
    let node = ListenNode(key: nil, parent: nil)
    let listen = Listen(serial: 1, connection: connection, node: node, path: .root)
    let place = DependencyNode(key: nil, parent: nil)
    place.insert(listen, .existence)
    var found = AffectedListens()
    for walk in [UInt64(1), 1, 1, 2, 2] { place.collect(.empty, Node(.int(1)), on: walk, into: &found) }
    #expect(found.listens.count == 2)
  }

  @Test func `the state of a location without listens and grants is removed`() throws {
    var scenario = Scenario()
    let steps = [
      #"rules {"rules": {".read": "root.child('a/b/c').exists() || now > 5", ".write": true}}"#, "time 10", "1 connect",
      "1 listen /x/y/z", "1 listen /x/y", "1 listen /x", "1 unlisten /x/y/z", "1 disconnect",
    ]
    for step in steps { _ = try scenario.perform(step) }
    let engine = scenario.engine
    #expect(engine.listens.root.children.isEmpty)
    #expect(engine.grants.isEmpty)
    #expect(engine.nextDeadlineMonotonicMilliseconds == nil)
  }
}
