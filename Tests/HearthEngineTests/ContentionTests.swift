import HearthTree
import Testing

@testable import HearthEngine

/// Tests of turns among many clients that write to one location: no write is lost, and each client succeeds within a
/// bound.
@Suite struct ContentionTests {
  private func near(_ count: Int, roundTrip: Int64 = 4) -> [ContentionSimulation.Client] {
    Array(repeating: ContentionSimulation.Client(roundTripMilliseconds: roundTrip), count: count)
  }

  /// Expects that no commit and no answer was lost.
  private func expectSound(_ fixture: ContentionSimulation) {
    #expect(fixture.value == Int64(fixture.commits))
    #expect(fixture.clients.allSatisfy { !$0.isWaiting })
    #expect(fixture.turns.isIdle && fixture.turns.waitingCount == 0)
  }

  @Test func `a hundred clients at once need two attempts each, and each waits no longer than a round of all`() throws {
    var fixture = try ContentionSimulation(near(100), syncMilliseconds: 3)
    try fixture.run(milliseconds: 20_000)
    expectSound(fixture)
    #expect(Double(fixture.tries) <= 2.1 * Double(fixture.commits))
    let waits = fixture.clients.map(\.waitMax)
    #expect(waits.max() ?? 0 <= 101 * (3 + 4), "\(waits)")
    let (least, most) = (fixture.clients.map(\.commits).min() ?? 0, fixture.clients.map(\.commits).max() ?? 0)
    #expect(least > 20 && most - least <= 1)
  }

  @Test func `slow clients complete transactions among fast ones`() throws {
    var clients = near(20)
    for index in 0..<5 { clients[index].roundTripMilliseconds = 700 }
    var fixture = try ContentionSimulation(clients, syncMilliseconds: 3)
    try fixture.run(milliseconds: 120_000)
    expectSound(fixture)
    let slow = fixture.clients.prefix(5).map { (tries: $0.tries, commits: $0.commits) }
    #expect(slow.allSatisfy { $0.commits > 5 && $0.tries <= 5 * $0.commits }, "\(slow)")
  }

  @Test func `a slow disk ends no turn`() throws {
    var fixture = try ContentionSimulation(near(10), syncMilliseconds: 2_000)
    try fixture.run(milliseconds: 200_000)
    expectSound(fixture)
    #expect(fixture.commits >= 90)
    #expect(Double(fixture.tries) <= 2.3 * Double(fixture.commits))
  }

  @Test func `fifty clients that give up when outdated delay the others little`() throws {
    var clients = near(100)
    for index in 0..<50 { clients[2 * index].isSilent = true }
    var fixture = try ContentionSimulation(clients, syncMilliseconds: 3)
    try fixture.run(milliseconds: 10_000)
    expectSound(fixture)
    let others = fixture.clients.filter { !$0.isSilent }
    #expect(others.allSatisfy { $0.commits > 10 }, "\(others.map(\.commits))")
  }

  @Test func `a client that writes to another location meanwhile keeps its position in the queue`() throws {
    var clients = near(20)
    for index in 0..<10 { clients[index].plainWriteIntervalMilliseconds = 60 }
    var fixture = try ContentionSimulation(clients, syncMilliseconds: 3)
    try fixture.run(milliseconds: 20_000)
    expectSound(fixture)
    #expect(fixture.plainWrites > 1_000)
    #expect(Double(fixture.tries) <= 2.5 * Double(fixture.commits))
    #expect(fixture.clients.allSatisfy { $0.commits > 50 })
  }
}
