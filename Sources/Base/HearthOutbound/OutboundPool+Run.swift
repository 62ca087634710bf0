import Dispatch
import Synchronization

extension OutboundPool {
  /// Runs a transfer on one of the threads. It ends at its deadline, even when no thread has become free until then.
  /// When the task is cancelled, it ends within about a second, or at once while it waits for a thread.
  func run<Success: Sendable>(
    _ transfer: Transfer, _ body: @escaping @Sendable () -> Result<Success, OutboundError>
  ) async -> Result<Success, OutboundError> {
    let pending = PendingTransfer<Result<Success, OutboundError>>()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard pending.wait(continuation) else { return }
        switch submit({ if pending.begin() { pending.end(body()) } }) {
        case .refused: return pending.end(.failure(OutboundError(.busy, "too many requests are waiting")))
        // The thread itself ends the running transfer in time; a timer for each of many short transfers would stay for
        // long.
        case .started: return
        case .queued: break
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(transfer.millisecondsLeft ?? 0)) {
          [weak pending, weak transfer] in
          if let pending, let transfer { pending.giveUp(.failure(transfer.stopReason)) }
        }
      }
    } onCancel: {
      transfer.cancel()
      pending.giveUp(.failure(transfer.stopReason))
    }
  }
}

/// A transfer's place in the queue for a thread; its caller is answered exactly once.
private final class PendingTransfer<Answer: Sendable>: Sendable {
  private enum State {
    case new
    case waiting(CheckedContinuation<Answer, Never>)
    case working(CheckedContinuation<Answer, Never>)
    /// The transfer ended without running, before its caller waited for it.
    case abandoned(Answer)
    case over
  }

  private let state = Mutex(State.new)

  /// Registers the continuation. Returns false when the transfer has ended without running; the continuation is then
  /// resumed.
  func wait(_ continuation: CheckedContinuation<Answer, Never>) -> Bool {
    let answer = state.withLock { state -> Answer? in
      if case .abandoned(let answer) = state {
        state = .over
        return answer
      }
      state = .waiting(continuation)
      return nil
    }
    guard let answer else { return true }
    continuation.resume(returning: answer)
    return false
  }

  /// Marks the transfer as running; false when its caller no longer waits.
  func begin() -> Bool {
    state.withLock { state in
      guard case .waiting(let continuation) = state else { return false }
      state = .working(continuation)
      return true
    }
  }

  /// Answers the caller of a transfer that has no thread yet. A running transfer answers its caller itself.
  func giveUp(_ answer: Answer) {
    let continuation = state.withLock { state -> CheckedContinuation<Answer, Never>? in
      switch state {
      case .new:
        state = .abandoned(answer)
        return nil
      case .waiting(let continuation):
        state = .over
        return continuation
      case .working, .abandoned, .over: return nil
      }
    }
    continuation?.resume(returning: answer)
  }

  func end(_ answer: Answer) {
    let continuation = state.withLock { state -> CheckedContinuation<Answer, Never>? in
      defer { state = .over }
      switch state {
      case .waiting(let continuation), .working(let continuation): return continuation
      case .new, .abandoned, .over: return nil
      }
    }
    continuation?.resume(returning: answer)
  }
}
