import CPostgres
import Glibc
import Synchronization

/// A connection with its own thread, which waits only for the connection's socket; requests are queued.
///
/// All queued requests share one transaction, up to ``PostgresLimits``, so that many databases share one round trip and
/// one wait for the disks. A lost connection is replaced when there is a request to send; the outcome of requests in
/// flight is then unknown.
final class PostgresWorker: Sendable {
  /// The statements that set up and prepare each connection.
  struct SetUp: Sendable {
    var statements: [PostgresStatement]
    var prepared: [PostgresSQL]
  }

  private struct Inbox {
    var waiting: [PostgresRequest] = []
    /// The requests that were undone together with a failed one, and are retried one by one.
    var alone: [PostgresRequest] = []
    /// True when the thread waits and must be woken for new requests.
    var isAsleep = false
    var isClosed = false
    var isOver = false

    var isEmpty: Bool { waiting.isEmpty && alone.isEmpty }
  }

  private let address: PostgresAddress
  private let setUp: SetUp
  private let inbox = Mutex(Inbox())
  private let wakeRead: Int32
  private let wakeWrite: Int32

  /// Starts the thread, which connects at the first request; nil when there is no thread or descriptor left.
  init?(_ address: PostgresAddress, _ setUp: SetUp) {
    var ends: [Int32] = [-1, -1]
    guard hearth_pipe(&ends) == 0 else { return nil }
    (self.address, self.setUp) = (address, setUp)
    (wakeRead, wakeWrite) = (ends[0], ends[1])
    var thread = pthread_t()
    let worker = Unmanaged.passRetained(self)
    let problem = pthread_create(
      &thread, nil,
      { worker in
        if let worker { Unmanaged<PostgresWorker>.fromOpaque(worker).takeRetainedValue().run() }
        return nil
      }, worker.toOpaque())
    guard problem == 0 else {
      worker.release()
      return nil
    }
    pthread_detach(thread)
  }

  deinit {
    _ = Glibc.close(wakeRead)
    _ = Glibc.close(wakeWrite)
  }

