import HearthCrypto
import HearthSystem
import HearthTree
import Synchronization

/// Computes and checks password hashes, a few at a time: each needs up to 256 MiB and half a second of a processor, so
/// a flood of sign-ins must neither fill the memory nor stop the event loops.
package final class PasswordPool: Sendable {
  enum Verdict: Sendable, Equatable {
    /// - Parameter rehashed: a new stored string, when the old one is weaker than the present cost. Store it only if
    ///   the old one is unchanged.
    case right(rehashed: String?)
    case wrong
  }

  /// The maximum length of the queue, beside the running jobs. The last job waits about half a minute on a small machine, about as
  /// long as clients wait.
  static let queueCountMax = 64

  /// The part of the queue that one client may fill.
  static let queueCountPerClientMax = queueCountMax / 4

  private struct Job: Sendable {
    var run: @Sendable () -> Void
    var refuse: @Sendable () -> Void
  }

  /// The limits of the queue.
  struct Queue: Sendable {
    var countMax: Int
    var countPerClientMax: Int

    static let standard = Queue(countMax: queueCountMax, countPerClientMax: queueCountPerClientMax)
    /// The queue for a test suite: it is one client, which may create all its users at once; their hashes are cheap.
    static let emulator = Queue(countMax: 10_000, countPerClientMax: 10_000)
  }

  private struct State {
    var queue: FairQueue<String, Job>
    var running = 0
    var refusedCount = 0
  }

  /// The load at one moment.
  package struct Load: Sendable {
    /// Hashes that may be computed at once.
    package var slots: Int
    /// Hashes that are being computed.
    package var runningCount: Int
    /// Jobs that wait.
    package var waitingCount: Int
    /// Jobs that were refused so far, because the queue was full.
    package var refusedCount: Int
  }

  let cost: PasswordCost
  let slots: Int
  private let random: RandomBytes
  private let pepper: PasswordHash.Pepper?
  private let importKey: @Sendable (String) -> [UInt8]?
  private let startThread: @Sendable (@escaping @Sendable () -> Void) -> Bool
  private let state: Mutex<State>

  /// - Parameters:
  ///   - cost: the cost of new hashes. With a cost below the floor, as in development, stored hashes below the floor are accepted,
  ///     too.
  ///   - slots: the number of concurrent hashes; nil derives it from processors and memory.
  ///   - importKey: returns the key with the name that an imported hash has.
  ///   - startThread: runs work on another thread; returns false on failure.
  init(
    cost: PasswordCost, slots: Int?, random: RandomBytes, pepper: PasswordHash.Pepper? = nil,
    queue: Queue = .standard, importKey: @escaping @Sendable (String) -> [UInt8]?,
    startThread: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = WorkerThread.run
  ) {
    self.cost = cost
    self.slots = max(1, slots ?? Machine.current.hashSlots(cost: cost))
    self.random = random
    self.pepper = pepper
    self.importKey = importKey
    self.startThread = startThread
    state = Mutex(State(queue: FairQueue(countMax: queue.countMax, countPerClientMax: queue.countPerClientMax)))
  }

  /// Checks that the password matches `stored`. A wrong one takes the same work in every case, also when `stored` is
  /// nil because the account does not exist.
  ///
  /// - Throws: `unavailable` when the queue is full, at once and without any work.
  func check(
    _ password: String, against stored: String?, for client: String
  ) async throws(AccountError) -> Verdict {
    try await run(for: client) { [self] in verdict(password, stored) }
  }

  /// Returns true when the password matches `stored`, for an administrator, to whom the time it takes may reveal what
  /// is stored. The hash is not renewed.
  ///
  /// - Throws: `unavailable` when the queue is full.
  func isRight(_ password: String, against stored: String, for client: String) async throws(AccountError) -> Bool {
    try await run(for: client) { [cost, pepper, importKey] in
      PasswordHash.verify(
        password, against: stored, allowsDeveloperCost: cost.isBelowFloor, pepper: pepper, signerKey: importKey)
    }
  }

  /// Returns the stored string of a new password.
  ///
  /// - Throws: `unavailable` when the queue is full, or memory or randomness fails; `weakPassword` for an empty one or
  ///   one of more than 4,096 bytes.
  func hash(_ password: String, for client: String) async throws(AccountError) -> String {
    let length = password.utf8.count
    guard length > 0 else { throw AccountError(.weakPassword, "Password should be at least 1 character") }
    guard length <= PasswordHash.passwordBytesMax else {
      throw AccountError(.weakPassword, "Password should be at most \(PasswordHash.passwordBytesMax) bytes")
    }
    let made = try await run(for: client) { [cost, pepper, random] in
      Result { () throws(PasswordHashError) in
        try PasswordHash.make(password, cost: cost, pepper: pepper, random: random)
      }
    }
    guard case .success(let stored) = made else { throw AccountError(.unavailable) }
    return stored
  }

  /// Returns the seconds that one hash takes on the calling thread: for a warning when a server starts.
  package func measure() -> Double {
    let duration = ContinuousClock().measure { _ = verdict("measure", nil) }
    let (seconds, attoseconds) = duration.components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  /// Jobs that wait.
  var waitingCount: Int { state.withLock { $0.queue.count } }

  /// The current load.
  package var currentLoad: Load {
    state.withLock {
      Load(
        slots: slots, runningCount: $0.running, waitingCount: $0.queue.count, refusedCount: $0.refusedCount)
    }
  }

  private func verdict(_ password: String, _ stored: String?) -> Verdict {
    guard
      PasswordHash.verifyWithConstantWork(
        password, against: stored, cost: cost, allowsDeveloperCost: cost.isBelowFloor, pepper: pepper,
        signerKey: importKey),
      let stored
    else { return .wrong }
    guard PasswordHash.needsRehash(stored, cost: cost, pepper: pepper) else { return .right(rehashed: nil) }
    // Without memory or randomness the sign-in still succeeds; the next sign-in tries to rehash again.
    return .right(rehashed: try? PasswordHash.make(password, cost: cost, pepper: pepper, random: random))
  }

  private func run<T: Sendable>(
    for client: String, _ work: @escaping @Sendable () -> T
  ) async throws(AccountError) -> T {
    let result = await withCheckedContinuation { (continuation: CheckedContinuation<T?, Never>) in
      let job = Job(
        run: { continuation.resume(returning: work()) }, refuse: { continuation.resume(returning: nil) })
      startOrQueue(job, for: ClientNetwork(client))
    }
    guard let result else { throw AccountError(.unavailable) }
    return result
  }

  /// Starts the job, queues it, or refuses it.
  private func startOrQueue(_ job: Job, for client: ClientNetwork) {
    enum Decision { case start, wait, full }
    let decision = state.withLock { state -> Decision in
      if state.running < slots {
        state.running += 1
        return .start
      }
      if state.queue.append(job, for: client.text, in: client.prefix) { return .wait }
      state.refusedCount += 1
      return .full
    }
    switch decision {
    case .wait: return
    case .full: job.refuse()
    case .start:
      if startThread({ [self] in work(job) }) { return }
      job.refuse()
      for waiting in releaseSlot() { waiting.refuse() }
    }
  }

  /// Releases the slot of a thread that failed to start. Jobs that were queued behind it are returned, unless another
  /// thread runs: no thread would pick them up.
  private func releaseSlot() -> [Job] {
    state.withLock { state in
      state.running -= 1
      var stranded: [Job] = []
      while state.running == 0, let job = state.queue.popFirst() { stranded.append(job) }
      return stranded
    }
  }

  /// Runs the job, and then the queued ones, until the queue is empty.
  private func work(_ first: Job) {
    var next: Job? = first
    while let job = next {
      job.run()
      next = state.withLock { state in
        let job = state.queue.popFirst()
        if job == nil { state.running -= 1 }
        return job
      }
    }
  }
}
