import HearthPlugin
import HearthTree
import RandomTestKit

@testable import HearthPluginHost

/// A supervisor with a simulated clock.
struct SupervisorHarness {
  var supervisor: Supervisor
  var now: Int64 = 1_000

  init(hooks: [PluginHook] = [.exchange], _ change: (inout SupervisorLimits) -> Void = { _ in }) {
    var limits = SupervisorLimits()
    change(&limits)
    supervisor = Supervisor(
      PluginExpectation(name: "p", version: "1", hooks: hooks), limits: limits, random: SeededRandom(seed: 1))
  }

  /// Returns the effects since the last call.
  mutating func effects() -> [SupervisorEffect] { supervisor.takeEffects() }

  /// Returns the outcomes of requests since the last call.
  mutating func outcomes() -> [UInt64: PluginOutcome] {
    var outcomes: [UInt64: PluginOutcome] = [:]
    for case .finish(let id, let outcome) in effects() { outcomes[id] = outcome }
    return outcomes
  }

  mutating func start() {
    supervisor.start(now: now)
    for worker in supervisor.workers.indices { hello(worker) }
    _ = effects()
  }

  mutating func hello(_ worker: Int = 0, protocol version: Int = 1, name: String = "p", hooks: String = "\"exchange\"")
  {
    say("{\"hello\":{\"protocol\":\(version),\"name\":\"\(name)\",\"version\":\"1\",\"hooks\":[\(hooks)]}}", worker)
  }

  mutating func say(_ line: String, _ worker: Int = 0) {
    supervisor.received(Array(line.utf8)[...], from: worker, now: now)
  }

  mutating func ask(_ id: UInt64, milliseconds: Int64 = 5_000) {
    supervisor.ask(id, .exchange, Array("{}".utf8), deadline: now + milliseconds, now: now)
  }

  mutating func pass(_ milliseconds: Int64) {
    now += milliseconds
    supervisor.tick(now: now)
  }

  mutating func end(_ worker: Int = 0, _ how: String = "with code 1") {
    supervisor.ended(worker, how, now: now)
  }
}
