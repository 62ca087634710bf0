import HearthEngine
import HearthSystem
import HearthTransport
import HearthTree
import NIOCore
import NIOPosix
import Synchronization

/// A pool of a few threads that read and write large values as JSON, and values that are not in memory, so that event
/// loops stay responsive for other clients. They have a lower priority than the event loops, with which they may share
/// a processor.
package struct LargeValuePool: Sendable {
  /// The size of JSON, in bytes, up to which it is handled on the event loop: about a millisecond's work. Only larger
  /// responses are measured before they are sent.
  static let loopBytesMax = QuotaLimits.answerBytesMin

  /// The number of children up to which a node is read on the event loop: well below a millisecond's work.
  static let loopChildrenMax = 1_000

  /// The number of threads: enough to keep a core busy while others wait for the disk.
  static let threadCount = 4

  /// The size up to which a value that is read stays in its version of the data; of a larger one only the part that is
  /// being written is in memory.
  static let installedBytesMax = 1 << 20

  /// The memory in which the texts are counted.
  let memory: ClientMemory
  /// The texts that several clients are sent.
  let recent: RecentTexts
  private let jobs: PoolJobMonitor
  private let threads = NIOThreadPool(numberOfThreads: threadCount)
  private let state: State

  private final class State: Sendable {
    struct Content {
      var queue: PoolQueue
      var isStopped = false
    }
    let content: Mutex<Content>
    init(waitingMax: Int) { content = Mutex(Content(queue: PoolQueue(waitingMax: waitingMax))) }
  }

  init(
    memory: ClientMemory, jobs: PoolJobMonitor = PoolJobMonitor(), waitingMax: Int = DeliveryLimits.poolWaitingMax
  ) {
    (self.memory, self.jobs) = (memory, jobs)
    recent = RecentTexts(memory: memory)
    state = State(waitingMax: waitingMax)
  }

  /// Starts the threads. Work is refused until they have started.
  package func start() { threads.start() }

  /// Waits for the work under way, and refuses all other work.
  package func stop() async {
    let waiting = state.content.withLock { content in
      content.isStopped = true
      return content.queue.removeAll()
    }
    for job in waiting { job.perform(true) }
    try? await threads.shutdownGracefully()
  }

  /// Runs `work` away from the loop, in the turn of its client. Data that is not in memory is read.
  ///
  /// - Parameters:
  ///   - client: the client, which takes turns with others.
  ///   - lane: the duration class.
  ///   - completion: called on `loop`; with nil when too much work waits, when data cannot be read, and when the server
  ///     stops.
  package func run<Result: Sendable>(
    on loop: any EventLoop, for client: PoolClient = .server, lane: PoolQueue.Lane = .short,
    _ work: @escaping @Sendable () -> Result, completion: @escaping (Result?) -> Void
  ) {
    let promise = loop.makePromise(of: Result?.self)
    promise.futureResult.assumeIsolated().whenComplete { completion((try? $0.get()) ?? nil) }
    add(PoolQueue.Job(lane: lane) { promise.succeed($0 ? nil : Self.complete(lane, work)) }, for: client)
  }

  /// Runs `work` on this loop, or away from it when it needs data that is not in memory.
  ///
  /// - Parameters:
  ///   - work: has no effects, because it may run twice.
  ///   - completion: called on `loop`, at once when all data is in memory; with nil as by
  ///     ``run(on:for:lane:_:completion:)``.
  func read<Result: Sendable>(
    on loop: any EventLoop, for client: PoolClient, _ work: @escaping @Sendable () -> Result,
    completion: @escaping (Result?) -> Void
  ) {
    if let result = FaultScope.resident(work) { return completion(result) }
    run(on: loop, for: client, work, completion: completion)
  }

  /// Runs `work` on a thread of the pool.
  ///
  /// - Throws: the error of `work`; 503 when data cannot be read, and when the server stops.
  func work<Result: Sendable>(
    _ work: @escaping @Sendable () throws(RESTFailure) -> Result
  ) async throws(RESTFailure) -> Result {
    typealias Outcome = Swift.Result<Result, RESTFailure>
    let result = await withCheckedContinuation { (done: CheckedContinuation<Outcome?, Never>) in
      let job = PoolQueue.Job(lane: .short) { isRefused in
        done.resume(
          returning: isRefused
            ? nil : Self.complete(.short) { Outcome { () throws(RESTFailure) in try work() } })
      }
      add(job, for: .server)
    }
    guard let result else { throw .unavailable }
    return try result.get()
  }

  /// Returns the result of `work`; nil when data could not be read.
  private static func complete<Result>(_ lane: PoolQueue.Lane, _ work: () -> Result) -> Result? {
    ThreadPriority.lower()
    let (result, faults) = FaultScope.run(lane == .long ? .stream : .install, work)
    return faults.failed == 0 ? result : nil
  }

  private func add(_ work: PoolQueue.Job, for client: PoolClient) {
    let period = jobs.period
    let job = PoolQueue.Job(lane: work.lane) { isRefused in withExtendedLifetime(period) { work.perform(isRefused) } }
    let isTaken = state.content.withLock { !$0.isStopped && $0.queue.append(job, for: client) }
    guard isTaken else { return job.perform(true) }
    threads.submit { [state] work in
      // As many times as jobs were added; a job that had to wait for another one runs after it.
      while let job = state.content.withLock({ $0.queue.next() }) {
        job.perform(work == .cancelled)
        state.content.withLock { $0.queue.ended(job) }
      }
    }
  }
}

extension PoolQueue.Lane {
  /// The lane of work that reads a value.
  init(_ node: Node) {
    self = node.heldBytes(upTo: LargeValuePool.installedBytesMax) > LargeValuePool.installedBytesMax ? .long : .short
  }

  /// The lane of work that reads the values of an event.
  init(_ change: Event.Change) {
    self = change.allNodesSatisfy { PoolQueue.Lane($0) == .short } ? .short : .long
  }

  /// The lane of work that makes the node of a query's result.
  init(_ result: QueryResult) { self = result.childrenReadMax > LargeValuePool.loopChildrenMax ? .long : .short }
}
