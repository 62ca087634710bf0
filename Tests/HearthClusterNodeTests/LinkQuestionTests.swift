import HearthCluster
import NIOCore
import NIOEmbedded
import Testing

@testable import HearthClusterNode

/// Tests of requests over one connection, on a simulated clock.
@Suite struct LinkQuestionTests {
  private struct Failure: Error {}

  private static func connection(_ change: (inout LinkLimits) -> Void = { _ in }) throws -> HandledConnection {
    var limits = LinkLimits()
    change(&limits)
    let connection = try HandledConnection(limits: limits)
    try connection.greet()
    _ = try connection.sent()
    return connection
  }

  private static func receive(_ message: LinkMessage, _ connection: HandledConnection) throws {
    try connection.receive(message.encoded(in: 2))
  }

  @Test("responses reach their request in any order; a response without a request is dropped")
  func answers() throws {
    let connection = try Self.connection()
    connection.ask([1])
    connection.ask([2])
    #expect(try connection.sent() == [.question(number: 1, [1]), .question(number: 2, [2])])
    for number: UInt64 in [2, 1, 2, 1, 3, 0] {
      try Self.receive(.reply(number: number, .content([UInt8(number) + 10])), connection)
    }
    #expect(connection.outcomes == [.answer([12]), .answer([11])] && connection.ended.isEmpty)
    for refusal in LinkRefusal.allCases { try Self.refuse(refusal, connection) }
    #expect(connection.outcomes.dropFirst(2) == LinkRefusal.allCases.map { .problem(.refused($0)) }[...])
  }

  private static func refuse(_ refusal: LinkRefusal, _ connection: HandledConnection) throws {
    connection.ask([])
    guard case .question(let number, [])? = try connection.sent().last else { throw Failure() }
    try receive(.reply(number: number, .refused(refusal)), connection)
  }

