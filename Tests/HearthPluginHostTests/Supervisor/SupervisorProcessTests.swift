import HearthPlugin
import Testing

@testable import HearthPluginHost

@Suite struct SupervisorProcessTests {
  @Test("a process that ends fails only its own requests, and is restarted")
  func death() {
    var bench = SupervisorBench { $0.workerCount = 2 }
    bench.start()
    bench.ask(1)
    bench.ask(2)
    _ = bench.effects()
    bench.end(0, "by signal 9")
    var effects = bench.effects()
    #expect(effects.removeFirst() == .finish(1, .died))
    #expect(effects.count == 1)
    bench.say("{\"id\":2,\"output\":1}", 1)
    #expect(bench.outcomes() == [2: .output(.int(1))])
    #expect(bench.supervisor.health == .running)
    bench.pass(130)
    #expect(bench.effects() == [.start(worker: 0)])
    #expect(bench.supervisor.restartCount == 1)
  }

  @Test("the wait before a restart doubles with each crash, varied by a fifth, up to its limit")
  func backOff() throws {
    var bench = SupervisorBench { $0.crashesMax = 100 }
    bench.supervisor.start(now: bench.now)
    var expected: Int64 = 100
    for _ in 0..<12 {
      bench.end()
      let wait = try #require(bench.supervisor.nextStart) - bench.now
      #expect(abs(wait - expected) <= expected / 5)
      bench.pass(wait)
      expected = min(expected * 2, 30_000)
    }
  }

  @Test("after many crashes the plugin is disabled, its requests fail at once, and a start restores it")
  func quarantine() {
    var bench = SupervisorBench { $0.crashesMax = 3 }
    bench.supervisor.start(now: bench.now)
    bench.ask(1, milliseconds: 1_000_000)
    for _ in 0..<3 {
      bench.end()
      if let start = bench.supervisor.nextStart { bench.pass(start - bench.now) }
    }
    guard case .quarantined(let reason) = bench.supervisor.health else {
      Issue.record("\(bench.supervisor.health)")
      return
    }
    #expect(reason.contains("ended with code 1"))
    #expect(bench.outcomes()[1] == .down)
    bench.ask(2)
    #expect(bench.outcomes() == [2: .down])
    bench.pass(1_000_000)
    #expect(bench.effects().isEmpty)
    bench.supervisor.start(now: bench.now)
    #expect(bench.effects() == [.start(worker: 0)])
  }

  @Test("crashes that are far apart do not disable the plugin")
  func rareCrashes() {
    var bench = SupervisorBench { $0.crashesMax = 3 }
    bench.start()
    for _ in 0..<20 {
      bench.pass(200_000)
      bench.end()
      if let start = bench.supervisor.nextStart { bench.pass(start - bench.now) }
      bench.hello()
    }
    #expect(bench.supervisor.health == .running)
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
    var bench = SupervisorBench()
    bench.supervisor.start(now: bench.now)
    _ = bench.effects()
    bench.say(line)
    #expect(bench.effects() == [.kill(worker: 0)])
    #expect(bench.supervisor.health == .starting)
  }

  @Test("a process without a timely hello is ended")
  func noHello() {
    var bench = SupervisorBench()
    bench.supervisor.start(now: bench.now)
    _ = bench.effects()
    bench.pass(10_000)
    #expect(bench.effects() == [.kill(worker: 0)])
  }

  @Test("invalid output is counted and logged once, and much of it ends the process")
  func faults() {
    var bench = SupervisorBench { $0.faultsMax = 5 }
    bench.start()
    for line in ["hello", "[]", "{}", "{\"id\":7,\"output\":1}"] { bench.say(line) }
    #expect(bench.effects() == [.log(isWarning: true, "worker 0 sent a line that is no JSON object")])
    #expect(bench.supervisor.faultCount == 4)
    bench.hello()
    #expect(bench.effects() == [.kill(worker: 0)])
    // Output left in its pipe is ignored.
    bench.say("{\"id\":1,\"output\":1}")
    #expect(bench.effects().isEmpty)
  }

  @Test("a process cannot answer another process's request")
  func foreignID() {
    var bench = SupervisorBench { $0.workerCount = 2 }
    bench.start()
    bench.ask(1)
    bench.ask(2)
    _ = bench.effects()
    bench.say("{\"id\":2,\"output\":\"mine\"}", 0)
    #expect(bench.outcomes().isEmpty)
    bench.say("{\"id\":2,\"output\":\"right\"}", 1)
    #expect(bench.outcomes() == [2: .output(.string("right"))])
  }

  @Test("a process that never answers is ended some time after its requests timed out")
  func hangs() {
    var bench = SupervisorBench()
    bench.start()
    bench.ask(1, milliseconds: 1_000)
    bench.pass(1_000)
    #expect(bench.outcomes() == [1: .late])
    bench.pass(9_999)
    #expect(bench.effects().isEmpty)
    bench.pass(1)
    #expect(bench.effects() == [.kill(worker: 0)])
  }

  @Test("a draining plugin answers its requests, accepts no others, and stops when the last process has ended")
  func drain() {
    var bench = SupervisorBench()
    bench.start()
    bench.ask(1)
    _ = bench.effects()
    bench.supervisor.drain(now: bench.now)
    #expect(bench.effects() == [.send(worker: 0, Array("{\"drain\":{}}\n".utf8))])
    bench.ask(2)
    #expect(bench.outcomes() == [2: .down])
    bench.say("{\"id\":1,\"output\":1}")
    #expect(bench.effects() == [.finish(1, .output(.int(1))), .close(worker: 0)])
    #expect(bench.supervisor.health == .draining)
    bench.end(0, "with code 0")
    #expect(bench.supervisor.health == .stopped)
    #expect(bench.effects().isEmpty)
  }

  @Test("a drain that takes too long, and a process that does not end, are ended by force")
  func drainDeadline() {
    var bench = SupervisorBench()
    bench.start()
    bench.ask(1, milliseconds: 100_000)
    bench.supervisor.drain(now: bench.now)
    _ = bench.effects()
    bench.pass(15_000)
    #expect(bench.effects().last == .kill(worker: 0))
    bench.end()
    #expect(bench.outcomes() == [1: .died])
    #expect(bench.supervisor.health == .stopped)

    var idle = SupervisorBench()
    idle.start()
    idle.supervisor.drain(now: idle.now)
    #expect(idle.effects().last == .close(worker: 0))
    idle.pass(2_000)
    #expect(idle.effects().last == .kill(worker: 0))
  }

  @Test("a plugin that cannot be started is retried, and can be drained meanwhile")
  func cannotStart() {
    var bench = SupervisorBench()
    bench.supervisor.start(now: bench.now)
    _ = bench.effects()
    bench.supervisor.failedToStart(0, "no such file", now: bench.now)
    guard case .log(true, let text)? = bench.effects().first else { return #expect(Bool(false)) }
    #expect(text.contains("could not be started: no such file"))
    bench.supervisor.drain(now: bench.now)
    #expect(bench.supervisor.health == .stopped)
    #expect(bench.supervisor.nextStart == nil)
  }
}
