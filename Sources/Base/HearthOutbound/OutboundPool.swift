import Dispatch
import Synchronization

/// A pool of a few threads for transfers, which block, with a bounded queue of waiting transfers.
public final class OutboundPool: Sendable {
  /// The pool that the clients of a process share.
  public static let shared = OutboundPool()
  /// The pool that the mailers of a process share. It is separate from ``shared``, because a slow mail server would
  /// otherwise delay sign-ins.
  public static let mail = OutboundPool()

  private struct State {
    var idle: [DispatchQueue]
    var waiting: [@Sendable () -> Void] = []
  }

  private let queueMax: Int
  private let state: Mutex<State>

  /// - Parameters:
  /// - slots: The number of threads, and so of transfers at a time.
  /// - queueMax: The most transfers that wait for a thread.
  public init(slots: Int = OutboundLimits.slots, queueMax: Int = OutboundLimits.queueMax) {
    self.queueMax = queueMax
    // Serial queues use threads of their own, so blocking them takes no thread from Swift's tasks.
    state = Mutex(State(idle: (0..<max(1, slots)).map { DispatchQueue(label: "hearth.outbound.\($0)") }))
  }

  /// The result of submitting a job.
  enum Admission {
    /// A thread runs the job.
    case started
    /// The job runs as soon as a thread is free.
    case queued
    /// The job never runs: too many wait.
    case refused
  }

  /// Runs the job as soon as a thread is free, unless too many jobs are waiting.
  func submit(_ job: @escaping @Sendable () -> Void) -> Admission {
    enum Place {
      case lane(DispatchQueue)
      case queued
      case full
    }
    let place = state.withLock { state -> Place in
      if let lane = state.idle.popLast() { return .lane(lane) }
      guard state.waiting.count < queueMax else { return .full }
      state.waiting.append(job)
      return .queued
    }
    switch place {
    case .lane(let lane):
      lane.async { self.work(job, on: lane) }
      return .started
    case .queued: return .queued
    case .full: return .refused
    }
  }

  private func work(_ first: @Sendable () -> Void, on lane: DispatchQueue) {
    first()
    while let next = nextJob(orLeave: lane) { next() }
  }

  private func nextJob(orLeave lane: DispatchQueue) -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.idle.append(lane)
      return nil
    }
  }
}
