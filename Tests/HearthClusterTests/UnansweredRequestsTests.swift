import Testing

@testable import HearthCluster

/// Tests of an owner's unanswered requests: the time at which their answers are sent, and their content.
@Suite struct UnansweredRequestsTests {
  private static func answer(_ outcome: RequestOutcome, isRead: Bool = false) -> UnansweredRequests.Answer {
    let origin = Origin(session: SessionID(rawValue: 1), request: 2, answered: 1)
    return UnansweredRequests.Answer(node: NodeID("a"), origin: origin, outcome: outcome, isRead: isRead)
  }

  private static func released(
    _ unansweredRequests: inout UnansweredRequests, durable: Int64, isAuthoritative: Bool = true
  )
    -> [RequestOutcome]
  {
    unansweredRequests.release(durable: durable, isAuthoritative: isAuthoritative).map(\.outcome)
  }

  @Test("a response is sent once its commits are durable, and a read once the ownership is certain")
  func order() {
    var unansweredRequests = UnansweredRequests()
    let (first, read) = (RequestOutcome.applied(position: 3, reply: [1]), RequestOutcome.value([2], position: 4))
    unansweredRequests.wait(for: 3, Self.answer(first))
    unansweredRequests.wait(for: 4, Self.answer(read, isRead: true))
    #expect(Self.released(&unansweredRequests, durable: 2).isEmpty)
    #expect(Self.released(&unansweredRequests, durable: 4, isAuthoritative: false) == [first])
    #expect(Self.released(&unansweredRequests, durable: 4) == [read])
  }

  @Test("a reply that does not fit into a message is left out, and a read is refused in that case")
  func large() {
    var unansweredRequests = UnansweredRequests()
    let content = [UInt8](repeating: 1, count: ClusterLimits.replyBytesMax + 1)
    let (reply, fitting) = (ForwardedBody.encoded(content), ForwardedBody.encoded(content.dropLast()))
    unansweredRequests.wait(for: 1, Self.answer(.applied(position: 1, reply: reply)))
    unansweredRequests.wait(for: 1, Self.answer(.refused(position: 1, reply: reply)))
    unansweredRequests.wait(for: 1, Self.answer(.value(content, position: 1), isRead: true))
    unansweredRequests.wait(for: 1, Self.answer(.refused(position: 1, reply: fitting)))
    #expect(
      Self.released(&unansweredRequests, durable: 1) == [
        .applied(position: 1, reply: []), .refused(position: 1, reply: []), .refused(position: 1, reply: []),
        .refused(position: 1, reply: fitting),
      ])
  }

  @Test("waiting replies have a common limit, to which sent ones do not count")
  func waiting() {
    var unansweredRequests = UnansweredRequests()
    let reply = ForwardedBody.encoded(Array(repeating: 1, count: ClusterLimits.waitingReplyBytesMax / 8))
    for position in 1...9 as ClosedRange<Int64> {
      unansweredRequests.wait(for: position, Self.answer(.applied(position: position, reply: reply)))
    }
    let first = Self.released(&unansweredRequests, durable: 8)
    #expect(first == (1...8).map { .applied(position: $0, reply: reply) })
    unansweredRequests.wait(for: 10, Self.answer(.applied(position: 10, reply: reply)))
    #expect(
      Self.released(&unansweredRequests, durable: 10) == [
        .applied(position: 9, reply: []), .applied(position: 10, reply: reply),
      ])
  }
}
