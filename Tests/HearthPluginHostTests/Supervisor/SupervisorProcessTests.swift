import HearthPlugin
import Testing

@testable import HearthPluginHost

@Suite struct SupervisorProcessTests {
  @Test("a process that ends fails only its own requests, and is restarted")
  func death() {
    var harness = SupervisorHarness { $0.workerCount = 2 }
    harness.start()
    harness.ask(1)
    harness.ask(2)
    _ = harness.effects()
    harness.end(0, "by signal 9")
    var effects = harness.effects()
    #expect(effects.removeFirst() == .finish(1, .died))
    #expect(effects.count == 1)
    harness.say("{\"id\":2,\"output\":1}", 1)
    #expect(harness.outcomes() == [2: .output(.int(1))])
    #expect(harness.supervisor.health == .running)
    harness.pass(130)
    #expect(harness.effects() == [.start(worker: 0)])
    #expect(harness.supervisor.restartCount == 1)
  }

  @Test("the wait before a restart doubles with each crash, varied by a fifth, up to its limit")
  func backOff() throws {
    var harness = SupervisorHarness { $0.crashesMax = 100 }
    harness.supervisor.start(now: harness.now)
    var expected: Int64 = 100
    for _ in 0..<12 {
      harness.end()
      let wait = try #require(harness.supervisor.nextStart) - harness.now
      #expect(abs(wait - expected) <= expected / 5)
      harness.pass(wait)
      expected = min(expected * 2, 30_000)
    }
  }

  @Test("after many crashes the plugin is disabled, its requests fail at once, and a start restores it")
  func quarantine() {
    var harness = SupervisorHarness { $0.crashesMax = 3 }
    harness.supervisor.start(now: harness.now)
    harness.ask(1, milliseconds: 1_000_000)
    for _ in 0..<3 {
      harness.end()
      if let start = harness.supervisor.nextStart { harness.pass(start - harness.now) }
    }
    guard case .quarantined(let reason) = harness.supervisor.health else {
      Issue.record("\(harness.supervisor.health)")
      return
    }
    #expect(reason.contains("ended with code 1"))
    #expect(harness.outcomes()[1] == .down)
    harness.ask(2)
    #expect(harness.outcomes() == [2: .down])
    harness.pass(1_000_000)
    #expect(harness.effects().isEmpty)
    harness.supervisor.start(now: harness.now)
    #expect(harness.effects() == [.start(worker: 0)])
  }

  @Test("crashes that are far apart do not disable the plugin")
  func rareCrashes() {
    var harness = SupervisorHarness { $0.crashesMax = 3 }
    harness.start()
    for _ in 0..<20 {
      harness.pass(200_000)
      harness.end()
      if let start = harness.supervisor.nextStart { harness.pass(start - harness.now) }
      harness.hello()
    }
    #expect(harness.supervisor.health == .running)
  }

  @Test(
    "a wrong hello ends the process",
    arguments: [
      "{\"hello\":{\"protocol\":2,\"name\":\"p\",\"hooks\":[\"exchange\"]}}",
      "{\"hello\":{\"protocol\":1,\"name\":\"q\",\"hooks\":[\"exchange\"]}}",
      "{\"hello\":{\"protocol\":1,\"name\":\"p\",\"version\":\"2\",\"hooks\":[\"exchange\"]}}",
      "{\"hello\":{\"protocol\":1,\"name\":\"p\",\"hooks\":[\"sendMail\"]}}",
    ])
  func wrongHello(line: String) {
    var harness = SupervisorHarness()
    harness.supervisor.start(now: harness.now)
    _ = harness.effects()
    harness.say(line)
    #expect(harness.effects() == [.kill(worker: 0)])
    #expect(harness.supervisor.health == .starting)
  }

  @Test("a process without a timely hello is ended")
  func noHello() {
    var harness = SupervisorHarness()
    harness.supervisor.start(now: harness.now)
    _ = harness.effects()
    harness.pass(10_000)
    #expect(harness.effects() == [.kill(worker: 0)])
  }

