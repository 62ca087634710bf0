import HearthPlugin
import HearthSystem
import HearthTree
import Synchronization

/// A plugin that runs in processes of its own: its supervisor, its processes, and the callers that wait for their
/// answers.
///
/// Requests are written on the caller's thread, answers are read on the loop's thread.
final class ProcessRunner: PluginRunner {
  struct State {
    var supervisor: Supervisor
    var processes: [RunningProcess?]
    var waiters: [UInt64: Waiter] = [:]
    var statistics = PluginStatistics()
    var lastID: UInt64 = 0
    /// The workers whose process is to be started on the loop's thread.
    var starts: [Int] = []
    var readyWaiters: [CheckedContinuation<Void, Never>] = []
    var stopWaiters: [CheckedContinuation<Void, Never>] = []
    /// True while the loop checks deadlines every few milliseconds.
    var isTicking = false
  }

  struct Waiter {
    var hook: PluginHook
    var startedNanoseconds: UInt64
    var continuation: CheckedContinuation<PluginOutcome, Never>
  }

  let setup: PluginSetup
  let plan: ProcessPlan
  let state: Mutex<State>
  let loop: ProcessLoop
  let report: PluginReport

  /// - Parameters:
  ///   - plan: the plan for each of its processes.
  ///   - limits: the limits, such as the number of processes.
  init(
    _ setup: PluginSetup, _ plan: ProcessPlan, limits: SupervisorLimits, loop: ProcessLoop, report: PluginReport
  ) {
    self.setup = setup
    self.plan = plan
    self.loop = loop
    self.report = report
    let supervisor = Supervisor(setup.expectation, limits: limits, random: SystemRandomNumberGenerator())
    state = Mutex(
      State(supervisor: supervisor, processes: Array(repeating: nil, count: supervisor.workers.count)))
  }

  func start() {
    change { state, now in state.supervisor.start(now: now) }
    loop.add(self)
  }

  var deadlineMilliseconds: Int64 { setup.deadlineMilliseconds }

  var concurrentRequestsMax: Int {
    state.withLock { $0.supervisor.limits.inFlightPerWorkerMax * $0.supervisor.workers.count }
  }

  var health: PluginHealth { state.withLock { $0.supervisor.health } }

  var statistics: PluginStatistics {
    state.withLock { state in
      var statistics = state.statistics
      statistics.restartCount = state.supervisor.restartCount
      return statistics
    }
  }

  /// The ids of the existing processes.
  var processIDs: [Int32] { state.withLock { $0.processes.compactMap { $0?.process.id } } }

  /// The number of invalid lines of all processes so far.
  var faultCount: Int { state.withLock { $0.supervisor.faultCount } }

  /// Sends each process the bytes of a message that is no request.
  func send(_ bytes: [UInt8]) {
    change { state, _ in
      for worker in state.processes.indices { state.processes[worker]?.process.send(bytes) }
    }
  }

  // MARK: Requests

  func ask(_ hook: PluginHook, _ input: JSON, milliseconds: Int64) async -> PluginOutcome {
    let text = input.text()
    let started = Clock.monotonicNanoseconds
    let id = state.withLock { state -> UInt64 in
      state.lastID += 1
      return state.lastID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        change { state, now in
          state.waiters[id] = Waiter(hook: hook, startedNanoseconds: started, continuation: continuation)
          state.supervisor.ask(id, hook, text, deadline: now + max(1, milliseconds), now: now)
        }
        if Task.isCancelled { abandon(id) }
      }
    } onCancel: {
      abandon(id)
    }
  }

  private func abandon(_ id: UInt64) {
    let waiter = change { state, now -> Waiter? in
      guard let waiter = state.waiters.removeValue(forKey: id) else { return nil }
      state.supervisor.abandon(id, now: now)
      return waiter
    }
    waiter?.continuation.resume(returning: .late)
  }

  // MARK: Changes

  /// Changes the state, carries out the effects, and resumes waiting callers.
  @discardableResult
  func change<Result>(_ body: (inout State, _ now: Int64) -> Result) -> Result {
    var notifications = Notifications()
    let result = state.withLock { state -> Result in
      let now = Clock.monotonicMilliseconds
      let result = body(&state, now)
      perform(&state, now: now, &notifications)
      return result
    }
    deliver(notifications)
    return result
  }

  /// The notifications that follow once the lock is released.
  private struct Notifications {
    var outcomes: [(CheckedContinuation<PluginOutcome, Never>, PluginOutcome)] = []
    var events: [(isWarning: Bool, text: String)] = []
    var revocations: [TokenRevocation] = []
    var continuations: [CheckedContinuation<Void, Never>] = []
    var needsLoop = false
  }

  private func deliver(_ notifications: Notifications) {
    if notifications.needsLoop { loop.wake() }
    for event in notifications.events { report.event(event.isWarning, event.text) }
    // Revocations first, so that they apply to the answers that came after them.
    for revocation in notifications.revocations { report.revoked(revocation) }
    for (continuation, outcome) in notifications.outcomes { continuation.resume(returning: outcome) }
    for continuation in notifications.continuations { continuation.resume() }
  }

  private func perform(_ state: inout State, now: Int64, _ notifications: inout Notifications) {
    var effects = state.supervisor.takeEffects()
    while !effects.isEmpty {
      for effect in effects { perform(effect, &state, now: now, &notifications) }
      effects = state.supervisor.takeEffects()
    }
    let health = state.supervisor.health
    if state.supervisor.isSettled, !state.readyWaiters.isEmpty {
      notifications.continuations += state.readyWaiters
      state.readyWaiters = []
    }
    if health == .stopped, !state.stopWaiters.isEmpty {
      notifications.continuations += state.stopWaiters
      state.stopWaiters = []
    }
    // The loop wakes for deadlines only when it was asked to.
    if health == .stopped || state.supervisor.needsTicks && !state.isTicking { notifications.needsLoop = true }
  }

  private func perform(
    _ effect: SupervisorEffect, _ state: inout State, now: Int64, _ notifications: inout Notifications
  ) {
    switch effect {
    case .start(let worker):
      state.starts.append(worker)
      notifications.needsLoop = true
    case .send(let worker, let bytes):
      state.processes[worker]?.process.send(bytes)
      noteUnread(worker, &state, now: now, &notifications)
    case .close(let worker):
      state.processes[worker]?.process.closeInput()
      noteUnread(worker, &state, now: now, &notifications)
    case .kill(let worker): state.processes[worker]?.process.killGroup()
    case .finish(let id, let outcome):
      guard let waiter = state.waiters.removeValue(forKey: id) else { return }
      state.statistics.note(
        waiter.hook, outcome, nanoseconds: Clock.monotonicNanoseconds &- waiter.startedNanoseconds)
      notifications.outcomes.append((waiter.continuation, outcome))
    case .revoke(let revocation): notifications.revocations.append(revocation)
    case .log(let isWarning, let text): notifications.events.append((isWarning, text))
    }
  }

  private func noteUnread(_ worker: Int, _ state: inout State, now: Int64, _ notifications: inout Notifications) {
    let unread = state.processes[worker]?.process.unsentBytes ?? 0
    if unread > 0 { notifications.needsLoop = true }
    state.supervisor.noteUnread(unread, of: worker, now: now)
  }
}
