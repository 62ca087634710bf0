import ClusterSimulation
import HearthCluster
import RandomTestKit
import Testing

/// Tests of three nodes with real rows and real connections between them.
@Suite(.enabled(if: ThrowawayPostgres.isInstalled, "PostgreSQL is not installed: apt-get install postgresql"))
struct DrivenClusterTests {
  @Test("nodes elect an owner, replicate and fail over: the log has all deliveries")
  func ownerDies() async throws {
    let cluster = try await DrivenCluster(["a", "b", "c"], timing: SimulationPlan().timing)
    var random = SeededRandom(seed: 3)
    var number: UInt32 = 0
    /// Sends requests for all idle clients repeatedly.
    func work(_ rounds: Int) async throws {
      for _ in 0..<rounds {
        for client in cluster.board.idle {
          number += 1
          switch random.below(10) {
          case ..<6: cluster.ask(client, .write(WriteContent(number: number, effect: .plain)))
          case 6: cluster.ask(client, .write(WriteContent(number: number, effect: .refused)))
          case 7: cluster.ask(client, .write(WriteContent(number: number, effect: .onDisconnect)))
          default: cluster.ask(client, .get)
          }
        }
        try await cluster.step()
      }
    }
    let board = cluster.board
    #expect(
      try await cluster.until { cluster.nodes.allSatisfy { board.isServing($0.id) } && cluster.owners.count == 1 })
    for node in cluster.nodes { for _ in 0..<2 { _ = cluster.connect(&random, to: node) } }
    try await work(60)
    let before = board.acknowledgedCount
    #expect(before > 30)
    let first = try #require(cluster.owners.first)
    // Killed in the middle of requests.
    try await work(3)
    cluster.kill(first)
    try await work(5)
    #expect(try await cluster.until { cluster.owners.count == 1 })
    let second = try #require(cluster.owners.first)
    for node in cluster.living { _ = cluster.connect(&random, to: node) }
    try await work(60)
    #expect(second.id != first.id && board.acknowledgedCount > before + 30)
    // The killed node's sessions end once, and no requests remain.
    let gone = board.clients.filter { $0.state == .gone }.map(\.session)
    #expect(
      try await cluster.until {
        cluster.living.allSatisfy {
          $0.database.withMember { member, _ in gone.allSatisfy { member.table[$0] == nil } }
        }
          && board.idle.count == board.clients.count - gone.count
          && Set(cluster.living.map { $0.database.withMember { member, _ in member.replica.head.position } }).count == 1
      })
    let checker = HistoryChecker(try cluster.history())
    #expect(checker.violations.isEmpty, "\(checker.violations.prefix(6))")
    #expect(gone.count == 2 && cluster.nodes.allSatisfy { $0.cluster.reported.isEmpty })
  }
}
