import HearthRules
import HearthTestKit
import Testing

@Suite struct SimulationTests {
  @Test(arguments: 0..<8)
  func `the engine keeps its word through thousands of seeded steps`(seed: UInt64) throws {
    var simulation = try Simulation(seed: seed)
    let summary = try simulation.run(stepCount: 1_500)
    #expect(summary.eventCount > 100)
    #expect(summary.cancelCount > 10)
  }

  @Test(arguments: [
    ("exists", ReadDependencies.Aspects.existence), ("val", .value), ("getPriority", .priority),
    ("hasChildren", .children),
  ])
  func `an engine that forgets what one operator read is found out`(
    name: String, ignored: ReadDependencies.Aspects
  ) throws {
    let isCaught = try (0..<UInt64(20)).contains { seed in
      var simulation = try Simulation(seed: seed, ignoring: ignored)
      do {
        _ = try simulation.run(stepCount: 400)
        return false
      } catch is Simulation.Failure {
        return true
      }
    }
    #expect(isCaught, "no seed notices that \(name) is not in the index")
  }
}
