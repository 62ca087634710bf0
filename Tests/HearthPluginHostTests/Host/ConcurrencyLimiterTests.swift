import HearthTree
import Synchronization
import Testing

@testable import HearthPluginHost

@Suite struct ConcurrencyLimiterTests {
  private static func client(_ third: UInt8, _ last: Int = 1, _ account: String? = nil) -> ShareClaimant {
    ShareClaimant(
      account: account, network: NetworkPrefix(addressBytes: [10, 0, third, UInt8(truncatingIfNeeded: last)]))
  }

  /// A limiter with waiting requests, and the order in which they are admitted.
  private final class Queue: Sendable {
    let limiter: ConcurrencyLimiter
    private let acquired = Mutex<[String]>([])
    private let admissions = Mutex<[ConcurrencyLimiter.Admission]>([])

    init(_ limiter: ConcurrencyLimiter) { self.limiter = limiter }

    var order: [String] { acquired.withLock { $0 } }
    func count(_ admission: ConcurrencyLimiter.Admission) -> Int {
      admissions.withLock { $0.count { $0 == admission } }
    }

    /// Sends a request in its own task, and returns once the request waits, is admitted or is refused.
    func ask(_ name: String, _ client: ShareClaimant, bytes: Int = 1) async -> Task<Void, Never> {
      let (waiting, done) = (limiter.waitingCount, admissions.withLock { $0.count })
      let task = Task { [self] in
        let admission = await limiter.acquire(client, sizeBytes: bytes, milliseconds: 600_000)
        if admission == .acquired { acquired.withLock { $0.append(name) } }
        admissions.withLock { $0.append(admission) }
      }
      while limiter.waitingCount == waiting, admissions.withLock({ $0.count }) == done { await Task.yield() }
      return task
    }

    /// Completes one request, and returns once the next is admitted.
    func answerOne() async {
      let count = order.count
      limiter.release()
      while order.count == count { await Task.yield() }
    }
  }

  @Test
  func `one network with all its waiting requests leaves another network's intact, and waits behind it`() async {
    let queue = Queue(ConcurrencyLimiter(slots: 1))
    var tasks = [await queue.ask("first", Self.client(1))]
    for number in 0..<1_200 { tasks.append(await queue.ask("hog", Self.client(1, number % 250))) }
    #expect(queue.limiter.waitingCount == 896 && queue.count(.refused) == 304 && queue.limiter.refusedCount == 304)
    for network in 2...10 { tasks.append(await queue.ask("guest", Self.client(UInt8(network)))) }
    #expect(queue.count(.refused) == 304, "the newest of the heaviest are refused, and no others")
    // A client with one request waits for one request of each other client, and not for all of one client's.
    let hogs = Queue(ConcurrencyLimiter(slots: 1))
    tasks.append(await hogs.ask("first", Self.client(1)))
    for _ in 0..<500 { tasks.append(await hogs.ask("hog", Self.client(1))) }
    tasks.append(await hogs.ask("guest", Self.client(1, 2)))
    tasks.append(await hogs.ask("user", Self.client(1, 1, "ann")))
    for _ in 0..<3 { await hogs.answerOne() }
    #expect(hogs.order == ["first", "hog", "guest", "user"])
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    #expect(queue.limiter.waitingCount == 0 && hogs.limiter.waitingCount == 0)
  }

  @Test func `one network with all its waiting bytes leaves another network's intact`() async {
    let queue = Queue(ConcurrencyLimiter(slots: 1))
    var tasks = [await queue.ask("first", Self.client(1))]
    for number in 0..<40 { tasks.append(await queue.ask("hog", Self.client(1, number), bytes: 1 << 20)) }
    #expect(queue.limiter.waitingCount == 14 && queue.count(.refused) == 26)
    for network in 2...10 { tasks.append(await queue.ask("guest", Self.client(UInt8(network)), bytes: 16 << 10)) }
    #expect(queue.count(.refused) == 26)
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    #expect(queue.limiter.waitingCount == 0 && queue.limiter.underWayCount == 1)
  }

  @Test
  func `requests that are cancelled or time out leave the queue, and its last part is reserved for administrators`()
    async
  {
    let queue = Queue(ConcurrencyLimiter(slots: 1, waitingMax: 64))
    var tasks = [await queue.ask("first", Self.client(1))]
    let quitter = await queue.ask("quitter", Self.client(2))
    quitter.cancel()
    await quitter.value
    #expect(queue.limiter.waitingCount == 0 && queue.count(.late) == 1)
    #expect(await queue.limiter.acquire(Self.client(3), sizeBytes: 1, milliseconds: 1) == .late)
    for network in 0..<70 { tasks.append(await queue.ask("guest", Self.client(UInt8(network)))) }
    #expect(queue.limiter.waitingCount == 63)
    tasks.append(await queue.ask("server", ShareClaimant(isAdministrator: true)))
    #expect(queue.limiter.waitingCount == 64)
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    queue.limiter.release()
    #expect(queue.limiter.underWayCount == 0)
  }

  @Test func `additional slots admit waiting requests`() async {
    let queue = Queue(ConcurrencyLimiter(slots: 1))
    var tasks: [Task<Void, Never>] = []
    for number in 0..<4 { tasks.append(await queue.ask("\(number)", Self.client(1))) }
    queue.limiter.setSlots(3)
    while queue.order.count < 3 { await Task.yield() }
    #expect(queue.limiter.underWayCount == 3 && queue.limiter.waitingCount == 1)
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }
}
