import HearthAccounts
import HearthBytes
import HearthCrypto
import HearthTree
import HearthWire
import NIOCore
import NIOEmbedded
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthTransport

/// Tests of a long-poll session with a simulated clock.
@Suite struct LongPollTransportTests {
  /// A delegate that records messages.
  private final class Conversation: TransportDelegate {
    var received: [String] = []
    var end: SocketEnd?
    var finishes = 0
    /// The message at which the delegate closes the transport; nil for none.
    var endsAt: String?
    var transport: (any ClientTransport)?

    func open(over transport: any ClientTransport) {
      self.transport = transport
      say("hello")
    }
    func received(_ message: UnsafeRawBufferPointer) {
      received.append(String(decoding: message, as: UTF8.self))
      if received.last == endsAt { transport?.close(code: 1008, reason: "") }
    }
    func finish() { finishes += 1 }
    func ended(_ end: SocketEnd) { self.end = end }

    func say(_ text: String) {
      transport?.send(OutboundMessage(text: Array("\"\(text)\"".utf8)))
      transport?.flush()
    }
  }

  private final class Answer {
    var script: String?
  }

  private final class Fixture {
    let eventLoop = EmbeddedEventLoop()
    let loop: TransportLoop
    let directory: PollDirectory
    let conversation = Conversation()
    let transport: PollTransport
    let start = Answer()
    private var serial = 0
    private var number = 0

    init(memory: ClientMemory = .ofTest(), _ change: (inout PollLimits) -> Void = { _ in }) throws {
      var limits = PollLimits()
      change(&limits)
      loop = TransportLoop(eventLoop: eventLoop, index: 0, memory: memory)
      loop.start()
      directory = PollDirectory(limits: limits)
      let session = PollSession(id: "5", password: "secret")
      transport = PollTransport(session, loop: loop, directory: directory)
      #expect(insert(entry("192.0.2.1", presence: transport.presence), "5"))
      transport.start(conversation, callback: "3") { [start] in start.script = String(buffer: $0) }
    }

    /// Returns a directory entry of the session with a client's address.
    func entry(_ address: String, presence: PollPresence? = nil) -> PollDirectory.Entry {
      PollDirectory.Entry(
        loop: eventLoop, transport: NIOLoopBound(transport, eventLoop: eventLoop), network: ClientNetwork(address),
        presence: presence ?? PollPresence(at: eventLoop.now))
    }

    /// Adds an entry; returns false when there was no free place.
    func insert(_ entry: PollDirectory.Entry, _ id: String) -> Bool {
      if case .admitted = directory.insert(entry, as: id, at: eventLoop.now) { true } else { false }
    }

    /// Starts a poll that sends messages.
    func poll(_ messages: String..., serial given: Int? = nil) -> Answer {
      serial += 1
      let answer = Answer()
      let pieces = messages.map { message -> PollPiece in
        defer { number += 1 }
        return PollPiece(number: number, count: 1, text: Array(Base64URL.encode(Array(message.utf8)).utf8))
      }
      transport.receive(.init(serial: String(given ?? serial), pieces: pieces)) {
        #expect(answer.script == nil, "a request is answered once")
        answer.script = String(buffer: $0)
      }
      eventLoop.run()
      return answer
    }

    func pass(seconds: Int64) { eventLoop.advanceTime(by: .seconds(seconds)) }

    func isOver() -> Bool { directory.count == 0 && loop.connectionCount == 0 && loop.memory.heldBytes == 0 }
  }

  private static let prelude = """
    function pLPCommand(c,a1,a2,a3,a4){
    parent.window["pLPCommand3"]&&parent.window["pLPCommand3"](c,a1,a2,a3,a4);
    }
    function pRTLPCB(pN,data){
    parent.window["pRTLPCB3"]&&parent.window["pRTLPCB3"](pN,data);
    }
    pLPCommand('start','5','secret');

    """

  @Test("the first answer brings the functions, the session and the hello")
  func start() throws {
    let test = try Fixture()
    #expect(test.start.script == Self.prelude + "pRTLPCB(0,[\"hello\"]);\n")
  }

