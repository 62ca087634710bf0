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
  private typealias Fixture = LongPollFixture

  private static let prelude = """
    function pLPCommand(c,a1,a2,a3,a4){
    parent.window["pLPCommand3"]&&parent.window["pLPCommand3"](c,a1,a2,a3,a4);
    }
    function pRTLPCB(pN,data){
    parent.window["pRTLPCB3"]&&parent.window["pRTLPCB3"](pN,data);
    }
    pLPCommand('start','5','secret');

    """

  @Test("the first answer has the script's functions, the session and the hello")
  func start() throws {
    let test = try Fixture()
    #expect(test.start.script == Self.prelude + "pRTLPCB(0,[\"hello\"]);\n")
  }

  @Test("a poll is answered at once when a message is pending, else when one arrives")
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

  @Test("a new poll ends the one before it, and its messages are handled")
  func twoPolls() throws {
    let test = try Fixture()
    let first = test.poll()
    let second = test.poll("x", "y")
    #expect(first.script == "pRTLPCB(1,[]);\n" && second.script == nil)
    #expect(test.conversation.received == ["x", "y"] && test.conversation.finishes == 2)
    test.conversation.say("a")
    #expect(second.script == "pRTLPCB(2,[\"a\"]);\n")
  }

  @Test("a repeated request has the same answer, and uses no further number")
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

  @Test("an idle poll is answered empty before clients and proxies time out")
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

  @Test("a client that does not poll for a minute is disconnected")
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

  @Test("closing sends the pending messages and the number of the last response")
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

  @Test("without a poll the end of the session waits for one, for a limited time")
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

  @Test("a client that switches transports is notified of the end of this one, and its session continues")
  func retiring() throws {
    let test = try Fixture()
    let held = test.poll()
    test.transport.retire()
    test.eventLoop.run()
    #expect(held.script == "pLPCommand('close',1);\npRTLPCB(1,[{\"t\":\"c\",\"d\":{\"t\":\"n\",\"d\":{}}}]);\n")
    #expect(test.conversation.end == nil && test.isOver())
  }

  @Test("a page's unload request ends the session")
  func disconnecting() throws {
    let test = try Fixture()
    let held = test.poll()
    test.transport.disconnect()
    test.eventLoop.run()
    #expect(held.script == "pLPCommand('close');\n")
    #expect(test.conversation.end?.isClean == true && test.isOver())
  }

  @Test("a server that stops answers the pending polls")
  func shutdown() throws {
    let test = try Fixture()
    let held = test.poll()
    test.loop.shutDown()
    test.eventLoop.run()
    #expect(held.script == "pLPCommand('close',1);\npRTLPCB(1,[]);\n" && test.isOver())
  }

  @Test("while reading is paused, messages wait in order")
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

  @Test("a poll with many messages yields after a turn, and they are handled in order")
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

  @Test("while a session is not read, the connections of its polls are not read either")
  func rest() throws {
    let test = try Fixture()
    #expect(test.transport.readPauseMilliseconds == 0)
    test.transport.setReading(false)
    #expect(test.transport.readPauseMilliseconds == 100)
    test.transport.setReading(true)
    #expect(test.transport.readPauseMilliseconds == 0)
  }

  @Test("a client that reads too slowly is disconnected")
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

  @Test("an invalid message ends the session, and so does an unfinished one in time")
  func violations() throws {
    let test = try Fixture()
    let answer = Fixture.Answer()
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

  @Test("messages after one that ends the session are ignored")
  func endingWhileReading() throws {
    let test = try Fixture()
    test.conversation.transport?.setReading(false)
    _ = test.poll("1", "end", "3")
    _ = test.poll()
    // The rest of this message never arrives.
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
