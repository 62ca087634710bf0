import ClusterSimulation
import HearthCluster
import RandomTestKit
import Testing

/// The number of occurrences of the events under test.
private struct EventCounts: Sendable {
  var (acknowledged, reads, takeovers, restored, disconnected) = (0, 0, 0, 0, 0)
  var (losses, received, handoffs, ended) = (0, 0, 0, 0)
  /// Executed on-disconnect writes; starts from a snapshot, and snapshot loads because the log was pruned meanwhile.
  var (onDisconnect, snapshotStarts, snapshotRestores) = (0, 0, 0)
  /// Repeated requests that had been applied before.
  var repeated = 0

  init() {}

  init(_ run: Simulation) {
    let outcomes = run.clients.flatMap { $0.operations.values.compactMap(\.outcome) }
    repeated = outcomes.count { if case .applied(_, let reply) = $0 { reply == [] } else { false } }
    (snapshotStarts, snapshotRestores) = (run.snapshotStartCount, run.snapshotRestoreCount)
    acknowledged = outcomes.count { if case .applied = $0 { true } else { false } }
    reads = outcomes.count { if case .value = $0 { true } else { false } }
    restored = run.store.stored.count { $0.row.epoch != $0.epoch }
    losses = run.losses.count
    received = run.clients.reduce(0) { $0 + $1.received.count }
    for record in run.store.rows.flatMap({ (try? LogRecord.decode($0.batch)) ?? [] }) {
      switch record {
      case .takeover: takeovers += 1
      case .disconnect:
        disconnected += 1
        onDisconnect += record.deliveredWrites.count
      case .handoff: handoffs += 1
      case .ended: ended += 1
      default: break
      }
    }
  }

  /// True when all events occurred, except unrecoverable losses, which are too rare for a sample.
  var isOfEverything: Bool {
    [
      acknowledged, reads, takeovers, restored, disconnected, received, handoffs, ended, onDisconnect,
      snapshotStarts, snapshotRestores, repeated,
    ].allSatisfy { $0 > 0 }
  }

  static func += (left: inout EventCounts, right: EventCounts) {
    left.acknowledged += right.acknowledged
    left.reads += right.reads
    left.takeovers += right.takeovers
    left.restored += right.restored
    left.disconnected += right.disconnected
    left.losses += right.losses
    left.received += right.received
    left.handoffs += right.handoffs
    left.ended += right.ended
    left.onDisconnect += right.onDisconnect
    left.snapshotStarts += right.snapshotStarts
    left.snapshotRestores += right.snapshotRestores
    left.repeated += right.repeated
  }
}

/// Tests of simulated clusters with faults from a seed.
@Suite struct SimulationTests {
  private static func violations(
    _ seed: UInt64, plan: SimulationPlan? = nil, faults: Set<PlantedFault> = []
  ) -> [String] {
    let run = Simulation(seed: seed, plan: plan, faults: faults)
    run.run()
    return HistoryChecker(run).violations
  }

  /// Returns the whole schedule of a seed.
  private static func schedule(of seed: UInt64, plan: SimulationPlan? = nil) -> String {
    let run = Simulation(seed: seed, plan: plan, isTraced: true)
    run.run()
    return (run.trace ?? []).joined(separator: "\n")
  }

  @Test("deliveries to clients agree with the log under every fault; `make torture` takes 20,000 schedules")
  func histories() {
    let seeds = 0..<UInt64(Torture.count(sample: 60, full: 20_000))
    let all = Torture.forEach("clusters", seeds) { seed in
      let run = Simulation(seed: seed)
      run.run()
      return (seed: seed, violations: HistoryChecker(run).violations, counts: EventCounts(run))
    }
    let failed = all.filter { !$0.violations.isEmpty }
    for failure in failed.prefix(5) { Issue.record("seed \(failure.seed): \(failure.violations.prefix(4))") }
    if let seed = failed.first?.seed { Issue.record("what happened in seed \(seed):\n\(Self.schedule(of: seed))") }
    let counts = all.reduce(into: EventCounts()) { $0 += $1.counts }
    Torture.report("\(all.count) schedules: \(counts)")
    #expect(counts.isOfEverything, "\(counts)")
  }

  @Test("without faults no client is disconnected, and the first owner stays")
  func calm() {
    for seed in 0..<UInt64(3) {
      let run = Simulation(seed: seed, plan: SimulationPlan())
      run.run()
      #expect(HistoryChecker(run).violations.isEmpty, "seed \(seed)")
      #expect(run.store.epoch == 1 && run.clients.allSatisfy { $0.state != .gone }, "seed \(seed)")
      #expect(run.clients.reduce(0) { $0 + $1.operations.count } > 100)
    }
  }

  @Test("for a node that does not report its received answers an owner keeps no more than a limit of them")
  func bounded() throws {
    let run = Simulation(seed: 1, plan: SimulationPlan())
    run.run()
    let client = try #require(run.clients.first { $0.state == .connected })
    let edge = try #require(run.nodes[client.node].lease.status.incarnation)
    let owner = try #require(run.nodes.first { $0.isOwner })
    let last = client.lastTicket - SimulatedClient.ticketOffset
    for (request, answered, isRefused) in [
      (last + 1, last, false), (last + 2, 0, false), (1_001, 0, true), (5, 5, true),
    ] {
      let origin = Origin(session: client.session, request: request, answered: answered)
      let message = PeerMessage.request(epoch: run.store.epoch, ForwardedRequest(origin, .get([])))
      let actions = owner.member.handle(
        .received(message, from: edge), at: owner.clock(at: run.time), owner.lease.status, &owner.decider)
      let refusals = actions.filter {
        if case .send(_, .answer(_, _, _, .noSession)) = $0 { true } else { false }
      }
      #expect(refusals.count == (isRefused ? 1 : 0), "request \(request)")
    }
  }

  @Test("the same seed gives the same schedule")
  func deterministic() {
    #expect(Self.schedule(of: 5) == Self.schedule(of: 5))
  }

  /// Searches at most 400 schedules for a planted fault. Most faults show in the first few.
  @Test("every planted fault is found", arguments: PlantedFault.allCases)
  func planted(fault: PlantedFault) {
    let found = (0..<UInt64(400)).first { seed in
      !Self.violations(seed, plan: Self.plan(for: fault, seed), faults: [fault]).isEmpty
    }
    #expect(found != nil, "\(fault.rawValue) was not found")
  }

  /// Returns the seed's plan with more of the events in which the fault can show.
  private static func plan(for fault: PlantedFault, _ seed: UInt64) -> SimulationPlan {
    var random = SeededRandom(seed: seed)
    var plan = SimulationPlan(&random)
    plan.losesTails = false
    plan.faultCount = 6
    switch fault {
    case .fencingOff, .takeoverWithoutRow, .leaseAlwaysBelieved: plan.slowAppendPercent = 8
    case .beatsWithoutStamp: plan.relayPercent = 40
    case .resentUnderAnotherNumber: plan.faultCount = 1
    case .snapshotWithoutSessions: plan.snapshotMilliseconds = 400
    default: break
    }
    return plan
  }
}