  @Test("a poll is answered at once when something waits, and else when something comes")
  func polls() throws {
    let test = try Fixture()
    test.conversation.say("a")
    test.conversation.say("b")
    #expect(test.poll().script == "pRTLPCB(1,[\"a\",\"b\"]);\n")
    let held = test.poll()
    #expect(held.script == nil)
    test.conversation.say("c")
    #expect(held.script == "pRTLPCB(2,[\"c\"]);\n")
  }

  @Test("a new poll has the one before it answered at once, and what it says is heard")
  func twoPolls() throws {
    let test = try Fixture()
    let first = test.poll()
    let second = test.poll("x", "y")
    #expect(first.script == "pRTLPCB(1,[]);\n" && second.script == nil)
    #expect(test.conversation.received == ["x", "y"] && test.conversation.finishes == 2)
    test.conversation.say("a")
    #expect(second.script == "pRTLPCB(2,[\"a\"]);\n")
  }

  @Test("a request that comes again has the same answer, and spends no number")
  func repeatedRequests() throws {
    let test = try Fixture()
    let lost = test.poll(serial: 50)
    let again = test.poll(serial: 50)
    #expect(lost.script == "" && again.script == nil)
    test.conversation.say("a")
    #expect(again.script == "pRTLPCB(1,[\"a\"]);\n")
    #expect(test.poll(serial: 50).script == "pRTLPCB(1,[\"a\"]);\n")
    test.conversation.say("b")
    #expect(test.poll(serial: 51).script == "pRTLPCB(2,[\"b\"]);\n")
  }

  @Test("a poll that waits is answered with nothing before clients and proxies give it up")
  func holding() throws {
    let test = try Fixture()
    for number in 1...5 {
      let poll = test.poll()
      test.pass(seconds: 19)
      #expect(poll.script == nil)
      test.pass(seconds: 1)
      #expect(poll.script == "pRTLPCB(\(number),[]);\n")
    }
    #expect(test.conversation.end == nil)
  }

  @Test("a client that does not poll for a minute is gone")
  func silence() throws {
    let test = try Fixture()
    test.pass(seconds: 40)
    #expect(test.poll().script == nil)
    test.conversation.say("a")
    test.pass(seconds: 59)
    #expect(test.conversation.end == nil)
    test.pass(seconds: 1)
    guard case .silent? = test.conversation.end else {
      Issue.record("\(String(describing: test.conversation.end))")
      return
    }
    #expect(test.isOver())
  }

  @Test("closing tells what waits and the number of the last answer")
  func closing() throws {
    let test = try Fixture()
    let held = test.poll()
    test.conversation.transport?.send(OutboundMessage(text: Array("1".utf8)))
    test.conversation.transport?.close(code: 1000, reason: "")
    #expect(held.script == "pLPCommand('close',1);\npRTLPCB(1,[1]);\n")
    #expect(test.conversation.end == nil, "not within the call")
    test.eventLoop.run()
    #expect(test.conversation.end?.isClean == true && test.isOver())
  }

  @Test("without a poll to tell, the end waits for one, and not for ever")
  func lateClosing() throws {
    for seconds in [9, 10] as [Int64] {
      let test = try Fixture()
      test.conversation.say("a")
      test.conversation.transport?.close(code: 1000, reason: "")
      test.eventLoop.run()
      #expect(test.conversation.end?.isClean == true)
      test.pass(seconds: seconds)
      #expect(test.isOver() == (seconds == 10))
      let isTold = test.poll().script == "pLPCommand('close',1);\npRTLPCB(1,[\"a\"]);\n"
      #expect(isTold == (seconds == 9))
      #expect(test.isOver())
    }
  }

