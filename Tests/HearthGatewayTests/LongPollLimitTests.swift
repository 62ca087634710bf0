import HearthAccounts
import HearthTree
import HearthWire
import NIOCore
import NIOEmbedded
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthTransport

/// Tests of the limits of long-poll sessions: memory, the number of all sessions, and the number of one network's.
@Suite struct LongPollLimitTests {
  private typealias Fixture = LongPollFixture

  @Test("when all sessions together buffer too much, the one with the largest unfinished message ends")
  func unfinishedBound() throws {
    let memory = ClientMemory.ofTest(heldBytesMax: 3000)
    func begin(_ test: Fixture, _ bytes: Int) -> Fixture.Answer {
      let answer = Fixture.Answer()
      let piece = PollPiece(number: 0, count: 2, text: [UInt8](repeating: 65, count: bytes))
      test.transport.receive(.init(serial: "900", pieces: [piece])) { answer.script = String(buffer: $0) }
      return answer
    }
    let (large, small) = (try Fixture(memory: memory), try Fixture(memory: memory))
    let given = begin(large, 2500)
    #expect(memory.heldBytes == 2500)
    _ = begin(small, 600)
    for test in [large, small] { test.eventLoop.run() }
    #expect(given.script == "pLPCommand('close');\n" && large.directory.count == 0)
    #expect(small.conversation.end == nil && memory.heldBytes == 600)
    small.transport.disconnect()
    #expect(memory.heldBytes == 0 && memory.holderCount == 0)
  }

  @Test("messages that wait for a poll count as memory, and a large one counts once for all sessions")
  func waitingBound() throws {
    let memory = ClientMemory.ofTest()
    let (first, second) = (try Fixture(memory: memory), try Fixture(memory: memory))
    // More than is kept for a repeated poll.
    let node = Node(.string(String(repeating: "x", count: 20_000)))
    let message = OutboundMessage(.push(.put(path: .root, node: node, tag: nil)), in: memory)
    let size = memory.heldBytes
    #expect(size > 20_000)
    for test in [first, second] {
      test.conversation.transport?.send(message)
      test.pass(seconds: 1)
    }
    #expect(memory.heldBytes == size && memory.holderCount == 2)
    for test in [first, second] {
      #expect(test.poll().script?.contains("xxx") == true)
      test.pass(seconds: 1)
    }
    #expect(memory.holderCount == 0)
  }

  @Test("the number of sessions is bounded")
  func sessionLimit() throws {
    let test = try Fixture { $0.sessionsMax = 1 }
    let entry = test.entry("192.0.2.1")
    #expect(!test.insert(entry, "6"))
    #expect(!test.insert(test.entry("192.0.2.2"), "6"))
    test.transport.disconnect()
    #expect(test.insert(entry, "6"))
    test.directory.remove("6")
  }

  @Test("one network gets half of the free sessions")
  func sessionShares() throws {
    let test = try Fixture { $0.sessionsMax = 16 }
    func fill(_ address: String, _ name: String) -> Int {
      (0..<20).count { test.insert(test.entry(address), "\(name)\($0)") }
    }
    #expect(fill("192.0.2.1", "a") == 7, "beside the first session of the test")
    #expect(fill("::ffff:192.0.2.1", "b") == 0)
    #expect(fill("2001:db8::1", "c") == 4)
    #expect(fill("2001:db8::2", "d") == 0, "one customer of a provider")
    #expect(fill("2001:db8:0:1::2", "e") == 2)
    for number in 0..<20 { test.directory.remove("a\(number)") }
    #expect(fill("192.0.2.1", "f") == 4)
  }

  @Test("all networks of a /48 together leave others their half")
  func sessionSharesOfProviders() throws {
    let test = try Fixture { $0.sessionsMax = 400 }
    var taken = 0
    for network in 0..<400 where test.insert(test.entry("2001:db8:1:\(network)::1"), "a\(network)") { taken += 1 }
    #expect(taken >= 290 && taken <= 300)
    #expect((0..<200).count { test.insert(test.entry("198.51.100.1"), "b\($0)") } >= 49)
  }

  @Test("when a network's share is used up, a new session replaces the network's longest idle one")
  func restingSessions() throws {
    let test = try Fixture { $0.sessionsMax = 8 }
    let polled = (0..<3).map { _ in PollPresence(at: test.eventLoop.now) }
    for (index, presence) in polled.enumerated() {
      presence.pollBegan(nil, at: test.eventLoop.now)
      #expect(test.insert(test.entry("192.0.2.1", presence: presence), "p\(index)"))
    }
    // The first session of the test has a poll in progress as well.
    let poll = test.poll()
    /// Returns the entry that the new one replaces: one of the three, or another.
    func newcomer(_ id: String) -> String {
      switch test.directory.insert(test.entry("192.0.2.1"), as: id, at: test.eventLoop.now) {
      case .admitted: "nobody's"
      case .replacing(let other): polled.firstIndex { $0 === other.presence }.map { "p\($0)" } ?? "another's"
      case .refused: "refused"
      }
    }
    test.pass(seconds: 5)
    #expect(newcomer("n") == "refused", "all of them have somebody who waits")
    polled[1].pollEnded(at: test.eventLoop.now)
    test.pass(seconds: 2)
    #expect(newcomer("n") == "refused", "the next poll may be on its way")
    polled[2].pollEnded(at: test.eventLoop.now)
    test.pass(seconds: 1)
    #expect(newcomer("n") == "p1")
    #expect(test.directory.count == 4 && test.directory.find("p1") == nil && test.directory.find("n") != nil)
    // An aborted poll does not count as waiting, although it is unanswered.
    let gone = RequestCancellation()
    polled[0].pollBegan(gone, at: test.eventLoop.now)
    gone.cancel()
    test.pass(seconds: 3)
    #expect(newcomer("o") == "p2")
    #expect(Set([newcomer("q"), newcomer("r")]) == ["p0", "another's"])
    #expect(newcomer("s") == "refused" && poll.script == nil)
    #expect(test.directory.find("5") != nil)
  }

  @Test("a network without a session gets the slot of another network's idle session")
  func restingStrangers() throws {
    let test = try Fixture { $0.sessionsMax = 2 }
    #expect(test.insert(test.entry("192.0.2.2"), "a"))
    #expect(!test.insert(test.entry("192.0.2.3"), "b"))
    test.pass(seconds: 3)
    guard case .replacing(let other) = test.directory.insert(test.entry("192.0.2.3"), as: "b", at: test.eventLoop.now)
    else {
      Issue.record("refused")
      return
    }
    #expect(["192.0.2.1", "192.0.2.2"].contains(other.network.text) && test.directory.count == 2)
  }

  @Test("a session that was replaced has ended for its client")
  func givingWay() throws {
    let test = try Fixture()
    test.transport.endForReplacement()
    test.eventLoop.run()
    #expect(test.isOver() && test.conversation.end?.isClean == false)
    #expect(test.poll().script?.contains("pLPCommand('close'") == true)
  }
}
