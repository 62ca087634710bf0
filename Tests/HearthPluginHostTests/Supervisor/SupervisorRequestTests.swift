import HearthPlugin
import HearthTree
import Testing

@testable import HearthPluginHost

@Suite struct SupervisorRequestTests {
  @Test("a request before the hello waits and is sent after it")
  func waitsForHello() throws {
    var harness = SupervisorHarness()
    harness.supervisor.start(now: harness.now)
    #expect(harness.effects() == [.start(worker: 0)])
    harness.ask(1)
    #expect(harness.effects().isEmpty)
    harness.hello()
    let line = "{\"id\":1,\"hook\":\"exchange\",\"deadlineMilliseconds\":5000,\"input\":{}}\n"
    #expect(harness.effects() == [.send(worker: 0, Array(line.utf8))])
    #expect(harness.supervisor.health == .running)
  }

  @Test("answers in any order reach their requests; unknown members are ignored")
  func anyOrder() {
    var harness = SupervisorHarness()
    harness.start()
    for id: UInt64 in 1...3 { harness.ask(id) }
    harness.say("{\"id\":3,\"output\":{\"a\":1},\"new\":true}")
    harness.say("{\"future\":1,\"id\":1,\"error\":{\"message\":\"no\",\"isTemporary\":true,\"more\":[]}}")
    #expect(
      harness.outcomes() == [
        3: .output(.object([.init("a", .int(1))])), 1: .failed(PluginFailure("no", isTemporary: true)),
      ])
    #expect(harness.supervisor.pendingRequests.keys.sorted() == [2])
  }

  @Test(
    "revocations of a plugin that verifies tokens are passed on at any time after the hello, and of no other plugin")
  func revocations() {
    var harness = SupervisorHarness(hooks: [.verifyToken])
    harness.supervisor.start(now: harness.now)
    let said = "{\"revoke\":{\"uids\":[\"u\"]}}"
    harness.say(said)
    #expect(harness.supervisor.faultCount == 1)
    harness.hello(hooks: "\"verifyToken\"")
    _ = harness.effects()
    harness.say(said)
    #expect(harness.effects() == [.revoke(TokenRevocation(uids: ["u"]))])
    harness.supervisor.drain(now: harness.now)
    _ = harness.effects()
    harness.say(said)
    #expect(harness.effects() == [.revoke(TokenRevocation(uids: ["u"]))])
    var other = SupervisorHarness()
    other.start()
    other.say(said)
    #expect(other.supervisor.faultCount == 1)
  }

  @Test("requests go to the process with the fewest, and wait when all are full")
  func spreads() {
    var harness = SupervisorHarness {
      $0.workerCount = 2
      $0.inFlightPerWorkerMax = 1
    }
    harness.start()
    for id: UInt64 in 1...3 { harness.ask(id) }
    #expect(harness.supervisor.workers.map { $0.inFlight.keys.sorted() } == [[1], [2]])
    harness.say("{\"id\":2,\"output\":null}", 1)
    #expect(harness.supervisor.workers.map { $0.inFlight.keys.sorted() } == [[1], [3]])
  }

  @Test("with a full queue, in requests or in bytes, requests fail at once")
  func fullQueue() {
    var harness = SupervisorHarness {
      $0.inFlightPerWorkerMax = 1
      $0.waitingMax = 2
    }
    harness.start()
    for id: UInt64 in 1...4 { harness.ask(id) }
    #expect(harness.outcomes() == [4: .overloaded])
    var small = SupervisorHarness { $0.waitingBytesMax = 3 }
    small.supervisor.start(now: 0)
    small.ask(1)
    small.ask(2)
    #expect(small.outcomes() == [2: .overloaded])
  }

  @Test("a process that does not read gets no further requests")
  func unread() {
    var harness = SupervisorHarness()
    harness.start()
    harness.supervisor.noteUnread(1 << 20, of: 0, now: harness.now)
    harness.ask(1)
    #expect(harness.effects().isEmpty)
    harness.supervisor.noteUnread(0, of: 0, now: harness.now)
    #expect(harness.effects().count == 1)
  }

  @Test("at its deadline a request fails, the plugin is told, and a late answer is not an error")
  func deadline() {
    var harness = SupervisorHarness()
    harness.start()
    harness.ask(1, milliseconds: 100)
    _ = harness.effects()
    harness.pass(99)
    #expect(harness.effects().isEmpty)
    harness.pass(1)
    #expect(harness.effects() == [.send(worker: 0, Array("{\"cancel\":1}\n".utf8)), .finish(1, .late)])
    harness.say("{\"id\":1,\"output\":{}}")
    #expect(harness.effects().isEmpty)
    #expect(harness.supervisor.faultCount == 0)
    #expect(harness.supervisor.workers[0].inFlight.isEmpty)
  }

  @Test("a queued request fails at its deadline, too, and frees its slot")
  func deadlineWaiting() {
    var harness = SupervisorHarness { $0.waitingMax = 1 }
    harness.supervisor.start(now: harness.now)
    harness.ask(1, milliseconds: 100)
    harness.pass(100)
    #expect(harness.outcomes() == [1: .late])
    harness.ask(2)
    #expect(harness.outcomes().isEmpty)
    harness.hello()
    #expect(harness.supervisor.workers[0].inFlight.keys.sorted() == [2])
  }

  @Test("a cancelled request gets no answer; the plugin is told of the cancellation")
  func abandoned() {
    var harness = SupervisorHarness()
    harness.start()
    harness.ask(1)
    _ = harness.effects()
    harness.supervisor.abandon(1, now: harness.now)
    #expect(harness.effects() == [.send(worker: 0, Array("{\"cancel\":1}\n".utf8))])
  }

  @Test("requests cancelled in the queue leave no state")
  func churn() {
    var harness = SupervisorHarness { $0.waitingMax = 4 }
    harness.supervisor.start(now: harness.now)
    for id: UInt64 in 1...10_000 {
      harness.ask(id)
      harness.supervisor.abandon(id, now: harness.now)
    }
    #expect(harness.outcomes().isEmpty)
    harness.ask(20_000)
    harness.hello()
    #expect(harness.supervisor.workers[0].inFlight.keys.sorted() == [20_000])
  }
}
