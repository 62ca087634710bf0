import Dispatch
import Glibc
import HearthAccounts
import HearthEngine
import HearthTree
import Logging
import NIOCore
import NIOPosix
import RandomTestKit
import Synchronization
import Testing

@testable import HearthGateway
@testable import HearthTransport

/// Tests of the delivery of effects to an event loop: in order, in turns, and no faster than the loop handles them.
@Suite struct LoopInboxTests {
  /// A client that records its events.
  private final class Listener: HubClient {
    private(set) var id = ConnectionID(rawValue: 0)
    let requestID = ""
    private let told: @Sendable (ConnectionID, String) -> Void
    private let hub: LoopHub
    private var count = 0

    init(_ hub: LoopHub, told: @escaping @Sendable (ConnectionID, String) -> Void) {
      self.hub = hub
      self.told = told
      id = hub.add(self)
    }

    func deliver(_ event: SharedEvent, tag: Int32?) {
      if count == 0 { hub.markDirty(self) }
      count += 1
      told(id, event.event.path.description)
    }

    func flush() {
      told(id, "flush \(count)")
      count = 0
    }

    func answer(_ request: Int32, _ reply: Reply) {}
    func cancel(_ name: ListenName, _ cause: Cancellation) {}
    func endAuthentication() {}
    func explain(_ denial: Denial) {}
    func track(_ mark: SentMark) {}
    func setReading(_ isReading: Bool) {}
    func reviewCredential(after revocation: Revocation, _ ticket: UInt64) -> Bool { false }
    func replace() {}
    func databaseEnded(_ name: String) {}
    func disconnectForRetry(from database: String?) {}
  }

  private struct Fixture {
    private final class Notes: Sendable {
      let lines = Mutex<[(listener: ConnectionID, text: String)]>([])
    }

    let inbox: LoopInbox
    let listener: ConnectionID
    let loop: any EventLoop
    private let hub: NIOLoopBound<LoopHub>
    private let notes: Notes

    /// Creates an event loop with one listener.
    init(_ limits: DeliveryLimits) async throws {
      let (loop, notes) = (MultiThreadedEventLoopGroup.singleton.next(), Notes())
      let hub = try await loop.submit {
        NIOLoopBound(
          LoopHub(loop: loop, index: 0, denials: DenialLog(logger: Logger(label: "test"))), eventLoop: loop)
      }.get()
      inbox = LoopInbox(loop: loop, hub: hub, limits: limits)
      (self.loop, self.hub, self.notes) = (loop, hub, notes)
      listener = try await Self.add(to: hub, on: loop, notes)
    }

    /// Adds a listener.
    func add() async throws -> ConnectionID { try await Self.add(to: hub, on: loop, notes) }

    private static func add(
      to hub: NIOLoopBound<LoopHub>, on loop: any EventLoop, _ notes: Notes
    ) async throws -> ConnectionID {
      try await loop.submit {
        Listener(hub.value) { id, line in notes.lines.withLock { $0.append((id, line)) } }.id
      }.get()
    }

    /// Returns the events and flushes of all listeners, in order.
    func told() -> [String] { notes.lines.withLock { $0.map(\.text) } }

    /// Returns the events of one listener, in order.
    func told(_ listener: ConnectionID) -> [String] {
      notes.lines.withLock { lines in
        lines.filter { $0.listener == listener && !$0.text.hasPrefix("flush") }.map(\.text)
      }
    }

    /// Adds a delivery with a number of events for the listener to the inbox.
    func hand(_ count: Int, of database: String, from first: Int = 0) {
      let effects = (first..<first + count).map { number in
        Effect.event(
          Event(path: Path("\(database)/\(number)"), change: .put(.empty), position: 1), to: [listener])
      }
      enqueue(effects.map { .effect($0) }, of: database)
    }

    /// Adds effects to the inbox, and blocks while too many of the database wait, as the router does.
    func enqueue(_ effects: [LoopEffect], of database: String) {
      inbox.enqueueWithoutBlocking(effects, of: database)?.wait()
    }

    /// Keeps the loop busy until the semaphore is signalled.
    func block() -> DispatchSemaphore {
      let semaphore = DispatchSemaphore(value: 0)
      loop.execute { semaphore.wait() }
      return semaphore
    }

    /// Waits until this many events have been performed.
    func settle(_ count: Int) async throws -> [String] {
      while told().filter({ !$0.hasPrefix("flush") }).count < count { try await Task.sleep(nanoseconds: 1_000_000) }
      try await loop.submit {}.get()
      return told()
    }
  }

