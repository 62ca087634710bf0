import HearthPlugin
import HearthTree
import Testing

@testable import HearthPluginHost

@Suite struct SupervisorRequestTests {
  @Test("a request before the hello waits and is sent after it")
  func waitsForHello() throws {
    var bench = SupervisorBench()
    bench.supervisor.start(now: bench.now)
    #expect(bench.effects() == [.start(worker: 0)])
    bench.ask(1)
    #expect(bench.effects().isEmpty)
    bench.hello()
    let line = "{\"id\":1,\"hook\":\"exchange\",\"deadlineMilliseconds\":5000,\"input\":{}}\n"
    #expect(bench.effects() == [.send(worker: 0, Array(line.utf8))])
    #expect(bench.supervisor.health == .running)
  }

  @Test("answers in any order reach their requests; unknown members are ignored")
  func anyOrder() {
    var bench = SupervisorBench()
    bench.start()
    for id: UInt64 in 1...3 { bench.ask(id) }
    bench.say("{\"id\":3,\"output\":{\"a\":1},\"new\":true}")
    bench.say("{\"future\":1,\"id\":1,\"error\":{\"message\":\"no\",\"isTemporary\":true,\"more\":[]}}")
    #expect(
      bench.outcomes() == [
        3: .output(.object([.init("a", .int(1))])), 1: .failed(PluginFailure("no", isTemporary: true)),
      ])
    #expect(bench.supervisor.pendingRequests.keys.sorted() == [2])
  }

  @Test(
    "revocations of a plugin that verifies tokens are passed on at any time after the hello, and of no other plugin")
  func revocations() {
    var bench = SupervisorBench(hooks: [.verifyToken])
    bench.supervisor.start(now: bench.now)
    let said = "{\"revoke\":{\"uids\":[\"u\"]}}"
    bench.say(said)
    #expect(bench.supervisor.faultCount == 1)
    bench.hello(hooks: "\"verifyToken\"")
    _ = bench.effects()
    bench.say(said)
    #expect(bench.effects() == [.revoke(TokenRevocation(uids: ["u"]))])
    bench.supervisor.drain(now: bench.now)
    _ = bench.effects()
    bench.say(said)
    #expect(bench.effects() == [.revoke(TokenRevocation(uids: ["u"]))])
    var other = SupervisorBench()
    other.start()
    other.say(said)
    #expect(other.supervisor.faultCount == 1)
  }

  @Test("requests go to the process with the fewest, and wait when all are full")
  func spreads() {
    var bench = SupervisorBench {
      $0.workerCount = 2
      $0.inFlightPerWorkerMax = 1
    }
    bench.start()
    for id: UInt64 in 1...3 { bench.ask(id) }
    #expect(bench.supervisor.workers.map { $0.inFlight.keys.sorted() } == [[1], [2]])
    bench.say("{\"id\":2,\"output\":null}", 1)
    #expect(bench.supervisor.workers.map { $0.inFlight.keys.sorted() } == [[1], [3]])
  }

  @Test("with a full queue, in requests or in bytes, requests fail at once")
  func fullQueue() {
    var bench = SupervisorBench {
      $0.inFlightPerWorkerMax = 1
      $0.waitingMax = 2
    }
    bench.start()
    for id: UInt64 in 1...4 { bench.ask(id) }
    #expect(bench.outcomes() == [4: .overloaded])
    var small = SupervisorBench { $0.waitingBytesMax = 3 }
    small.supervisor.start(now: 0)
    small.ask(1)
    small.ask(2)
    #expect(small.outcomes() == [2: .overloaded])
  }

  @Test("a process that does not read gets no further requests")
  func unread() {
    var bench = SupervisorBench()
    bench.start()
    bench.supervisor.noteUnread(1 << 20, of: 0, now: bench.now)
    bench.ask(1)
    #expect(bench.effects().isEmpty)
    bench.supervisor.noteUnread(0, of: 0, now: bench.now)
    #expect(bench.effects().count == 1)
  }

  @Test("at its deadline a request fails, the plugin is told, and a late answer is not an error")
  func deadline() {
    var bench = SupervisorBench()
    bench.start()
    bench.ask(1, milliseconds: 100)
    _ = bench.effects()
    bench.pass(99)
    #expect(bench.effects().isEmpty)
    bench.pass(1)
    #expect(bench.effects() == [.send(worker: 0, Array("{\"cancel\":1}\n".utf8)), .finish(1, .late)])
    bench.say("{\"id\":1,\"output\":{}}")
    #expect(bench.effects().isEmpty)
    #expect(bench.supervisor.faultCount == 0)
    #expect(bench.supervisor.workers[0].inFlight.isEmpty)
  }

  @Test("a queued request fails at its deadline, too, and frees its slot")
  func deadlineWaiting() {
    var bench = SupervisorBench { $0.waitingMax = 1 }
    bench.supervisor.start(now: bench.now)
    bench.ask(1, milliseconds: 100)
    bench.pass(100)
    #expect(bench.outcomes() == [1: .late])
    bench.ask(2)
    #expect(bench.outcomes().isEmpty)
    bench.hello()
    #expect(bench.supervisor.workers[0].inFlight.keys.sorted() == [2])
  }

  @Test("a cancelled request gets no answer; the plugin is told of the cancellation")
  func abandoned() {
    var bench = SupervisorBench()
    bench.start()
    bench.ask(1)
    _ = bench.effects()
    bench.supervisor.abandon(1, now: bench.now)
    #expect(bench.effects() == [.send(worker: 0, Array("{\"cancel\":1}\n".utf8))])
  }

  @Test("requests cancelled in the queue leave no state")
  func churn() {
    var bench = SupervisorBench { $0.waitingMax = 4 }
    bench.supervisor.start(now: bench.now)
    for id: UInt64 in 1...10_000 {
      bench.ask(id)
      bench.supervisor.abandon(id, now: bench.now)
    }
    #expect(bench.outcomes().isEmpty)
    bench.ask(20_000)
    bench.hello()
    #expect(bench.supervisor.workers[0].inFlight.keys.sorted() == [20_000])
  }
}
