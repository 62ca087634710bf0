import RandomTestKit
import Testing

@testable import HearthCluster

@Suite("placement of databases")
struct PlacementTests {
  private static let nodes = ["a", "b", "c", "d"].map { NodeID($0) }

  @Test("all nodes compute the same order, in which each is first for its share")
  func order() {
    var firsts: [NodeID: Int] = [:]
    for number in 0..<4_000 {
      let order = Placement.order(Self.nodes, for: "databases/n\(number)")
      #expect(order == Placement.order(Self.nodes.reversed(), for: "databases/n\(number)"))
      #expect(Set(order) == Set(Self.nodes))
      firsts[order[0], default: 0] += 1
    }
    for node in Self.nodes { #expect((800...1_200).contains(firsts[node] ?? 0), "\(firsts)") }
  }

  @Test("without a node, the order of the others stays")
  func withoutOne() {
    for number in 0..<500 {
      let all = Placement.order(Self.nodes, for: "databases/n\(number)")
      let fewer = Placement.order(Array(Self.nodes.dropFirst()), for: "databases/n\(number)")
      #expect(all.filter { $0 != Self.nodes[0] } == fewer)
    }
  }

  @Test("moves give all nodes about the same number of databases, and then end")
  func moves() {
    var random = SeededRandom(seed: 15)
    for _ in 0..<200 {
      var owned = Self.nodes.map { _ in Int(random.below(300)) }
      let total = owned.reduce(0, +)
      var rounds = 0
      var isMoving = true
      while isMoving {
        isMoving = false
        rounds += 1
        guard rounds < 1_000 else {
          Issue.record("it never ends")
          return
        }
        // One after the other, because nodes check at different times.
        for index in owned.indices {
          let others = owned.indices.filter { $0 != index }
            .map { Placement.Load(Self.nodes[$0], ownedCount: owned[$0]) }
          for receiver in Placement.moves(ownedCount: owned[index], others: others, countMax: 4) {
            owned[index] -= 1
            if let place = Self.nodes.firstIndex(of: receiver) { owned[place] += 1 }
            isMoving = true
          }
        }
      }
      #expect(owned.reduce(0, +) == total)
      let share = (total + 3) / 4
      #expect(owned.allSatisfy { $0 <= share + 1 + share / 10 }, "\(owned)")
    }
  }

  @Test("a small number of databases is not moved")
  func few() {
    let others = [Placement.Load(NodeID("b"), ownedCount: 0), Placement.Load(NodeID("c"), ownedCount: 0)]
    #expect(Placement.moves(ownedCount: 2, others: others, countMax: 4).isEmpty)
    #expect(Placement.moves(ownedCount: 4, others: others, countMax: 4) == [NodeID("b"), NodeID("c")])
    #expect(Placement.moves(ownedCount: 100, others: [], countMax: 4).isEmpty)
  }

  @Test("a node claims a database only if it would not give away another one for it")
  func room() {
    var random = SeededRandom(seed: 16)
    for _ in 0..<2_000 {
      let owned = Self.nodes.map { _ in Int(random.below(40)) }
      let others = owned.indices.dropFirst().map { Placement.Load(Self.nodes[$0], ownedCount: owned[$0]) }
      guard owned[0] > 0, Placement.hasRoom(Self.nodes[1], ownedCount: owned[0], others: others) else { continue }
      let after = [Placement.Load(Self.nodes[0], ownedCount: owned[0] - 1)] + others.dropFirst()
      #expect(Placement.moves(ownedCount: owned[1] + 1, others: after, countMax: 4).isEmpty, "\(owned)")
    }
    #expect(!Placement.hasRoom(Self.nodes[1], ownedCount: 1, others: []))
    #expect(!Placement.hasRoom(Self.nodes[1], ownedCount: 1, others: [Placement.Load(Self.nodes[1], ownedCount: 9)]))
  }

  @Test("the node with two of three recent requests is the one whose clients use a database most")
  func demand() {
    var demand = Demand()
    var now = MonotonicInstant(milliseconds: 50_000)
    func most(after requests: [(Int, Int)]) -> NodeID? {
      for (node, count) in requests { for _ in 0..<count { demand.note(Self.nodes[node]) } }
      demand.tick(at: now)
      return demand.most
    }
    demand.tick(at: now)
    #expect(most(after: [(1, 900)]) == nil, "they are few")
    #expect(most(after: [(1, 1_100)]) == Self.nodes[1])
    #expect(most(after: [(0, 500), (2, 600)]) == nil, "the others have more than a third")
    now = now.advanced(by: 10_000)
    #expect(most(after: []) == nil)
    #expect(most(after: [(2, 4_000)]) == Self.nodes[2], "what came before counts half")
    for _ in 0..<20 {
      now = now.advanced(by: 10_000)
      demand.tick(at: now)
    }
    #expect(demand.most == nil)
  }
}
