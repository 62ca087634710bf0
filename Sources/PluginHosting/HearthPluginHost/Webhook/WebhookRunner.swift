import HearthOutbound
import HearthPlugin
import HearthSystem
import HearthTree
import Synchronization

/// A plugin that is a service: it is greeted, gets requests while it answers, and is greeted again when it does not.
final class WebhookRunner: PluginRunner {
  struct State {
    var health = WebhookHealth()
    var statistics = PluginStatistics()
    var lastID: UInt64 = 0
    /// The number of requests that are under way or wait for a connection.
    var openCount = 0
    /// The size of the requests that are under way or wait, in bytes.
    var openBytes = 0
    /// The task that greets the service until it answers; nil when there is none.
    var greeting: Task<Void, Never>?
    var readyWaiters: [CheckedContinuation<Void, Never>] = []
    var stopWaiters: [CheckedContinuation<Void, Never>] = []
  }

  /// The maximum number of requests under way or waiting; more fail at once.
  static let openMax = 1_024
  /// The maximum size of the requests under way or waiting, in bytes.
  static let openBytesMax = 16 << 20
  /// The time that a service may take to answer hello.
  static let helloMilliseconds: Int64 = 10_000

  let setup: PluginSetup
  let client: WebhookClient
  let concurrentRequestsMax: Int
  private let report: PluginReport
  private let pause: @Sendable (Int64) async throws -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - connections: the number of concurrent requests to the service.
  ///   - pause: waits so many milliseconds.
  init(
    _ setup: PluginSetup, _ client: WebhookClient, connections: Int, report: PluginReport,
    pause: @escaping @Sendable (Int64) async throws -> Void = { try await Task.sleep(for: .milliseconds($0)) }
  ) {
    (self.setup, self.client, self.report, self.pause) = (setup, client, report, pause)
    concurrentRequestsMax = connections
  }

  var deadlineMilliseconds: Int64 { setup.deadlineMilliseconds }

  var health: PluginHealth { state.withLock { $0.health.health } }

  var statistics: PluginStatistics {
    state.withLock { state in
      var statistics = state.statistics
      statistics.restartCount = state.health.returnCount
      return statistics
    }
  }

  func start() { greetFromNowOn() }

  // MARK: Greeting

  private func greetFromNowOn() {
    state.withLock { state in
      guard state.greeting == nil else { return }
      state.greeting = Task { await self.greet() }
    }
  }

  private func greet() async {
    while !Task.isCancelled {
      let problem = await hello()
      let wait = change { state, notifications -> Int64? in
        guard let problem else {
          state.greeting = nil
          if state.health.answeredHello() { notifications.events.append((false, "its service is reachable again")) }
          return nil
        }
        let former = state.health.mode
        let wait = state.health.failedHello(problem)
        if state.health.mode != former { notifications.events.append((true, "its service \(problem)")) }
        return wait
      }
      guard let wait else { return }
      do { try await pause(wait) } catch { return }
    }
  }

  /// Greets the service.
  ///
  /// - Returns: the problem; nil when it answers.
  private func hello() async -> String? {
    let message = HostMessage.hello(
      HostHello(server: setup.server, plugin: setup.expectation.name, worker: 0, settings: setup.settings))
    switch await client.send(message, named: "hello-\(nextID())", milliseconds: Self.helloMilliseconds) {
    case .success(.hello(let hello)):
      return setup.expectation.problem(with: hello).map { "sent an invalid hello: \($0)" }
    case .success(.failure(_, let failure)): return PluginOutcome.failed(failure).text
    case .success(.output), .success(.revoke): return "did not send hello"
    case .failure(let failure): return failure.outcome.text
    }
  }

  func waitUntilSettled(milliseconds: Int64) async {
    let timer = Task {
      try? await Task.sleep(for: .milliseconds(milliseconds))
      change { state, notifications in
        notifications.continuations += state.readyWaiters
        state.readyWaiters = []
      }
    }
    await withCheckedContinuation { continuation in
      change { state, _ in state.readyWaiters.append(continuation) }
    }
    timer.cancel()
  }

  // MARK: Requests

  func ask(_ hook: PluginHook, _ input: JSON, milliseconds: Int64) async -> PluginOutcome {
    let started = Clock.monotonicNanoseconds
    let outcome = await answer(hook, input, milliseconds: milliseconds)
    state.withLock { state in
      state.statistics.note(hook, outcome, nanoseconds: Clock.monotonicNanoseconds &- started)
    }
    return outcome
  }

  private func answer(_ hook: PluginHook, _ input: JSON, milliseconds: Int64) async -> PluginOutcome {
    let size = input.text().count
    let refusal = state.withLock { state -> PluginOutcome? in
      guard state.health.mode == .up else { return .down }
      guard state.openCount < Self.openMax, state.openBytes + size <= Self.openBytesMax else { return .overloaded }
      state.openCount += 1
      state.openBytes += size
      return nil
    }
    if let refusal { return refusal }
    let id = nextID()
    let request = PluginRequest(id: id, hook: hook, deadlineMilliseconds: max(1, milliseconds), input: input)
    let result = await client.send(.request(request), named: "\(id)", milliseconds: milliseconds)
    let (outcome, counts) = Self.outcome(of: result, id: id)
    let isDown = change { state, notifications -> Bool in
      state.openCount -= 1
      state.openBytes -= size
      if state.openCount == 0 { state.health.becameIdle() }
      guard counts, state.health.note(outcome) else { return false }
      notifications.events.append((true, "its service \(outcome.text); requests resume once it answers hello"))
      return true
    }
    if isDown { greetFromNowOn() }
    return outcome
  }

  /// Returns the outcome of a request, and whether it is evidence about the service.
  private static func outcome(
    of result: Result<PluginMessage, WebhookFailure>, id: UInt64
  ) -> (PluginOutcome, counts: Bool) {
    switch result {
    case .success(.output(id, let output)): (.output(output), true)
    case .success(.failure(id, let failure)): (.failed(failure), true)
    case .success(.output), .success(.failure): (.unusable(PluginFault.unknownID.rawValue), true)
    case .success(.hello), .success(.revoke): (.unusable(PluginFault.outOfTurn.rawValue), true)
    case .failure(let failure): (failure.outcome, !failure.wasCancelledByCaller)
    }
  }

  private func nextID() -> UInt64 {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  // MARK: Ending

  func stop() async {
    let greeting = change { state, _ -> Task<Void, Never>? in
      state.health.drain(isIdle: state.openCount == 0)
      return state.greeting
    }
    greeting?.cancel()
    await withCheckedContinuation { continuation in
      change { state, _ in state.stopWaiters.append(continuation) }
    }
    await greeting?.value
  }

  // MARK: Changes

  /// The notifications that follow once the lock is released.
  private struct Notifications {
    var events: [(isWarning: Bool, text: String)] = []
    var continuations: [CheckedContinuation<Void, Never>] = []
  }

  /// Changes the state, and resumes the callers that wait for it.
  @discardableResult
  private func change<Result>(_ body: (inout State, inout Notifications) -> Result) -> Result {
    var notifications = Notifications()
    let result = state.withLock { state -> Result in
      let result = body(&state, &notifications)
      if state.health.isSettled {
        notifications.continuations += state.readyWaiters
        state.readyWaiters = []
      }
      if state.health.mode == .stopped {
        notifications.continuations += state.stopWaiters
        state.stopWaiters = []
      }
      return result
    }
    for event in notifications.events { report.event(event.isWarning, event.text) }
    for continuation in notifications.continuations { continuation.resume() }
    return result
  }
}
