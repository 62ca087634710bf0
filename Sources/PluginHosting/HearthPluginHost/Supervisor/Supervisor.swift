import HearthPlugin
import HearthTree

/// A state machine that manages one plugin: it starts and ends processes, assigns requests to them, and decides the
/// callers' outcomes.
///
/// It has no processes, clocks or threads: events come in with the time, in milliseconds on a monotonic clock, and
/// ``takeEffects()`` returns the actions.
struct Supervisor {
  enum Mode: Equatable {
    case running
    case quarantined(String)
    case draining(until: Int64)
    case stopped
  }

  /// A request that was made and not answered.
  struct PendingRequest {
    var hook: PluginHook
    var input: [UInt8]
    var deadline: Int64
    /// The worker that has the request; nil while it waits.
    var worker: Int?
  }

  let limits: SupervisorLimits
  let expected: PluginExpectation
  var mode = Mode.stopped
  var workers: [Worker]
  var pendingRequests: [UInt64: PendingRequest] = [:]
  /// The waiting requests, the oldest first; ids that are no longer in ``pendingRequests`` are skipped.
  private var waiting: [UInt64] = []
  private var waitingHead = 0
  private var waitingCount = 0
  private var waitingBytes = 0
  var crashTimes: [Int64] = []
  private(set) var faultCount = 0
  private var random: any RandomNumberGenerator & Sendable
  private var effects: [SupervisorEffect] = []

  init(
    _ expected: PluginExpectation, limits: SupervisorLimits, random: any RandomNumberGenerator & Sendable
  ) {
    self.expected = expected
    self.limits = limits
    self.random = random
    workers = Array(repeating: Worker(), count: max(1, limits.workerCount))
  }

  var health: PluginHealth {
    switch mode {
    case .running: workers.contains { $0.isReady } ? .running : .starting
    case .quarantined(let reason): .quarantined(reason: reason)
    case .draining: .draining
    case .stopped: .stopped
    }
  }

  /// True when the plugin answers, or has crashed so often before that waiting for it is pointless.
  var isSettled: Bool { health != .starting || workers.allSatisfy { $0.crashCount >= 3 } }

  var restartCount: Int { workers.reduce(0) { $0 + $1.restartCount } }

  /// True when the passing of time can change the state.
  var needsTicks: Bool {
    !pendingRequests.isEmpty || workers.contains { $0.hasProcess && !$0.isReady || !$0.inFlight.isEmpty }
  }

  /// The time when a process is to be started again; nil when none is.
  var nextStart: Int64? {
    workers.compactMap { if case .waiting(let until) = $0.state { until } else { nil } }.min()
  }

  /// Removes and returns the pending actions, in order.
  mutating func takeEffects() -> [SupervisorEffect] {
    defer { effects = [] }
    return effects
  }

  mutating func add(_ effect: SupervisorEffect) { effects.append(effect) }

  // MARK: Requests

  /// Adds a request for a hook.
  ///
  /// - Parameters:
  ///   - id: never used before.
  ///   - input: a JSON value's text.
  ///   - deadline: the time at which the caller gives up.
  mutating func ask(_ id: UInt64, _ hook: PluginHook, _ input: [UInt8], deadline: Int64, now: Int64) {
    guard mode == .running else { return add(.finish(id, .down)) }
    let isFull = waitingCount >= limits.waitingMax || waitingBytes + input.count > limits.waitingBytesMax
    pendingRequests[id] = PendingRequest(hook: hook, input: input, deadline: deadline)
    if waitingCount == 0, let worker = freeWorker() { return assign(id, to: worker, now: now) }
    guard !isFull else {
      pendingRequests[id] = nil
      return add(.finish(id, .overloaded))
    }
    waiting.append(id)
    waitingCount += 1
    waitingBytes += input.count
  }

  /// Drops a request whose caller no longer waits, without an outcome.
  mutating func abandon(_ id: UInt64, now: Int64) { endRequest(id, nil, now: now) }

  /// Records that the process has read all but so many bytes of its input.
  mutating func noteUnread(_ bytes: Int, of worker: Int, now: Int64) {
    workers[worker].unreadBytes = bytes
    assignWaiting(now: now)
  }

  /// Ends a request whose deadline has passed.
  mutating func expire(_ id: UInt64, now: Int64) { endRequest(id, .late, now: now) }

  private mutating func endRequest(_ id: UInt64, _ outcome: PluginOutcome?, now: Int64) {
    guard let request = pendingRequests.removeValue(forKey: id) else { return }
    if let worker = request.worker {
      workers[worker].inFlight[id]?.abandonedAt = now
      if workers[worker].unreadBytes < limits.unreadBytesMax {
        add(.send(worker: worker, HostMessage.cancel(id: id).line))
      }
    } else {
      forgetWaiting(request)
    }
    if let outcome { add(.finish(id, outcome)) }
  }

