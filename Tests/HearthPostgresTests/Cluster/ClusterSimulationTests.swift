import ClusterSimulation
import RandomTestKit
import Testing

/// Tests of the simulated cluster on the real store: its statements decide, and the simulation's checker verifies.
@Suite(.enabled(if: ThrowawayPostgres.isInstalled, "PostgreSQL is not installed: apt-get install postgresql"))
struct ClusterSimulationTests {
  @Test("deliveries to clients agree with the rows in PostgreSQL under every fault; `make torture` takes 300 schedules")
  func histories() throws {
    var (writes, failovers, takeovers) = (0, 0, Int64(0))
    for seed in 0..<UInt64(Torture.count(sample: 4, full: 300)) {
      var random = SeededRandom(seed: seed)
      let plan = SimulationPlan(&random)
      let store = try PostgresSimulatedStore(leaseMilliseconds: plan.timing.leaseMilliseconds)
      let run = Simulation(seed: seed, plan: plan, store: store)
      run.run()
      let violations = HistoryChecker(run).violations
      #expect(violations.isEmpty, "seed \(seed): \(violations.prefix(4))")
      writes += run.clients.reduce(0) { $0 + $1.operations.values.count { $0.outcome != nil } }
      failovers += run.store.failoverCount
      takeovers += run.store.epoch
    }
    Torture.report("\(writes) requests, \(takeovers) takeovers, \(failovers) lost tails")
    #expect(writes > 100 && takeovers > 4)
  }

  @Test("without faults the first owner stays")
  func calm() throws {
    let plan = SimulationPlan()
    let store = try PostgresSimulatedStore(leaseMilliseconds: plan.timing.leaseMilliseconds)
    let run = Simulation(seed: 1, plan: plan, store: store)
    run.run()
    #expect(HistoryChecker(run).violations.isEmpty)
    #expect(run.store.epoch == 1 && run.clients.allSatisfy { $0.state != .gone })
    #expect(run.clients.reduce(0) { $0 + $1.operations.count } > 100)
  }
}