  @Test("a client that goes on elsewhere is told the end of this transport, and the conversation lives on")
  func retiring() throws {
    let test = try Fixture()
    let held = test.poll()
    test.transport.retire()
    test.eventLoop.run()
    #expect(held.script == "pLPCommand('close',1);\npRTLPCB(1,[{\"t\":\"c\",\"d\":{\"t\":\"n\",\"d\":{}}}]);\n")
    #expect(test.conversation.end == nil && test.isOver())
  }

  @Test("a page that leaves ends the session")
  func disconnecting() throws {
    let test = try Fixture()
    let held = test.poll()
    test.transport.disconnect()
    test.eventLoop.run()
    #expect(held.script == "pLPCommand('close');\n")
    #expect(test.conversation.end?.isClean == true && test.isOver())
  }

  @Test("a server that stops answers the polls")
  func shutdown() throws {
    let test = try Fixture()
    let held = test.poll()
    test.loop.shutDown()
    test.eventLoop.run()
    #expect(held.script == "pLPCommand('close',1);\npRTLPCB(1,[]);\n" && test.isOver())
  }

  @Test("while nothing more is to be read, messages wait, and keep their order")
  func backPressure() throws {
    let test = try Fixture()
    test.transport.setReading(false)
    _ = test.poll("x", "y")
    #expect(test.conversation.received.isEmpty && test.loop.memory.heldBytes == 2)
    test.transport.setReading(true)
    #expect(test.conversation.received.isEmpty, "not within the call")
    test.eventLoop.run()
    _ = test.poll("z")
    #expect(test.conversation.received == ["x", "y", "z"] && test.loop.memory.heldBytes == 0)
  }

  @Test("a poll that brings much gives way after a turn, and what it says is handled in order")
  func turns() throws {
    let test = try Fixture()
    let count = test.loop.limits.turnMessagesMax
    let texts = (0..<2 * count + 1).map { "\($0)" }
    let pieces = texts.enumerated().map { number, text in
      PollPiece(number: number, count: 1, text: Array(Base64URL.encode(Array(text.utf8)).utf8))
    }
    test.transport.receive(.init(serial: "1", pieces: pieces)) { _ in }
    #expect(test.conversation.received == Array(texts.prefix(count)) && test.loop.memory.heldBytes > 0)
    test.eventLoop.run()
    #expect(test.conversation.received == texts && test.loop.memory.heldBytes == 0)
  }

  @Test("while a session is not read, the connections that bring its polls rest")
  func rest() throws {
    let test = try Fixture()
    #expect(test.transport.restMilliseconds == 0)
    test.transport.setReading(false)
    #expect(test.transport.restMilliseconds == 100)
    test.transport.setReading(true)
    #expect(test.transport.restMilliseconds == 0)
  }

  @Test("a client that takes too little of what it is told is given up")
  func slowConsumer() throws {
    let test = try Fixture { $0.waitingBytesMax = 20 }
    test.conversation.say("a message of more than twenty bytes is taken")
    test.conversation.say("0123456789012345")
    #expect(test.conversation.end == nil)
    test.conversation.say("0")
    test.eventLoop.run()
    guard case .slowConsumer? = test.conversation.end else {
      Issue.record("\(String(describing: test.conversation.end))")
      return
    }
    #expect(test.isOver())
  }

  @Test("what is no message ends the session, and what is not finished does in time")
  func violations() throws {
    let test = try Fixture()
    let answer = Answer()
    test.transport.receive(.init(serial: "1", pieces: [PollPiece(number: 0, count: 1, text: [1])])) {
      answer.script = String(buffer: $0)
    }
    test.eventLoop.run()
    #expect(answer.script == "pLPCommand('close');\n" && test.conversation.end?.isClean == false && test.isOver())

    let slow = try Fixture()
    slow.transport.receive(.init(serial: "1", pieces: [PollPiece(number: 0, count: 2, text: [65])])) { _ in }
    #expect(slow.loop.memory.heldBytes == 1)
    for _ in 0..<11 {
      slow.pass(seconds: 10)
      _ = slow.poll()
    }
    #expect(slow.conversation.end == nil)
    slow.pass(seconds: 10)
    slow.eventLoop.run()
    #expect(slow.conversation.end?.isClean == false && slow.isOver())
  }

