import HearthEngine
import HearthTree
import Testing

@testable import HearthDatabase

/// What a following database has asked its owner, and what waits.
@Suite struct ForwardingQueueTests {
  private static let connection = ConnectionID(rawValue: 1 << 32 | 7)
  private static let write = Command(
    connection: connection, request: 1,
    action: .write(WriteOperation(.put(Location(path: Path([Key("a")])), WriteValue(.empty)))))

  /// A desk in a test's hand, whose sessions are 1, 2, 3 and so on unless others are drawn.
  private final class Desk {
    typealias Seat = (session: UInt64, ticket: UInt64, isNew: Bool)

    var desk = ForwardingQueue()
    var numbers: [UInt64] = []
    private var last: UInt64 = 0

    func ask(_ command: Command, atMilliseconds now: Int64 = 0) -> Seat? {
      desk.ask(command, atMilliseconds: now) { draw() }
    }
    func holdsBack(_ command: Command) -> Bool { desk.holdsBack(command) }
    func answered(_ ticket: UInt64) -> (command: Command?, next: [Command])? { desk.answered(ticket) }
    func end(_ connection: ConnectionID) -> UInt64? { desk.end(connection) }
    func lost(_ session: UInt64) -> (connection: ConnectionID?, unanswered: [Command], unasked: [Command])? {
      desk.lost(session)
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
    let desk = Desk()
    let first = try #require(desk.ask(Self.request(1)))
    let second = try #require(desk.ask(Self.request(2)))
    #expect(first.isNew && !second.isNew)
    #expect(first.session == second.session)
    #expect(first.ticket != second.ticket)
    #expect(desk.answered(second.ticket)?.command?.request == 2)
    #expect(desk.answered(second.ticket) == nil)
    #expect(desk.end(Self.connection) == first.session)
    // Its other question is of no interest any more.
    #expect(desk.answered(first.ticket) == nil)
    #expect(desk.desk.openCount == 0)
  }

  @Test func aNumberThatASessionHasIsNotGivenTwice() throws {
    let desk = Desk()
    desk.numbers = [5, 0, 5, 6]
    let first = try #require(desk.ask(Self.request(1)))
    let other = Command(connection: ConnectionID(rawValue: 2), request: 1, action: .barrier)
    let second = try #require(desk.ask(other))
    #expect((first.session, second.session) == (5, 6))
  }

  @Test func whatComesBehindTooManyQuestionsWaitsInItsOrder() throws {
    let desk = Desk()
    var tickets: [UInt64] = []
    for number in 0..<Int32(ForwardingQueue.openMax) {
      let command = Self.request(number)
      #expect(!desk.holdsBack(command))
      tickets.append(try #require(desk.ask(command)).ticket)
    }
    // A listen could be decided here, and comes after the write before it all the same.
    #expect(desk.holdsBack(Self.request(1_000)))
    #expect(desk.holdsBack(Self.request(1_001)))
    #expect(!desk.holdsBack(Command(connection: ConnectionID(rawValue: 9), action: .barrier)))
    #expect(desk.desk.waitingCount == 2)
    var released: [Command] = []
    for ticket in tickets { released += desk.answered(ticket)?.next ?? [] }
    #expect(released.map(\.request) == [1_000, 1_001])
    #expect(desk.desk.waitingCount == 0)
  }

  @Test func requestsOfNobodyShareAFewSessionsAndHaveALimit() throws {
    let desk = Desk()
    var sessions: Set<UInt64> = []
    for number in 0..<Int32(ForwardingQueue.sharedSessions * ForwardingQueue.openMax) {
      sessions.insert(try #require(desk.ask(Self.oneOff(number))).session)
    }
    #expect(sessions.count == ForwardingQueue.sharedSessions)
    #expect(desk.ask(Self.oneOff(-1)) == nil)
  }

  @Test func aLostSessionSaysWhatHadNoAnswer() throws {
    let desk = Desk()
    let first = try #require(desk.ask(Self.request(1)))
    let second = try #require(desk.ask(Self.request(2)))
    _ = desk.answered(first.ticket)
    let lost = try #require(desk.lost(first.session))
    #expect(lost.connection == Self.connection)
    #expect(lost.unanswered.map(\.request) == [2])
    #expect(desk.answered(second.ticket) == nil)
    // Until its end nothing counts that the connection says.
    #expect(desk.desk.ignores(Self.request(3)))
    #expect(!desk.desk.ignores(Command(connection: Self.connection, action: .endCredential())))
    #expect(desk.end(Self.connection) == nil)
    #expect(!desk.desk.ignores(Self.request(3)))

    let shared = try #require(desk.ask(Self.oneOff(4)))
    let others = try #require(desk.lost(shared.session))
    #expect(others.connection == nil)
    #expect(others.unanswered.map(\.request) == [4])
    #expect(!desk.desk.ignores(Self.oneOff(5)))
  }

  @Test func aRequestOfNoConnectionWaitsForAMinute() throws {
    let desk = Desk()
    _ = desk.ask(Self.request(1))
    let first = try #require(desk.ask(Self.oneOff(2)))
    let second = try #require(desk.ask(Self.oneOff(3), atMilliseconds: 30_000))
    #expect(desk.desk.overdue(atMilliseconds: 59_999) == OverdueRequests([], true))
    #expect(desk.desk.overdue(atMilliseconds: 60_000) == OverdueRequests([2], true))
    #expect(desk.desk.overdue(atMilliseconds: 60_000) == OverdueRequests([], true), "nobody is told twice")
    #expect(desk.desk.overdue(atMilliseconds: 90_000) == OverdueRequests([3], false), "a connection goes on waiting")
    // The owner answers at last, or never.
    let late = try #require(desk.answered(first.ticket))
    #expect(late.command == nil && desk.answered(first.ticket) == nil)
    #expect(try #require(desk.lost(second.session)).unanswered.isEmpty)
  }

  @Test func whoWantsSomethingAtItsEndIsKnown() throws {
    let desk = Desk()
    _ = desk.ask(Self.request(1))
    #expect(!desk.desk.wantsEnd(Self.connection))
    let wish = Command(
      connection: Self.connection, request: 2,
      action: .onDisconnect(.put(Location(path: Path([Key("a")])), WriteValue(.empty))))
    _ = desk.ask(wish)
    #expect(desk.desk.wantsEnd(Self.connection))
    _ = desk.end(Self.connection)
    #expect(!desk.desk.wantsEnd(Self.connection))
  }
}

extension ForwardingQueue {
  /// The numbers of the requests.
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
