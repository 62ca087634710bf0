import HearthBytes
import HearthJournal
import RandomTestKit
import Testing

@testable import HearthCluster

/// Tests of messages between nodes: encoded ones can be decoded, and other bytes cannot.
@Suite struct LinkMessageTests {
  static let row = LogRow(
    [.takeover(Incarnation(node: NodeID("a"), number: 7)), .noop], after: JournalHead.empty, epoch: 3)
  static let origin = Origin(session: SessionID(rawValue: 1 << 63), request: 9, answered: 8)

  static let bodies: [PeerMessage] = [
    .pulse(stamp: MonotonicInstant(milliseconds: -5)),
    .beat(epoch: 3, head: row.head, stamp: .distantPast),
    .commits(row),
    .request(epoch: 3, ForwardedRequest(origin, .open(ordinal: 4, answered: 3))),
    .request(epoch: 3, ForwardedRequest(origin, .write([1, 2, 3]))),
    .request(epoch: 3, ForwardedRequest(origin, .get([]))),
    .request(epoch: 3, ForwardedRequest(origin, .close)),
    .answer(epoch: 3, origin.session, request: 9, .applied(position: 12, reply: [])),
    .answer(epoch: 3, origin.session, request: 9, .applied(position: 12, reply: [5])),
    .answer(epoch: 3, origin.session, request: 9, .refused(position: 12, reply: [4])),
    .answer(epoch: 3, origin.session, request: 9, .value([6], position: 12)),
    .answer(epoch: 3, origin.session, request: 9, .noSession),
    .answer(epoch: 3, origin.session, request: 9, .notOwner),
    .announce(epoch: 3, [origin.session, SessionID(rawValue: 2)]),
    .unknownSessions(epoch: 3, []),
    .handoff(epoch: 3),
  ]
  static let hello = LinkMessage.hello(
    Hello(cluster: 42, incarnation: Incarnation(node: NodeID("knoten-ä"), number: 7)))
  static let questions: [LinkMessage] =
    [.question(number: 1, []), .question(number: .max, [1, 2]), .reply(number: 1, .content([]))]
    + [.reply(number: .max, .content([3]))] + LinkRefusal.allCases.map { .reply(number: 2, .refused($0)) }
  static let messages = [hello, .heartbeat] + bodies.map { .database(DatabaseID(rawValue: 5), $0) } + questions

  @Test("every message is decoded as it was encoded, however its bytes are divided", arguments: [1, 3, 1_000])
  func roundTrip(size: Int) throws {
    let bytes = Self.messages.flatMap { $0.encoded(in: 2) }
    var (decoder, found): (LinkDecoder, [LinkMessage]) = (LinkDecoder(), [])
    for start in stride(from: 0, to: bytes.count, by: size) {
      decoder.append(bytes[start..<min(bytes.count, start + size)])
      while let message = try decoder.next() { found.append(message) }
    }
    #expect(found == Self.messages)
  }

