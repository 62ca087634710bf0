import HearthTree
import NIOCore
import NIOPosix
import PagesTestKit
import ServerTestKit
import Synchronization
import Testing

@testable import HearthEngine
@testable import HearthGateway

/// Tests of the order and the bounds of work away from the event loops, and of reads that fail there.
@Suite struct PoolQueueTests {
  private static func client(_ number: UInt64) -> PoolClient {
    PoolClient(connection: ConnectionID(rawValue: number << 8))
  }

  private static func job(_ name: String, _ ran: Ran, _ lane: PoolQueue.Lane = .short) -> PoolQueue.Job {
    PoolQueue.Job(lane: lane) { _ in ran.names.withLock { $0.append(name) } }
  }

  private final class Ran: Sendable {
    let names = Mutex<[String]>([])
    var all: [String] { names.withLock { $0 } }
  }

  @Test("clients take turns, short jobs precede long ones, and some threads are left for short ones")
  func order() {
    var queue = PoolQueue(waitingMax: 100)
    let ran = Ran()
    for number in 0..<4 { _ = queue.append(Self.job("long \(number)", ran, .long), for: Self.client(3)) }
    for number in 0..<3 { _ = queue.append(Self.job("a\(number)", ran), for: Self.client(1)) }
    _ = queue.append(Self.job("b", ran), for: Self.client(2))
    var running: [PoolQueue.Job] = []
    while let job = queue.next() {
      job.perform(false)
      running.append(job)
    }
    #expect(ran.all == ["a0", "b", "a1", "a2", "long 0", "long 1"])
    _ = queue.append(Self.job("c", ran), for: Self.client(2))
    queue.next()?.perform(false)
    let none = queue.next()
    #expect(ran.all.last == "c" && none == nil)
    queue.ended(running[4])
    queue.next()?.perform(false)
    let (last, rest) = (queue.next(), queue.removeAll())
    #expect(ran.all.last == "long 2" && last == nil && rest.count == 1)
  }

  @Test("a long job has its turn behind many short ones")
  func longJobs() {
    var queue = PoolQueue(waitingMax: 100)
    let ran = Ran()
    _ = queue.append(Self.job("long", ran, .long), for: Self.client(1))
    for number in 0..<40 { _ = queue.append(Self.job("\(number)", ran), for: Self.client(2)) }
    while let job = queue.next() { job.perform(false) }
    #expect(ran.all.firstIndex(of: "long") == 16 && ran.all.count == 41)
  }

  @Test("jobs that were added before a time are known to be left until the last of them is done")
  func monitor() async {
    let jobs = PoolJobMonitor()
    let pool = LargeValuePool(memory: .ofTest(), jobs: jobs)
    pool.start()
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let none = jobs.makeCheck()
    #expect(!none())
    let begun = jobs.makeCheck()
    // The thread waits for the check, and the check for the thread.
    let isChecked = Mutex(false)
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      loop.execute {
        pool.run(on: loop) {
          let isLeft = jobs.makeCheck()
          isChecked.withLock { $0 = isLeft() && !begun() && !none() }
          return isLeft
        } completion: { isLeft in
          loop.scheduleTask(in: .milliseconds(100)) {
            isChecked.withLock { $0 = $0 && isLeft?() == false }
            done.resume()
          }
        }
      }
    }
    let isRight = isChecked.withLock { $0 }
    #expect(isRight)
    await pool.stop()
  }

  @Test("the queue is bounded, and one network does not use it up alone")
  func bounds() async throws {
    var queue = PoolQueue(waitingMax: 64)
    let ran = Ran()
    func append(_ number: Int, network: String) -> Bool {
      var client = Self.client(UInt64(number))
      client.claimant.network = NetworkPrefix(address: network)
      return queue.append(Self.job("\(number)", ran), for: client)
    }
    let taken = (1...200).count { append($0, network: "192.0.2.1") }
    let isOtherTaken = append(1_000, network: "198.51.100.1")
    #expect((40..<64).contains(taken) && isOtherTaken)
    let pool = LargeValuePool(memory: .ofTest(), waitingMax: 0)
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let promise = loop.makePromise(of: Int?.self)
    loop.execute { pool.run(on: loop, { 1 }, completion: { promise.succeed($0) }) }
    let refused = try await promise.futureResult.get()
    #expect(refused == nil)
  }

  @Test("work on data in memory runs on the loop, other work away from it, and a failed read has no result")
  func reads() async throws {
    var store = MemoryStore()
    let data = Node.empty.replacing((0..<2_000).map { (Path("k\($0)"), Node(.int(Int64($0)))) })
    let stored = try store.save(data)
    let pages = store.pages
    let pool = LargeValuePool(memory: .ofTest())
    pool.start()
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    func read(_ node: Node) async throws -> (value: Scalar?, isLater: Bool)? {
      try await loop.flatSubmit {
        let promise = loop.makePromise(of: (value: Scalar?, isLater: Bool)?.self)
        var isLater = false
        pool.read(on: loop, for: .server, { node.child("k1500").scalar }) { value in
          promise.succeed(value.map { ($0, isLater) })
        }
        isLater = true
        return promise.futureResult
      }.get()
    }
    let cold = try stored.open()
    var found = try await read(cold)
    #expect(found?.value == .int(1_500) && found?.isLater == true)
    found = try await read(cold)
    #expect(found?.value == .int(1_500) && found?.isLater == false)
    pages.fail(after: 0)
    #expect(try await read(try stored.open()) == nil)
    await #expect(throws: RESTFailure.unavailable) { try await pool.work { try? stored.open().child("k3").scalar } }
    await pool.stop()
  }

  @Test("values and events are written by the pool when they are large, or not in memory")
  func takes() throws {
    var store = MemoryStore()
    let small = Node.empty.replacing((0..<200).map { (Path("k\($0)"), Node(.int(Int64($0)))) })
    let text = Node(.string(String(repeating: "x", count: 10_000)))
    let mixed = small.replacing("text", with: text)
    let large = Node(.string(String(repeating: "x", count: LargeValuePool.loopBytesMax)))
    #expect(!LargeValuePool.takes(small) && !LargeValuePool.takes(mixed) && LargeValuePool.takes(large))
    for node in [small, mixed] {
      let cold = try store.cold(node)
      #expect(LargeValuePool.takes(cold) && LargeValuePool.takes(.put(cold)))
      let entries = [Event.Entry(path: Path("a"), node: small), Event.Entry(path: Path("b"), node: cold)]
      #expect(LargeValuePool.takes(.merge(entries)))
      #expect(cold.json(.export) == node.json(.export), "this reads all of it")
      #expect(!LargeValuePool.takes(cold) && !LargeValuePool.takes(.put(cold)))
    }
    let cold = try store.cold(mixed)
    #expect(cold.child("k7").scalar == .int(7))
    #expect(LargeValuePool.takes(cold), "the text is not in memory")
  }

  @Test("a text with data that could not be read is not kept for the next client")
  func recentTexts() throws {
    var store = MemoryStore()
    let stored = try store.save(Node.empty.replacing((0..<200).map { (Path("k\($0)"), Node(.int(Int64($0)))) }))
    let pages = store.pages
    let recent = RecentTexts(memory: .ofTest())
    let node = try stored.open()
    func text() -> ByteBuffer? {
      recent.text(of: node, in: .push(Path("a"), tag: nil)) { ByteBuffer(bytes: node.json(.plain)) }?.bytes
    }
    pages.fail(after: 0)
    #expect(text() == nil)
    pages.fail(after: .max)
    #expect(text()?.readableBytes == node.json(.plain).count)
  }
}
