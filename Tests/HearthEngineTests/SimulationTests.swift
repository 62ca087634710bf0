import HearthEngine
import HearthRules
import HearthTestKit
import RandomTestKit
import Testing

@Suite struct SimulationTests {
  @Test(arguments: 0..<UInt64(Torture.count(sample: 4, full: 100)))
  func `the engine agrees with its model through thousands of seeded steps`(seed: UInt64) throws {
    var simulation = try Simulation(seed: seed)
    let summary = try simulation.run(stepCount: 2_000)
    #expect(summary.eventCount > 40)
    #expect(summary.cancelCount > 10)
    #expect(summary.queryEventCount > 0)
    #expect(summary.startCount > 1)
    #expect(summary.asideCount > 20)
    #expect(summary.againCount > 0)
    #expect(summary.ownerCount > 20)
  }

  @Test(arguments: 0..<UInt64(Torture.count(sample: 2, full: 100)))
  func `windows of live queries follow thousands of messages`(seed: UInt64) throws {
    var simulation = try Simulation(seed: seed, Self.writeHeavy)
    let summary = try simulation.run(stepCount: 1_200)
    #expect(summary.queryEventCount > 20)
  }

  @Test(arguments: 0..<UInt64(Torture.count(sample: 6, full: 200)))
  func `the engine agrees with its model while evaluations of listens are pending`(seed: UInt64) throws {
    var simulation = try Simulation(seed: seed, Self.sliced)
    let summary = try simulation.run(stepCount: 2_000)
    #expect(summary.cancelCount > 10)
    #expect(summary.pendingCount > 100)
    #expect(summary.lateCount > 0)
  }

  @Test(arguments: 0..<UInt64(Torture.count(sample: 2, full: 100)))
  func `windows of live queries catch up after pending evaluations`(seed: UInt64) throws {
    var conditions = Self.sliced
    (conditions.policies, conditions.isWriteHeavy) = (Self.writeHeavy.policies + [.memberExists, .ownData], true)
    var simulation = try Simulation(seed: seed, conditions)
    let summary = try simulation.run(stepCount: 1_200)
    #expect(summary.queryEventCount > 20)
    #expect(summary.pendingCount > 20)
  }

  @Test(arguments: 0..<UInt64(Torture.count(sample: 1, full: 100)))
  func `the engine agrees with its model when nothing is in memory before each step`(seed: UInt64) throws {
    for (number, conditions) in [SimulationConditions(), Self.writeHeavy, Self.sliced].enumerated() {
      var conditions = conditions
      conditions.isCold = true
      var simulation = try Simulation(seed: seed, conditions)
      let summary = try simulation.run(stepCount: 200)
      #expect(summary.readCount > 300, "\(number)")
    }
  }

  @Test func `a command that cannot read a page is refused without any other effect, or the server restarts`() throws {
    var unsoundCount = 0
    for seed in 0..<UInt64(Torture.count(sample: 2, full: 300)) {
      for conditions in [SimulationConditions(), Self.writeHeavy] {
        var conditions = conditions
        (conditions.isCold, conditions.failsReads) = (true, true)
        var simulation = try Simulation(seed: seed, conditions)
        let summary = try simulation.run(stepCount: 300)
        #expect(summary.refusedCount > 10, "seed \(seed)")
        unsoundCount += summary.unsoundCount
      }
    }
    #expect(unsoundCount > 0)
  }

  @Test(arguments: 0..<UInt64(Torture.count(sample: 2, full: 100)))
  func `the engine agrees with its model when earlier versions are released`(seed: UInt64) throws {
    var conditions = Self.sliced
    (conditions.policies, conditions.isWriteHeavy) = (Self.writeHeavy.policies + [.memberExists, .ownData], true)
    conditions.releasesVersions = true
    var simulation = try Simulation(seed: seed, conditions)
    let summary = try simulation.run(stepCount: 1_200)
    #expect(summary.queryEventCount > 20 && summary.pendingCount > 20)
  }

  /// Conditions under which nearly all evaluations of existing listens are delayed.
  private static var sliced: SimulationConditions {
    var conditions = SimulationConditions()
    conditions.isSliced = true
    return conditions
  }

  /// Conditions under which listens last long enough to receive many events.
  private static var writeHeavy: SimulationConditions {
    var conditions = SimulationConditions()
    conditions.policies = [.allowAll, .allowAll, .allowAll, .queryLimit, .queryOrder, .queryAndData]
    conditions.isWriteHeavy = true
    return conditions
  }

  @Test(arguments: 0..<UInt64(Torture.count(sample: 2, full: 100)))
  func `onDisconnect writes survive restarts`(seed: UInt64) throws {
    var conditions = Self.writeHeavy
    conditions.policies = [.allowAll, .memberExists, .ownData]
    var simulation = try Simulation(seed: 100 + seed, conditions)
    let summary = try simulation.run(stepCount: 1_200)
    #expect(summary.startCount > 1)
    // In one or two runs of a hundred no connection ends.
    #expect(Torture.isOn || summary.endCount > 1)
  }

  @Test(arguments: 0..<UInt64(Torture.count(sample: 2, full: 100)))
  func `without memory for indexes clients with queries still have their results`(seed: UInt64) throws {
    var conditions = Self.writeHeavy
    conditions.hasRoomForOrders = false
    conditions.policies.removeAll(where: \.readsQuery)
    var simulation = try Simulation(seed: seed, conditions)
    let summary = try simulation.run(stepCount: 800)
    #expect(summary.queryEventCount > 100)
  }

  @Test(arguments: [
    ("exists", ReadDependencies.Aspects.existence), ("val", .value), ("getPriority", .priority),
    ("hasChildren", .children),
  ])
  func `a simulated engine that misses the reads of an operator is detected`(
    name: String, ignored: ReadDependencies.Aspects
  ) throws {
    var conditions = SimulationConditions()
    conditions.ignored = ignored
    #expect(try isCaught(conditions), "no seed notices that \(name) is not in the index")
  }

  @Test(arguments: [
    InjectedFaults.noBackfill, .noEviction, .staleOrder, .noReplacement, .noQueryInRules,
  ])
  func `a simulated engine with faulty live queries is detected`(fault: InjectedFaults) throws {
    var conditions = Self.writeHeavy
    conditions.faults = fault
    #expect(try isCaught(conditions), "no seed notices it")
  }

  @Test(arguments: [InjectedFaults.noRulesOnDisconnect, .noEndOfSessions, .staleIdentities])
  func `a simulated engine with faulty onDisconnect writes is detected`(fault: InjectedFaults) throws {
    var conditions = SimulationConditions()
    conditions.faults = fault
    #expect(try isCaught(conditions), "no seed notices it")
  }

  @Test(arguments: [InjectedFaults.sendsWhileInDoubt, .noCatchUp])
  func `an engine with faulty pending evaluations is detected`(fault: InjectedFaults) throws {
    var conditions = Self.sliced
    conditions.faults = fault
    #expect(try isCaught(conditions), "no seed notices it")
  }

  /// Returns true when a seed fails only because of the planted fault.
  private func isCaught(_ conditions: SimulationConditions) throws -> Bool {
    var sound = conditions
    (sound.faults, sound.ignored) = ([], [])
    return try (0..<UInt64(60)).contains { seed in try fails(seed, conditions) && !fails(seed, sound) }
  }

  private func fails(_ seed: UInt64, _ conditions: SimulationConditions) throws -> Bool {
    var simulation = try Simulation(seed: seed, conditions)
    do {
      _ = try simulation.run(stepCount: 400)
      return false
    } catch is Simulation.Failure {
      return true
    }
  }
}