  @Test("the bytes of messages, which are the same in all versions")
  func workedExample() {
    let hello = LinkMessage.hello(Hello(cluster: 2, incarnation: Incarnation(node: NodeID("a"), number: 7)))
    #expect(
      hello.encoded(in: 2) == [27, 0, 0, 0, 1] + Array("HRTH".utf8) + [1, 0, 2, 0] + [2, 0, 0, 0, 0, 0, 0, 0]
        + [1, 97, 7, 0, 0, 0, 0, 0, 0, 0])
    #expect(
      LinkMessage.database(DatabaseID(rawValue: 5), .handoff(epoch: 3)).encoded(in: 2)
        == [13, 0, 0, 0, 9, 5, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0])
    #expect(
      LinkMessage.question(number: 2, [7]).encoded(in: 2)
        == [14, 0, 0, 0, 13, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 7])
    #expect(
      LinkMessage.reply(number: 2, .refused(.crowded)).encoded(in: 2) == [10, 0, 0, 0, 14, 2, 0, 0, 0, 0, 0, 0, 0, 2])
  }

  @Test("truncated and overlong messages are refused", arguments: messages.indices)
  func lengths(index: Int) throws {
    let body = Array(Self.messages[index].encoded(in: 2).dropFirst(4))
    #expect(try LinkMessage(encoded: body[...]) == Self.messages[index])
    for length in 0..<body.count {
      #expect(throws: MalformedBytes.self) { try LinkMessage(encoded: body[..<length]) }
    }
    #expect(throws: MalformedBytes.self) { try LinkMessage(encoded: (body + [0])[...]) }
  }

  @Test("altered messages never trap")
  func altered() {
    var random = SeededRandom(seed: 1)
    for _ in 0..<3_000 {
      var body = Array(random.pick(Self.messages).encoded(in: 2).dropFirst(4))
      for _ in 0...random.below(3) { body[random.below(body.count)] = UInt8(random.below(256)) }
      guard let message = try? LinkMessage(encoded: body[...]) else { continue }
      #expect(Hello.versions.contains { Array(message.encoded(in: $0).dropFirst(4)) == body })
      if case .database(_, .commits(let row)) = message { _ = try? LogRecord.decode(row.batch) }
    }
  }

  @Test("positions and epochs that leave no room for a next number are refused")
  func bounds() {
    var row = Self.row
    row.batch.lastPosition = .max
    for body in [PeerMessage.commits(row), .handoff(epoch: .max), .handoff(epoch: -1), .handoff(epoch: .min)] {
      let bytes = LinkMessage.database(DatabaseID(rawValue: 1), body).encoded(in: 2).dropFirst(4)
      #expect(throws: MalformedBytes.self) { try LinkMessage(encoded: bytes) }
    }
  }

  @Test("the largest request and the largest answer fit into a message; a refusal of an unknown kind is invalid")
  func questionBounds() throws {
    let content = [UInt8](repeating: 7, count: ClusterLimits.questionBytesMax)
    var decoder = LinkDecoder()
    decoder.append(Self.hello.encoded(in: 2))
    #expect(try decoder.next() == Self.hello)
    for message in [LinkMessage.question(number: 1, content), .reply(number: 1, .content(content))] {
      decoder.append(message.encoded(in: 2))
      #expect(try decoder.next() == message)
    }
    #expect(throws: MalformedBytes.self) { try LinkMessage(encoded: [14, 1, 0, 0, 0, 0, 0, 0, 0, 5]) }
  }

  @Test("a peer that does not greet is disconnected before large data is buffered for it")
  func greeting() throws {
    var silent = LinkDecoder()
    silent.append(Self.messages[1].encoded(in: 2))
    #expect(throws: MalformedBytes.self) { try silent.next() }
    var large = LinkDecoder()
    large.append([1, 1, 0, 0])
    #expect(throws: MalformedBytes.self) { try large.next() }
    var twice = LinkDecoder()
    twice.append(Self.hello.encoded(in: 2) + Self.hello.encoded(in: 2))
    #expect(try twice.next() == Self.hello)
    #expect(throws: MalformedBytes.self) { try twice.next() }
    var long = LinkDecoder()
    long.append(Self.hello.encoded(in: 2) + [1, 0, 0, 1])
    #expect(try long.next() == Self.hello)
    #expect(throws: MalformedBytes.self) { try long.next() }
  }

  @Test("two versions of the program use the newest protocol that both know, or none")
  func versions() {
    func hello(_ versions: ClosedRange<UInt16>) -> Hello {
      Hello(versions: versions, cluster: 1, incarnation: Incarnation(node: NodeID("a"), number: 1))
    }
    #expect(hello(1...3).version(with: hello(2...5)) == 3)
    #expect(hello(2...5).version(with: hello(1...3)) == 3)
    #expect(hello(1...1).version(with: hello(2...2)) == nil)
  }
}