  @Test("when too much is held for all clients, the session with the largest unfinished message ends, not the newest")
  func unfinishedBound() throws {
    let memory = ClientMemory.ofTest(heldBytesMax: 3000)
    func begin(_ test: Fixture, _ bytes: Int) -> Answer {
      let answer = Answer()
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

  @Test("messages that wait for a poll count, and a large one once for all sessions")
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

  @Test("there are so many sessions and no more")
  func sessionLimit() throws {
    let test = try Fixture { $0.sessionsMax = 1 }
    let entry = test.entry("192.0.2.1")
    #expect(!test.insert(entry, "6"))
    #expect(!test.insert(test.entry("192.0.2.2"), "6"))
    test.transport.disconnect()
    #expect(test.insert(entry, "6"))
    test.directory.remove("6")
  }

  @Test("one network gets half of what is free, so that it cannot have all sessions")
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

  @Test("where a network has its share, a new session takes the place of the one that has rested longest")
  func restingSessions() throws {
    let test = try Fixture { $0.sessionsMax = 8 }
    let polled = (0..<3).map { _ in PollPresence(at: test.eventLoop.now) }
    for (index, presence) in polled.enumerated() {
      presence.asked(nil, at: test.eventLoop.now)
      #expect(test.insert(test.entry("192.0.2.1", presence: presence), "p\(index)"))
    }
    // The first session of the test has a poll in progress as well.
    let poll = test.poll()
    /// Returns which entry the new one replaces: one of the three, or another.
    func newcomer(_ id: String) -> String {
      switch test.directory.insert(test.entry("192.0.2.1"), as: id, at: test.eventLoop.now) {
      case .admitted: "nobody's"
      case .replacing(let other): polled.firstIndex { $0 === other.presence }.map { "p\($0)" } ?? "another's"
      case .refused: "refused"
      }
    }
    test.pass(seconds: 5)
    #expect(newcomer("n") == "refused", "all of them have somebody who waits")
    polled[1].answered(at: test.eventLoop.now)
    test.pass(seconds: 2)
    #expect(newcomer("n") == "refused", "the next poll may be on its way")
    polled[2].answered(at: test.eventLoop.now)
    test.pass(seconds: 1)
    #expect(newcomer("n") == "p1")
    #expect(test.directory.count == 4 && test.directory.find("p1") == nil && test.directory.find("n") != nil)
    // An aborted poll does not count as waiting, although it is unanswered.
    let gone = Abandonment()
    polled[0].asked(gone, at: test.eventLoop.now)
    gone.declare()
    test.pass(seconds: 3)
    #expect(newcomer("o") == "p2")
    #expect(Set([newcomer("q"), newcomer("r")]) == ["p0", "another's"])
    #expect(newcomer("s") == "refused" && poll.script == nil)
    #expect(test.directory.find("5") != nil)
  }

  @Test("a network without a session gets the place of another's that rests")
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

  @Test("a session that gave its place away is over for its client")
  func givingWay() throws {
    let test = try Fixture()
    test.transport.giveWay()
    test.eventLoop.run()
    #expect(test.isOver() && test.conversation.end?.isClean == false)
    #expect(test.poll().script?.contains("pLPCommand('close'") == true)
  }

  @Test("what a message ends while others wait to be read counts for nothing any more")
  func endingWhileReading() throws {
    let test = try Fixture()
    test.conversation.transport?.setReading(false)
    _ = test.poll("1", "end", "3")
    _ = test.poll()
    // The end of this message never comes.
    let started = PollPiece(number: 3, count: 2, text: Array("AAAA".utf8))
    test.transport.receive(.init(serial: "900", pieces: [started])) { _ in }
    #expect(test.loop.memory.heldBytes > 4)
    test.conversation.endsAt = "end"
    test.conversation.transport?.setReading(true)
    test.eventLoop.run()
    #expect(test.conversation.received == ["1", "end"])
    #expect(test.isOver())
  }
}