  @Test("a request without a timely response fails, and a later response is dropped")
  func late() throws {
    let connection = try Self.connection()
    connection.ask([1], timeoutSeconds: 2)
    connection.ask([2], timeoutSeconds: 3)
    connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1_999))
    #expect(connection.outcomes.isEmpty)
    connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
    #expect(connection.outcomes == [.problem(.late(seconds: 2))])
    try Self.receive(.reply(number: 1, .content([3])), connection)
    try Self.receive(.reply(number: 2, .content([4])), connection)
    connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(2_000))
    #expect(connection.outcomes == [.problem(.late(seconds: 2)), .answer([4])])
  }

  @Test("a connection that ends fails its pending requests, and accepts no further ones")
  func ended() throws {
    let connection = try Self.connection()
    connection.ask([1])
    connection.ask([2])
    connection.channel.pipeline.fireErrorCaught(LinkProblem.failed("reset"))
    let lost = HandledConnection.Outcome.problem(.ended(.failed("reset")))
    #expect(connection.outcomes == [lost, lost])
    connection.ask([3])
    #expect(connection.outcomes == [lost, lost, .problem(.notConnected)])
    connection.channel.embeddedEventLoop.advanceTime(by: .seconds(60))
    #expect(connection.outcomes.count == 3)
  }

  @Test("requests are bounded in number and size, and leave room for other messages")
  func bounds() throws {
    let connection = try Self.connection { limits in
      limits.questionsMax = 2
      limits.unsentBytesMax = 100
    }
    defer { connection.end() }
    for byte: UInt8 in 1...3 { connection.ask([byte]) }
    #expect(connection.outcomes == [.problem(.crowded)])
    #expect(try connection.sent().count == 2)
    try Self.receive(.reply(number: 1, .content([])), connection)
    connection.ask(Array(repeating: 0, count: 51))
    #expect(connection.outcomes == [.problem(.crowded), .answer([]), .problem(.crowded)])
    connection.ask(Array(repeating: 0, count: 50))
    #expect(try connection.sent() == [.question(number: 3, Array(repeating: 0, count: 50))])
    let large = ClusterLimits.questionBytesMax + 1
    connection.ask(Array(repeating: 0, count: large))
    #expect(connection.outcomes.last == .problem(.tooLarge(bytes: large)) && connection.outcomes.count == 4)
    #expect(try connection.sent().isEmpty && connection.ended.isEmpty)
  }

  @Test("an error states whether the request may have been executed")
  func outcomes() {
    for (problem, mayHaveBeenDone) in [
      (.notConnected, false), (.tooLarge(bytes: 1), false), (.crowded, false), (.refused(.noHandler), false),
      (.refused(.crowded), false), (.refused(.failed), true), (.refused(.noRoom), true), (.ended(.silent), true),
      (.late(seconds: 1), true),
    ] as [(QuestionProblem, Bool)] {
      #expect(problem.mayHaveBeenDone == mayHaveBeenDone, "\(problem)")
      #expect("\(problem)".hasSuffix("may have been carried out") == mayHaveBeenDone, "\(problem)")
    }
  }

  @Test("requests are answered in the order in which their answers are ready, or refused with a reason")
  func asked() throws {
    let connection = try Self.connection { $0.unsentBytesMax = 100 }
    for number: UInt64 in 7...11 { try Self.receive(.question(number: number, [UInt8(number)]), connection) }
    #expect(connection.asked.map(\.question) == [[7], [8], [9], [10], [11]])
    #expect(try connection.sent().isEmpty)
    connection.asked[4].answer.succeed([])
    connection.asked[0].answer.succeed([1])
    connection.asked[1].answer.fail(LinkRefusal.noHandler)
    connection.asked[2].answer.fail(Failure())
    connection.asked[3].answer.succeed(Array(repeating: 0, count: 51))
    connection.channel.embeddedEventLoop.run()
    #expect(
      try connection.sent() == [
        .reply(number: 11, .content([])), .reply(number: 7, .content([1])), .reply(number: 8, .refused(.noHandler)),
        .reply(number: 9, .refused(.failed)), .reply(number: 10, .refused(.noRoom)),
      ])
    #expect(connection.ended.isEmpty)
  }

  @Test("requests beyond the limit in progress are refused at once, and each answer makes room for another")
  func crowd() throws {
    let connection = try Self.connection { limits in
      limits.questionsMax = 2
      limits.unhandledBytesMax = 1_000
    }
    defer { connection.end() }
    // One request of any size is accepted, and no other beside it.
    try Self.receive(.question(number: 1, Array(repeating: 0, count: 600)), connection)
    try Self.receive(.question(number: 2, []), connection)
    #expect(try connection.sent() == [.reply(number: 2, .refused(.crowded))])
    connection.asked[0].answer.succeed([])
    for number: UInt64 in 3...5 { try Self.receive(.question(number: number, []), connection) }
    connection.channel.embeddedEventLoop.run()
    #expect(try connection.sent() == [.reply(number: 1, .content([])), .reply(number: 5, .refused(.crowded))])
    #expect(connection.asked.count == 3)
  }

  @Test("a request in progress counts as unhandled, and on its own does not stop reading")
  func backPressure() throws {
    let connection = try Self.connection { $0.unhandledBytesMax = 1_000 }
    try Self.receive(.question(number: 1, Array(repeating: 0, count: 700)), connection)
    connection.channel.read()
    let before = connection.readCount
    try Self.receive(.database(DatabaseID(rawValue: 5), .handoff(epoch: 1)), connection)
    try Self.receive(.database(DatabaseID(rawValue: 5), .handoff(epoch: 2)), connection)
    let held = connection.readCount
    connection.channel.read()
    #expect(connection.readCount == held && before > 0)
    for done in connection.undone { done() }
    connection.asked[0].answer.succeed([])
    connection.channel.embeddedEventLoop.run()
    #expect(connection.readCount == held + 1)
  }

  @Test("an answer that is ready after the connection ended is dropped")
  func answeredTooLate() throws {
    let connection = try Self.connection()
    try Self.receive(.question(number: 1, []), connection)
    connection.channel.pipeline.fireErrorCaught(LinkProblem.failed("reset"))
    connection.asked[0].answer.succeed([1])
    connection.channel.embeddedEventLoop.run()
    #expect(try connection.channel.readOutbound(as: ByteBuffer.self) == nil)
  }
}
