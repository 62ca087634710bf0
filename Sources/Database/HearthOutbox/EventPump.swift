import Dispatch
import Synchronization

/// The transfer of events from the disk to their receivers in steps. One step runs at a time, as soon as it is due.
final class EventPump: Sendable {
  private struct State: Sendable {
    var isStepDue = false
    var isStopped: Bool
    /// The time when the next step is due without another event.
    var timerMilliseconds: Int64?
  }

  private let table: QueueTable
  private let loader: EventLoader
  private let dispatcher: EventDispatcher
  private let environment: SenderEnvironment
  private let state: Mutex<State>
  /// The queue on which events are read from the disk and sent.
  private let queue = DispatchQueue(label: "hearth.triggers")

  /// - Parameter isRunning: False to do nothing in a step.
  init(
    table: QueueTable, loader: EventLoader, dispatcher: EventDispatcher, environment: SenderEnvironment,
    isRunning: Bool
  ) {
    (self.table, self.loader, self.dispatcher, self.environment) = (table, loader, dispatcher, environment)
    state = Mutex(State(isStopped: !isRunning))
  }

  /// Schedules the next step.
  func schedule() {
    let isFirst = state.withLock { state in
      defer { state.isStepDue = true }
      return !state.isStepDue
    }
    if isFirst { queue.async { self.step() } }
  }

  /// Runs `body` between two steps, then schedules the next one.
  func async(_ body: @escaping @Sendable () -> Void) {
    queue.async {
      body()
      self.schedule()
    }
  }

  /// Waits for the current step, runs `body`, and schedules the next step. Blocks.
  func sync(_ body: () -> Void) {
    queue.sync(execute: body)
    schedule()
  }

  /// Makes later steps do nothing.
  func stop() { state.withLock { $0.isStopped = true } }

  /// Waits for the current step. Blocks.
  func wait() { queue.sync {} }

  private func step() {
    let isStopped = state.withLock { state in
      state.isStepDue = false
      return state.isStopped
    }
    guard !isStopped else { return }
    let again: @Sendable () -> Void = { [weak self] in self?.schedule() }
    loader.load(again: again)
    dispatcher.start(ended: again)
    setTimer()
  }

  private func setTimer() {
    let next = table.state.withLock { table in
      table.triggers.values.compactMap(\.delivery.nextMilliseconds).filter { $0 > 0 }.min()
    }
    guard let next else { return }
    let isEarlier = state.withLock { state in
      if let timer = state.timerMilliseconds, timer <= next { return false }
      state.timerMilliseconds = next
      return true
    }
    guard isEarlier else { return }
    environment.schedule(max(1, next - environment.clock())) { [weak self] in
      guard let self else { return }
      state.withLock { state in
        if state.timerMilliseconds == next { state.timerMilliseconds = nil }
      }
      schedule()
    }
  }
}
