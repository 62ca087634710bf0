import HearthAccounts
import HearthBytes
import HearthWire
import NIOCore
import NIOEmbedded
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthTransport

/// A long-poll session with a simulated clock, and its client.
final class LongPollFixture {
  /// A delegate that records messages.
  final class Conversation: TransportDelegate {
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

  /// The answer to a request; its text is nil until the answer arrives.
  final class Answer {
    var script: String?
  }

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

  /// Returns a directory entry of the session, with a client's address.
  func entry(_ address: String, presence: PollPresence? = nil) -> PollDirectory.Entry {
    PollDirectory.Entry(
      loop: eventLoop, transport: NIOLoopBound(transport, eventLoop: eventLoop), network: ClientNetwork(address),
      presence: presence ?? PollPresence(at: eventLoop.now))
  }

  /// Adds an entry; returns false when there was no free slot.
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