  @Test("pending messages are written together, in order")
  func order() async throws {
    let fixture = try await Fixture(.standard)
    let block = fixture.block()
    for number in 0..<5 { fixture.hand(2, of: "a", from: number * 2) }
    block.signal()
    #expect(try await fixture.settle(10) == (0..<10).map { "/a/\($0)" } + ["flush 10"])
  }

  @Test("databases take turns, and in each round those with few events come first")
  func turns() async throws {
    var limits = DeliveryLimits()
    limits.turnRecipientsMax = 3
    let fixture = try await Fixture(limits)
    let block = fixture.block()
    fixture.hand(10, of: "hot")
    fixture.hand(1, of: "quiet")
    block.signal()
    let told = try await fixture.settle(11).filter { !$0.hasPrefix("flush") }
    #expect(told.firstIndex(of: "/quiet/0") == 0)
    #expect(told.filter { $0.hasPrefix("/hot") } == (0..<10).map { "/hot/\($0)" })
  }

  /// Returns an event with a size of this many bytes.
  private static func event(_ path: String, bytes: Int) -> Event {
    Event(path: Path(path), change: .put(Node(.string(String(repeating: "x", count: bytes - 2)))), position: 1)
  }

  @Test(
    "a turn is limited by bytes, counted for each recipient, for many events or one",
    arguments: [true, false])
  func bytes(isOneEvent: Bool) async throws {
    var limits = DeliveryLimits()
    limits.turnBytesMax = 1_000
    let fixture = try await Fixture(limits)
    let block = fixture.block()
    let effects =
      isOneEvent
      ? [Effect.event(Self.event("a", bytes: 100), to: Array(repeating: fixture.listener, count: 50))]
      : (0..<50).map { Effect.event(Self.event("\($0)", bytes: 100), to: [fixture.listener]) }
    fixture.enqueue(effects.map { .effect($0) }, of: "hot")
    fixture.hand(1, of: "quiet")
    block.signal()
    let told = try await fixture.settle(51)
    let turns = told.compactMap { $0.hasPrefix("flush ") ? Int($0.dropFirst(6)) : nil }
    #expect(turns.count >= 5 && turns.allSatisfy { $0 <= 10 }, "\(turns)")
    #expect(told.firstIndex(of: "/quiet/0") == 0)
    let hot = told.filter { !$0.hasPrefix("flush") && !$0.hasPrefix("/quiet") }
    #expect(hot == (isOneEvent ? Array(repeating: "/a", count: 50) : (0..<50).map { "/\($0)" }))
  }

  @Test("a database is paused when too many of its bytes wait, and no other database")
  func heldByBytes() async throws {
    var limits = DeliveryLimits()
    limits.waitingBytesMax = 1_000
    let fixture = try await Fixture(limits)
    let block = fixture.block()
    func take(_ count: Int, of database: String) -> Bool {
      let effect = Effect.event(Self.event("a", bytes: 100), to: Array(repeating: fixture.listener, count: count))
      return fixture.inbox.enqueueWithoutBlocking([.effect(effect)], of: database) != nil
    }
    #expect(!take(10, of: "hot"))
    #expect(take(1, of: "hot"))
    #expect(!take(1, of: "quiet"))
    block.signal()
    _ = try await fixture.settle(12)
    #expect(!take(10, of: "hot"), "there is room again")
    _ = try await fixture.settle(22)
  }

  @Test("events for many recipients delay no other client, and each connection's effects keep their order")
  func bulk() async throws {
    var limits = DeliveryLimits()
    (limits.turnRecipientsMax, limits.bulkRecipientsMin) = (4, 3)
    let fixture = try await Fixture(limits)
    let other = try await fixture.add()
    let block = fixture.block()
    let many = Array(repeating: fixture.listener, count: 8)
    fixture.hand(1, of: "a", from: 0)
    fixture.enqueue([.effect(.event(Self.event("bulk", bytes: 10), to: many))], of: "a")
    fixture.hand(2, of: "a", from: 1)
    fixture.enqueue([.effect(.event(Self.event("quiet", bytes: 10), to: [other]))], of: "a")
    #expect(fixture.inbox.waitingRecipientCount(of: "a") == 12)
    block.signal()
    let told = try await fixture.settle(12).filter { !$0.hasPrefix("flush") }
    #expect(told == ["/a/0", "/quiet"] + Array(repeating: "/bulk", count: 8) + ["/a/1", "/a/2"])
    #expect(fixture.inbox.waitingRecipientCount(of: "a") == 0)
    // The lane is empty: the connection is prompt again.
    let again = fixture.block()
    let manyOthers = Array(repeating: other, count: 8)
    fixture.enqueue([.effect(.event(Self.event("bulk", bytes: 10), to: manyOthers))], of: "a")
    fixture.hand(1, of: "a", from: 3)
    again.signal()
    #expect(try await fixture.settle(21).filter { !$0.hasPrefix("flush") }.dropFirst(12).first == "/a/3")
  }

