import HearthEngine
import HearthTree
import Testing

@testable import HearthDatabase

/// Tests of the queue of a following database's requests to its owner.
@Suite struct ForwardingQueueTests {
  private static let connection = ConnectionID(rawValue: 1 << 32 | 7)
  private static let write = Command(
    connection: connection, request: 1,
    action: .write(WriteOperation(.put(Location(path: Path([Key("a")])), WriteValue(.empty)))))

  /// A queue whose sessions are 1, 2, 3 and so on unless the test provides other numbers.
  private final class QueueInHand {
    typealias ForwardedSession = (session: UInt64, ticket: UInt64, isNew: Bool)

    var queue = ForwardingQueue()
    var numbers: [UInt64] = []
    private var last: UInt64 = 0

    func forward(_ command: Command, atMilliseconds now: Int64 = 0) -> ForwardedSession? {
      queue.forward(command, atMilliseconds: now) { draw() }
    }
    func delays(_ command: Command) -> Bool { queue.delays(command) }
    func answered(_ ticket: UInt64) -> (command: Command?, next: [Command])? { queue.answered(ticket) }
    func end(_ connection: ConnectionID) -> UInt64? { queue.end(connection) }
    func lost(_ session: UInt64) -> (connection: ConnectionID?, unanswered: [Command], unsent: [Command])? {
      queue.lost(session)
    }

    private func draw() -> UInt64 {
      if !numbers.isEmpty { return numbers.removeFirst() }
      last += 1
      return last
    }
  }

  private static func request(_ number: Int32) -> Command {
    Command(connection: connection, request: number, action: .barrier)
  }

  private static func oneOff(_ number: Int32) -> Command {
    Command(connection: ConnectionID(rawValue: 0), request: number, principal: .administrator, action: .barrier)
  }

  @Test func aConnectionHasOneSessionFromItsFirstQuestionOn() throws {
    let queue = QueueInHand()
    let first = try #require(queue.forward(Self.request(1)))
    let second = try #require(queue.forward(Self.request(2)))
    #expect(first.isNew && !second.isNew)
    #expect(first.session == second.session)
    #expect(first.ticket != second.ticket)
    #expect(queue.answered(second.ticket)?.command?.request == 2)
    #expect(queue.answered(second.ticket) == nil)
    #expect(queue.end(Self.connection) == first.session)
    // The answer to its other request is dropped.
    #expect(queue.answered(first.ticket) == nil)
    #expect(queue.queue.openCount == 0)
  }

  @Test func aNumberThatASessionHasIsNotGivenTwice() throws {
    let queue = QueueInHand()
    queue.numbers = [5, 0, 5, 6]
    let first = try #require(queue.forward(Self.request(1)))
    let other = Command(connection: ConnectionID(rawValue: 2), request: 1, action: .barrier)
    let second = try #require(queue.forward(other))
    #expect((first.session, second.session) == (5, 6))
  }

  @Test func commandsBehindAFullQueueStayInOrder() throws {
    let queue = QueueInHand()
    var tickets: [UInt64] = []
    for number in 0..<Int32(ForwardingQueue.openMax) {
      let command = Self.request(number)
      #expect(!queue.delays(command))
      tickets.append(try #require(queue.forward(command)).ticket)
    }
    // The listen could be decided locally, but must follow the write before it.
    #expect(queue.delays(Self.request(1_000)))
    #expect(queue.delays(Self.request(1_001)))
    #expect(!queue.delays(Command(connection: ConnectionID(rawValue: 9), action: .barrier)))
    #expect(queue.queue.waitingCount == 2)
    var released: [Command] = []
    for ticket in tickets { released += queue.answered(ticket)?.next ?? [] }
    #expect(released.map(\.request) == [1_000, 1_001])
    #expect(queue.queue.waitingCount == 0)
  }

  @Test func oneOffRequestsShareAFewSessionsAndHaveALimit() throws {
    let queue = QueueInHand()
    var sessions: Set<UInt64> = []
    for number in 0..<Int32(ForwardingQueue.sharedSessions * ForwardingQueue.openMax) {
      sessions.insert(try #require(queue.forward(Self.oneOff(number))).session)
    }
    #expect(sessions.count == ForwardingQueue.sharedSessions)
    #expect(queue.forward(Self.oneOff(-1)) == nil)
  }

  @Test func aLostSessionSaysWhatHadNoAnswer() throws {
    let queue = QueueInHand()
    let first = try #require(queue.forward(Self.request(1)))
    let second = try #require(queue.forward(Self.request(2)))
    _ = queue.answered(first.ticket)
    let lost = try #require(queue.lost(first.session))
    #expect(lost.connection == Self.connection)
    #expect(lost.unanswered.map(\.request) == [2])
    #expect(queue.answered(second.ticket) == nil)
    // The connection's requests are ignored until it disconnects.
    #expect(queue.queue.ignores(Self.request(3)))
    #expect(!queue.queue.ignores(Command(connection: Self.connection, action: .endCredential())))
    #expect(queue.end(Self.connection) == nil)
    #expect(!queue.queue.ignores(Self.request(3)))

    let shared = try #require(queue.forward(Self.oneOff(4)))
    let others = try #require(queue.lost(shared.session))
    #expect(others.connection == nil)
    #expect(others.unanswered.map(\.request) == [4])
    #expect(!queue.queue.ignores(Self.oneOff(5)))
  }

  @Test func aRequestOfNoConnectionWaitsForAMinute() throws {
    let queue = QueueInHand()
    _ = queue.forward(Self.request(1))
    let first = try #require(queue.forward(Self.oneOff(2)))
    let second = try #require(queue.forward(Self.oneOff(3), atMilliseconds: 30_000))
    #expect(queue.queue.overdue(atMilliseconds: 59_999) == OverdueRequests([], true))
    #expect(queue.queue.overdue(atMilliseconds: 60_000) == OverdueRequests([2], true))
    #expect(queue.queue.overdue(atMilliseconds: 60_000) == OverdueRequests([], true), "nobody is told twice")
    #expect(queue.queue.overdue(atMilliseconds: 90_000) == OverdueRequests([3], false), "a connection goes on waiting")
    // The owner's answer comes late, or never.
    let late = try #require(queue.answered(first.ticket))
    #expect(late.command == nil && queue.answered(first.ticket) == nil)
    #expect(try #require(queue.lost(second.session)).unanswered.isEmpty)
  }

  @Test func sessionsWithOnDisconnectWritesAreKnown() throws {
    let queue = QueueInHand()
    _ = queue.forward(Self.request(1))
    #expect(!queue.queue.hasOnDisconnectWrites(Self.connection))
    let onDisconnectWrite = Command(
      connection: Self.connection, request: 2,
      action: .onDisconnect(.put(Location(path: Path([Key("a")])), WriteValue(.empty))))
    _ = queue.forward(onDisconnectWrite)
    #expect(queue.queue.hasOnDisconnectWrites(Self.connection))
    _ = queue.end(Self.connection)
    #expect(!queue.queue.hasOnDisconnectWrites(Self.connection))
  }
}

extension ForwardingQueue {
  /// Takes the overdue requests as numbers.
  fileprivate mutating func overdue(atMilliseconds now: Int64) -> OverdueRequests {
    let found: (overdue: [Command], othersWait: Bool) = takeOverdue(atMilliseconds: now)
    return OverdueRequests(found.overdue.compactMap(\.request), found.othersWait)
  }
}

private struct OverdueRequests: Equatable {
  var requests: [Int32]
  var othersWait: Bool

  init(_ requests: [Int32], _ othersWait: Bool) { (self.requests, self.othersWait) = (requests, othersWait) }
}