  private mutating func forgetWaiting(_ request: PendingRequest) {
    waitingCount -= 1
    waitingBytes -= request.input.count
    // The ids of abandoned requests stay until their turn, and must not pile up before.
    if waiting.count - waitingHead > 2 * waitingCount + 64 {
      waiting = waiting[waitingHead...].filter { pendingRequests[$0] != nil }
      waitingHead = 0
    }
  }

  /// Returns the process with the fewest requests that can take another one; nil when there is none.
  private func freeWorker() -> Int? {
    workers.indices.filter {
      workers[$0].isReady && workers[$0].inFlight.count < limits.inFlightPerWorkerMax
        && workers[$0].unreadBytes < limits.unreadBytesMax
    }.min { workers[$0].inFlight.count < workers[$1].inFlight.count }
  }

  private mutating func assign(_ id: UInt64, to worker: Int, now: Int64) {
    guard let request = pendingRequests[id] else { return }
    pendingRequests[id]?.worker = worker
    pendingRequests[id]?.input = []
    workers[worker].inFlight[id] = Worker.InFlightRequest()
    var line = Array("{\"id\":\(id),\"hook\":\"\(request.hook.rawValue)\",".utf8)
    line += Array("\"deadlineMilliseconds\":\(max(1, request.deadline - now)),\"input\":".utf8)
    line += request.input
    line += Array("}\n".utf8)
    add(.send(worker: worker, line))
  }

  /// Assigns waiting requests to free processes.
  mutating func assignWaiting(now: Int64) {
    while waitingCount > 0, let worker = freeWorker() {
      guard waitingHead < waiting.count else { return }
      let id = waiting[waitingHead]
      waitingHead += 1
      if waitingHead == waiting.count { (waiting, waitingHead) = ([], 0) }
      guard let request = pendingRequests[id], request.worker == nil else { continue }
      waitingCount -= 1
      waitingBytes -= request.input.count
      assign(id, to: worker, now: now)
    }
  }

  /// Fails all requests.
  mutating func failAll(_ outcome: PluginOutcome) {
    for id in pendingRequests.keys.sorted() { add(.finish(id, outcome)) }
    pendingRequests = [:]
    (waiting, waitingHead, waitingCount, waitingBytes) = ([], 0, 0, 0)
  }

  // MARK: Messages of processes

  /// Handles a line of a process's standard output.
  mutating func received(_ line: ArraySlice<UInt8>, from worker: Int, now: Int64) {
    do throws(PluginFault) {
      try handle(try PluginMessage(line: line), from: worker, now: now)
    } catch {
      note(error, of: worker)
    }
  }

  private mutating func handle(_ message: PluginMessage, from worker: Int, now: Int64) throws(PluginFault) {
    switch (message, workers[worker].state) {
    case (.hello(let hello), .starting):
      if let problem = expected.problem(with: hello) { return kill(worker, "sent an invalid hello: \(problem)") }
      workers[worker].state = .ready(since: now)
      assignWaiting(now: now)
    case (.output(let id, let output), .ready), (.output(let id, let output), .ending):
      try finish(id, .output(output), worker, now: now)
    case (.failure(let id, let failure), .ready), (.failure(let id, let failure), .ending):
      try finish(id, .failed(failure), worker, now: now)
    // Revocations are not lost even when the process was killed after it sent them.
    case (.revoke(let revocation), .ready), (.revoke(let revocation), .ending), (.revoke(let revocation), .killed):
      guard expected.hooks.contains(.verifyToken) else { throw .outOfTurn }
      add(.revoke(revocation))
    case (_, .killed): break
    default: throw .outOfTurn
    }
  }

  private mutating func finish(
    _ id: UInt64, _ outcome: PluginOutcome, _ worker: Int, now: Int64
  ) throws(PluginFault) {
    guard let inFlight = workers[worker].inFlight.removeValue(forKey: id) else { throw .unknownID }
    if inFlight.abandonedAt == nil {
      pendingRequests[id] = nil
      add(.finish(id, outcome))
    }
    assignWaiting(now: now)
    endIfDrained(worker, now: now)
  }

  private mutating func note(_ fault: PluginFault, of worker: Int) {
    faultCount &+= 1
    workers[worker].faultCount += 1
    if workers[worker].faultCount == 1 {
      add(.log(isWarning: true, "worker \(worker) sent \(fault.rawValue)"))
    }
    if workers[worker].faultCount >= limits.faultsMax {
      kill(worker, "sent \(limits.faultsMax) invalid lines, the last one \(fault.rawValue)")
    }
  }

  // MARK: Jitter

  /// Returns the duration, varied by up to a fifth.
  mutating func jittered(_ milliseconds: Int64) -> Int64 {
    let fifth = max(1, milliseconds / 5)
    return milliseconds - fifth + Int64.random(in: 0...(2 * fifth), using: &random)
  }
}