  @Test("effects are delivered in each connection's order, whichever lanes they wait in", arguments: 0..<8)
  func orderInLanes(seed: UInt64) async throws {
    var limits = DeliveryLimits()
    (limits.turnRecipientsMax, limits.bulkRecipientsMin, limits.waitingRecipientsMax) = (7, 3, .max)
    let fixture = try await Fixture(limits)
    var random = SeededRandom(seed: seed)
    var listeners = [fixture.listener]
    for _ in 0..<5 { listeners.append(try await fixture.add()) }
    var (expected, count): ([ConnectionID: [String]], Int) = ([:], 0)
    for number in 0..<400 {
      let recipients =
        random.isOne(in: 4) ? listeners.filter { _ in random.isOne(in: 2) } : [listeners[random.below(6)]]
      guard !recipients.isEmpty else { continue }
      fixture.enqueue([.effect(.event(Self.event("\(number)", bytes: 10), to: recipients))], of: "a")
      for recipient in recipients { expected[recipient, default: []].append("/\(number)") }
      count += recipients.count
      if random.isOne(in: 16) { await Task.yield() }
    }
    _ = try await fixture.settle(count)
    for listener in listeners { #expect(fixture.told(listener) == expected[listener] ?? []) }
  }

  @Test("a loop with many events still reads its sockets")
  func sockets() async throws {
    final class Reader: ChannelInboundHandler, Sendable {
      typealias InboundIn = ByteBuffer
      private let told: @Sendable () -> [String]
      let toldWhenRead = Mutex<Int?>(nil)
      init(_ told: @escaping @Sendable () -> [String]) { self.told = told }
      func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = told().count { !$0.hasPrefix("flush") }
        toldWhenRead.withLock { $0 = count }
      }
    }
    var limits = DeliveryLimits()
    limits.turnRecipientsMax = 1
    let fixture = try await Fixture(limits)
    let reader = Reader { fixture.told() }
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { close(ends[1]) }
    let channel = try await NIOPipeBootstrap(group: fixture.loop)
      .channelInitializer { $0.pipeline.addHandler(reader) }
      .takingOwnershipOfDescriptor(input: ends[0]).get()
    let block = fixture.block()
    try #require(write(ends[1], "x", 1) == 1)
    fixture.hand(500, of: "hot")
    block.signal()
    _ = try await fixture.settle(500)
    try await channel.close()
    #expect(try #require(reader.toldWhenRead.withLock { $0 }) < 500)
  }

  @Test("a database that is faster than the loop is paused, and no other database")
  func held() async throws {
    var limits = DeliveryLimits()
    limits.waitingRecipientsMax = 100
    let fixture = try await Fixture(limits)
    let block = fixture.block()
    final class Progress: Sendable {
      let handed = Mutex(0)
      let isHeld = DispatchSemaphore(value: 0)
      let isDone = DispatchSemaphore(value: 0)
    }
    let progress = Progress()
    // 40 deliveries of 10: the eleventh is over the limit.
    DispatchQueue(label: "hot").async {
      for number in 0..<40 {
        if number == 10 { progress.isHeld.signal() }
        fixture.hand(10, of: "hot", from: number * 10)
        progress.handed.withLock { $0 += 1 }
      }
      progress.isDone.signal()
    }
    await Task.detached { Self.wait(progress.isHeld) }.value
    // The thread is in the eleventh call now, or about to be, and cannot return while the loop is blocked.
    fixture.hand(50, of: "quiet")
    fixture.hand(50, of: "quiet", from: 50)
    #expect(progress.handed.withLock { $0 } == 10)
    block.signal()
    let told = try await fixture.settle(500).filter { !$0.hasPrefix("flush") }
    await Task.detached { Self.wait(progress.isDone) }.value
    #expect(told.filter { $0.hasPrefix("/hot") } == (0..<400).map { "/hot/\($0)" })
    #expect(told.filter { $0.hasPrefix("/quiet") } == (0..<100).map { "/quiet/\($0)" })
  }

  private static func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }

  @Test("the loop itself is never blocked")
  func onLoop() async throws {
    var limits = DeliveryLimits()
    limits.waitingRecipientsMax = 1
    let fixture = try await Fixture(limits)
    try await fixture.loop.submit { for number in 0..<5 { fixture.hand(10, of: "a", from: number * 10) } }.get()
    #expect(try await fixture.settle(50).filter { !$0.hasPrefix("flush") } == (0..<50).map { "/a/\($0)" })
  }
}