  /// The monotonic clock in nanoseconds.
  static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }

  /// Queues a request.
  func submit(_ request: PostgresRequest) {
    let (isWaking, isClosed) = inbox.withLock { inbox in
      guard !inbox.isClosed else { return (false, true) }
      inbox.waiting.append(request)
      defer { inbox.isAsleep = false }
      return (inbox.isAsleep, false)
    }
    if isClosed { request.finish(.unsent("the connections were closed")) }
    if isWaking { wake() }
  }

  /// Makes the thread end after its queued and pending requests.
  func close() {
    inbox.withLock { inbox in
      inbox.isClosed = true
      inbox.isAsleep = false
    }
    wake()
  }

  /// True when the thread has ended, and the connection with it.
  var isOver: Bool { inbox.withLock { $0.isOver } }

  private func wake() {
    var byte: UInt8 = 1
    _ = write(wakeWrite, &byte, 1)
  }

  // MARK: The thread

  private func run() {
    var session: PostgresSession?
    var pause: Int32 = 0
    while true {
      guard let current = session else {
        if pause == 0 { guard waitForWork() else { break } } else { sleepUntilWoken(pause) }
        failLate()
        if isDone() { break }
        if inbox.withLock({ $0.isEmpty }) {
          pause = 0
          continue
        }
        do {
          session = try PostgresSession(address, setUp, deadline: Self.now + Self.setUpNanoseconds)
          pause = 0
        } catch {
          noteUnreachable(error)
          pause = min(1_000, max(10, pause * 2))
        }
        continue
      }
      if !turn(current) { session = nil }
      if session == nil || current.isIdle, isDone() { break }
    }
    session = nil
    inbox.withLock { $0.isOver = true }
  }

  /// The time limit of a new connection's first statements.
  private static let setUpNanoseconds: UInt64 = 5_000_000_000

  private func isDone() -> Bool { inbox.withLock { $0.isClosed && $0.isEmpty } }

  /// Waits for work without a connection. False when there will be no more.
  private func waitForWork() -> Bool {
    while true {
      let (hasWork, isClosed) = inbox.withLock { inbox in
        inbox.isAsleep = inbox.isEmpty && !inbox.isClosed
        return (!inbox.isEmpty, inbox.isClosed)
      }
      if hasWork { return true }
      if isClosed { return false }
      sleepUntilWoken(-1)
    }
  }

  private func sleepUntilWoken(_ milliseconds: Int32) {
    var watched = [pollfd(fd: wakeRead, events: Int16(POLLIN), revents: 0)]
    _ = poll(&watched, 1, milliseconds)
    drainWakes()
  }

  private func drainWakes() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(wakeRead, &bytes, bytes.count) == bytes.count {}
  }

  /// Performs one round with a connection. False when the connection is lost.
  private func turn(_ session: PostgresSession) -> Bool {
    failLate()
    while session.hasRoom, let requests = take() { session.begin(requests) }
    let isAlive = session.push() && !session.isLate(Self.now)
    if isAlive {
      let canTakeMore = session.hasRoom
      let isWaiting = inbox.withLock { inbox in
        let isWaiting = !canTakeMore || inbox.isEmpty && !(inbox.isClosed && session.isIdle)
        inbox.isAsleep = isWaiting && canTakeMore
        return isWaiting
      }
      if session.wait(waking: wakeRead, milliseconds: isWaiting ? session.pollTimeout(Self.now) : 0) { drainWakes() }
      inbox.withLock { $0.isAsleep = false }
      if session.receive() {
        retry(session.takeRetriedAlone())
        if !session.needsReplacement || !session.isIdle { return true }
      }
    }
    retry(session.takeRetriedAlone())
    session.lose()
    return false
  }

  /// Removes and returns the requests of the next transaction.
  private func take() -> [PostgresRequest]? {
    inbox.withLock { inbox in
      if !inbox.alone.isEmpty { return [inbox.alone.removeFirst()] }
      guard !inbox.waiting.isEmpty else { return nil }
      var (count, sizeBytes) = (0, 0)
      for request in inbox.waiting.prefix(PostgresLimits.requestsPerTransaction) {
        guard count == 0 || sizeBytes + request.sizeBytes <= PostgresLimits.transactionBytes else { break }
        (count, sizeBytes) = (count + 1, sizeBytes + request.sizeBytes)
      }
      defer { inbox.waiting.removeFirst(count) }
      return Array(inbox.waiting.prefix(count))
    }
  }

  private func retry(_ requests: [PostgresRequest]) {
    guard !requests.isEmpty else { return }
    inbox.withLock { $0.alone.append(contentsOf: requests) }
  }

  /// Fails unsent requests that have waited too long.
  private func failLate() {
    let now = Self.now
    let late = inbox.withLock { inbox in
      guard inbox.waiting.contains(where: { $0.deadline <= now }) || inbox.alone.contains(where: { $0.deadline <= now })
      else { return [PostgresRequest]() }
      defer {
        inbox.waiting.removeAll { $0.deadline <= now }
        inbox.alone.removeAll { $0.deadline <= now }
      }
      return (inbox.alone + inbox.waiting).filter { $0.deadline <= now }
    }
    for request in late { request.finish(.unsent("\(address) did not answer in time")) }
  }

  /// Fails the requests with ``PostgresRequest/failsIfUnreachable``, because no connection can be made now.
  private func noteUnreachable(_ problem: PostgresLink.Problem) {
    let ended = inbox.withLock { inbox in
      let isClosed = inbox.isClosed
      defer {
        inbox.waiting.removeAll { $0.failsIfUnreachable || isClosed }
        inbox.alone.removeAll { $0.failsIfUnreachable || isClosed }
      }
      return (inbox.alone + inbox.waiting).filter { $0.failsIfUnreachable || isClosed }
    }
    for request in ended {
      request.finish(
        problem.state.isEmpty
          ? .unsent(problem.message) : .refused(PostgresFault(state: problem.state, message: problem.message)))
    }
  }
}

extension PostgresWorker {
  /// Blocks the calling thread.
  static func pause(milliseconds: UInt32) { _ = usleep(milliseconds * 1_000) }
}
