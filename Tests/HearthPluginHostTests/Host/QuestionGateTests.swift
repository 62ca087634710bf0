import HearthTree
import Synchronization
import Testing

@testable import HearthPluginHost

@Suite struct QuestionGateTests {
  private static func client(_ third: UInt8, _ last: Int = 1, _ account: String? = nil) -> ShareClaimant {
    ShareClaimant(
      account: account, network: NetworkPrefix(addressBytes: [10, 0, third, UInt8(truncatingIfNeeded: last)]))
  }

  /// A gate with waiting requests, and the order in which they enter.
  private final class Line: Sendable {
    let gate: QuestionGate
    private let entered = Mutex<[String]>([])
    private let entries = Mutex<[QuestionGate.Entry]>([])

    init(_ gate: QuestionGate) { self.gate = gate }

    var order: [String] { entered.withLock { $0 } }
    func count(_ entry: QuestionGate.Entry) -> Int { entries.withLock { $0.count { $0 == entry } } }

    /// Sends a request on its own task, and returns once the request waits, has entered or is refused.
    func ask(_ name: String, _ client: ShareClaimant, bytes: Int = 1) async -> Task<Void, Never> {
      let (waiting, done) = (gate.waitingCount, entries.withLock { $0.count })
      let task = Task { [self] in
        let entry = await gate.enter(client, sizeBytes: bytes, milliseconds: 600_000)
        if entry == .entered { entered.withLock { $0.append(name) } }
        entries.withLock { $0.append(entry) }
      }
      while gate.waitingCount == waiting, entries.withLock({ $0.count }) == done { await Task.yield() }
      return task
    }

    /// Completes one request, and returns once the next has entered.
    func answerOne() async {
      let count = order.count
      gate.leave()
      while order.count == count { await Task.yield() }
    }
  }

  @Test
  func `one network with all the questions that may wait leaves another network's to it, and waits behind it`() async {
    let line = Line(QuestionGate(slots: 1))
    var tasks = [await line.ask("first", Self.client(1))]
    for number in 0..<1_200 { tasks.append(await line.ask("hog", Self.client(1, number % 250))) }
    #expect(line.gate.waitingCount == 896 && line.count(.refused) == 304)
    for network in 2...10 { tasks.append(await line.ask("guest", Self.client(UInt8(network)))) }
    #expect(line.count(.refused) == 304, "the newest of the heaviest are refused, and no others")
    // A client with one request waits for one request of each other client, and not for all of the hog's.
    let hogs = Line(QuestionGate(slots: 1))
    tasks.append(await hogs.ask("first", Self.client(1)))
    for _ in 0..<500 { tasks.append(await hogs.ask("hog", Self.client(1))) }
    tasks.append(await hogs.ask("guest", Self.client(1, 2)))
    tasks.append(await hogs.ask("user", Self.client(1, 1, "ann")))
    for _ in 0..<3 { await hogs.answerOne() }
    #expect(hogs.order == ["first", "hog", "guest", "user"])
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    #expect(line.gate.waitingCount == 0 && hogs.gate.waitingCount == 0)
  }

  @Test func `one network with all the bytes that may wait leaves another network's to it`() async {
    let line = Line(QuestionGate(slots: 1))
    var tasks = [await line.ask("first", Self.client(1))]
    for number in 0..<40 { tasks.append(await line.ask("hog", Self.client(1, number), bytes: 1 << 20)) }
    #expect(line.gate.waitingCount == 14 && line.count(.refused) == 26)
    for network in 2...10 { tasks.append(await line.ask("guest", Self.client(UInt8(network)), bytes: 16 << 10)) }
    #expect(line.count(.refused) == 26)
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    #expect(line.gate.waitingCount == 0 && line.gate.underWayCount == 1)
  }

  @Test func `who gives up, or is late, leaves the line, and an administrator is admitted to its last part`() async {
    let line = Line(QuestionGate(slots: 1, waitingMax: 64))
    var tasks = [await line.ask("first", Self.client(1))]
    let quitter = await line.ask("quitter", Self.client(2))
    quitter.cancel()
    await quitter.value
    #expect(line.gate.waitingCount == 0 && line.count(.late) == 1)
    #expect(await line.gate.enter(Self.client(3), sizeBytes: 1, milliseconds: 1) == .late)
    for network in 0..<70 { tasks.append(await line.ask("guest", Self.client(UInt8(network)))) }
    #expect(line.gate.waitingCount == 63)
    tasks.append(await line.ask("server", ShareClaimant(isAdministrator: true)))
    #expect(line.gate.waitingCount == 64)
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    line.gate.leave()
    #expect(line.gate.underWayCount == 0)
  }

  @Test func `more slots let those in that wait`() async {
    let line = Line(QuestionGate(slots: 1))
    var tasks: [Task<Void, Never>] = []
    for number in 0..<4 { tasks.append(await line.ask("\(number)", Self.client(1))) }
    line.gate.setSlots(3)
    while line.order.count < 3 { await Task.yield() }
    #expect(line.gate.underWayCount == 3 && line.gate.waitingCount == 1)
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }
}