  @Test("invalid output is counted and logged once, and much of it ends the process")
  func faults() {
    var harness = SupervisorHarness { $0.faultsMax = 5 }
    harness.start()
    for line in ["hello", "[]", "{}", "{\"id\":7,\"output\":1}"] { harness.say(line) }
    #expect(harness.effects() == [.log(isWarning: true, "worker 0 sent a line that is not a JSON object")])
    #expect(harness.supervisor.faultCount == 4)
    harness.hello()
    #expect(harness.effects() == [.kill(worker: 0)])
    // Output left in its pipe is ignored.
    harness.say("{\"id\":1,\"output\":1}")
    #expect(harness.effects().isEmpty)
  }

  @Test("a process cannot answer another process's request")
  func foreignID() {
    var harness = SupervisorHarness { $0.workerCount = 2 }
    harness.start()
    harness.ask(1)
    harness.ask(2)
    _ = harness.effects()
    harness.say("{\"id\":2,\"output\":\"mine\"}", 0)
    #expect(harness.outcomes().isEmpty)
    harness.say("{\"id\":2,\"output\":\"right\"}", 1)
    #expect(harness.outcomes() == [2: .output(.string("right"))])
  }

  @Test("a process that never answers is ended some time after its requests timed out")
  func hangs() {
    var harness = SupervisorHarness()
    harness.start()
    harness.ask(1, milliseconds: 1_000)
    harness.pass(1_000)
    #expect(harness.outcomes() == [1: .late])
    harness.pass(9_999)
    #expect(harness.effects().isEmpty)
    harness.pass(1)
    #expect(harness.effects() == [.kill(worker: 0)])
  }

  @Test("a draining plugin answers its requests, accepts no others, and stops when the last process has ended")
  func drain() {
    var harness = SupervisorHarness()
    harness.start()
    harness.ask(1)
    _ = harness.effects()
    harness.supervisor.drain(now: harness.now)
    #expect(harness.effects() == [.send(worker: 0, Array("{\"drain\":{}}\n".utf8))])
    harness.ask(2)
    #expect(harness.outcomes() == [2: .down])
    harness.say("{\"id\":1,\"output\":1}")
    #expect(harness.effects() == [.finish(1, .output(.int(1))), .close(worker: 0)])
    #expect(harness.supervisor.health == .draining)
    harness.end(0, "with code 0")
    #expect(harness.supervisor.health == .stopped)
    #expect(harness.effects().isEmpty)
  }

  @Test("a drain that takes too long, and a process that does not end, are ended by force")
  func drainDeadline() {
    var harness = SupervisorHarness()
    harness.start()
    harness.ask(1, milliseconds: 100_000)
    harness.supervisor.drain(now: harness.now)
    _ = harness.effects()
    harness.pass(15_000)
    #expect(harness.effects().last == .kill(worker: 0))
    harness.end()
    #expect(harness.outcomes() == [1: .died])
    #expect(harness.supervisor.health == .stopped)

    var idle = SupervisorHarness()
    idle.start()
    idle.supervisor.drain(now: idle.now)
    #expect(idle.effects().last == .close(worker: 0))
    idle.pass(2_000)
    #expect(idle.effects().last == .kill(worker: 0))
  }

  @Test("a plugin that cannot be started is retried, and can be drained meanwhile")
  func cannotStart() {
    var harness = SupervisorHarness()
    harness.supervisor.start(now: harness.now)
    _ = harness.effects()
    harness.supervisor.failedToStart(0, "no such file", now: harness.now)
    guard case .log(true, let text)? = harness.effects().first else { return #expect(Bool(false)) }
    #expect(text.contains("could not be started: no such file"))
    harness.supervisor.drain(now: harness.now)
    #expect(harness.supervisor.health == .stopped)
    #expect(harness.supervisor.nextStart == nil)
  }
}
