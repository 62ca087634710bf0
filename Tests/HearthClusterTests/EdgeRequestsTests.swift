import Testing

@testable import HearthCluster

/// Tests of the requests that a client's node keeps, and of its answers.
@Suite struct EdgeRequestsTests {
  private static let session = SessionID(rawValue: 5)

  /// Returns requests of sessions whose opening was answered.
  private static func opened(_ ids: [SessionID] = [session]) -> EdgeRequests {
    var requests = EdgeRequests()
    for id in ids {
      var actions: [EdgeRequests.Action] = []
      requests.open(id, isOwnerKnown: true, &actions)
      _ = requests.answered(id, 1, .applied(position: 1, reply: []), applied: 1)
    }
    return requests
  }

  private static func submit(
    _ kind: ForwardedRequest.Kind = .write([]), ticket: UInt64, of id: SessionID = session,
    _ requests: inout EdgeRequests
  ) -> [EdgeRequests.Action] {
    var actions: [EdgeRequests.Action] = []
    requests.submit(id, ticket: ticket, kind, isOwnerKnown: true, &actions)
    return actions
  }

  private static func answer(
    _ request: UInt64, _ outcome: RequestOutcome, applied: Int64, _ requests: inout EdgeRequests
  ) -> [EdgeRequests.Action] {
    requests.answered(session, request, outcome, applied: applied).actions
  }

  @Test("a reopened database continues the session numbers of the run")
  func openedAgain() {
    let requests = Self.opened([Self.session, SessionID(rawValue: 6)])
    #expect(requests.openedCount == 2)
    var again = EdgeRequests(openedCount: requests.openedCount)
    var actions: [EdgeRequests.Action] = []
    again.open(SessionID(rawValue: 7), isOwnerKnown: true, &actions)
    guard case .send(let request)? = actions.first, case .open(let ordinal, let answered) = request.kind else {
      Issue.record("nothing was opened: \(actions)")
      return
    }
    // The owner can accept the request at once, because all requests before it are finished.
    #expect((ordinal, answered) == (3, 2))
    // The next run of the node counts from the beginning.
    _ = again.drop()
    #expect(again.openedCount == 0)
  }

  @Test("a client is answered by its own number, in the order of its requests, after its node has applied the write")
  func tickets() {
    var requests = Self.opened()
    for ticket in [70, 60, 50] as [UInt64] { #expect(Self.submit(ticket: ticket, &requests).count == 1) }
    let (first, second) = (
      RequestOutcome.applied(position: 4, reply: [1]), RequestOutcome.applied(position: 5, reply: [2])
    )
    #expect(Self.answer(3, second, applied: 3, &requests).isEmpty)
    #expect(Self.answer(2, first, applied: 3, &requests).isEmpty)
    #expect(
      requests.applied(5) == [
        .acknowledge(Self.session, ticket: 70, first), .acknowledge(Self.session, ticket: 60, second),
      ])
    // A refusal waits as well, until the node shows the data for which the request was refused.
    let refused = RequestOutcome.refused(position: 6, reply: [3])
    #expect(Self.answer(4, refused, applied: 5, &requests).isEmpty)
    #expect(requests.applied(6) == [.acknowledge(Self.session, ticket: 50, refused)])
    #expect(requests.count == 0)
  }

  @Test("a rejected request is answered at once and occupies no slot")
  func overloaded() {
    var requests = Self.opened()
    let large = [UInt8](repeating: 0, count: ClusterLimits.requestBytesMax + 1)
    #expect(
      Self.submit(.write(.encoded(large)), ticket: 9, &requests) == [.acknowledge(Self.session, ticket: 9, .overloaded)]
    )
    let other = SessionID(rawValue: 6)
    #expect(
      Self.submit(ticket: 8, of: other, &requests) == [.acknowledge(other, ticket: 8, .overloaded)])
    for ticket in 1..<UInt64(ClusterLimits.sessionRequestsMax) {
      #expect(Self.submit(ticket: ticket, &requests).count == 1)
    }
    #expect(!requests.canSubmit(Self.session))
    #expect(
      Self.submit(ticket: 7_000, &requests) == [.acknowledge(Self.session, ticket: 7_000, .overloaded)])
    #expect(Self.answer(2, .refused(position: 0, reply: []), applied: 1, &requests).count == 1)
    guard case .send(let request)? = Self.submit(ticket: 7_001, &requests).first else {
      Issue.record("a request for which there is room is not sent")
      return
    }
    #expect(request.origin.request == UInt64(ClusterLimits.sessionRequestsMax) + 1 && request.origin.isWithinLimit)
  }

  @Test("one close is accepted beside any backlog; a closed session sends no further request")
  func closing() {
    var requests = Self.opened()
    for ticket in 1..<UInt64(ClusterLimits.sessionRequestsMax) { _ = Self.submit(ticket: ticket, &requests) }
    guard case .send(let request)? = Self.submit(.close, ticket: 0, &requests).first else {
      Issue.record("the closing is not sent")
      return
    }
    #expect(request.kind == .close && request.origin.isWithinLimit)
    #expect(Self.submit(.close, ticket: 0, &requests).isEmpty)
    #expect(Self.submit(ticket: 3, &requests) == [.acknowledge(Self.session, ticket: 3, .overloaded)])
    #expect(requests.open.isEmpty)
  }

  @Test("the bytes of all sessions are limited, and answered or dropped requests free their part")
  func bytes() {
    let ids = (1...9).map { SessionID(rawValue: $0) }
    var requests = Self.opened(ids)
    let content = [UInt8](repeating: 0, count: ClusterLimits.requestBytesMax)
    var taken: [SessionID] = []
    for id in ids {
      let actions = Self.submit(.write(.encoded(content)), ticket: 1, of: id, &requests)
      if actions != [.acknowledge(id, ticket: 1, .overloaded)] { taken.append(id) }
    }
    #expect(taken.count == 5)
    #expect(ids.allSatisfy { !requests.canSubmit($0) })
    _ = requests.answered(taken[0], 2, .refused(position: 0, reply: []), applied: 1)
    #expect(requests.canSubmit(taken[0]))
    #expect(Self.submit(.write(.encoded(content)), ticket: 2, of: taken[0], &requests).count == 1)
    #expect(!requests.canSubmit(taken[0]))
    #expect(requests.unknown([taken[1]]) == [.closeClient(taken[1])])
    #expect(requests.canSubmit(taken[0]))
  }

  @Test("when the owner ends a session that its client still uses, the session's requests end with it")
  func ended() {
    var requests = Self.opened()
    _ = Self.submit(ticket: 4, &requests)
    #expect(requests.disconnected(Self.session) == [.closeClient(Self.session)])
    #expect(requests.resend().isEmpty && requests.applied(9).isEmpty && requests.count == 0)
  }
}
