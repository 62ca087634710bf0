import HearthSystem
import Logging
import Synchronization

/// A rate limit for log lines that clients can cause: so many lines a second, and then one with the number of missing
/// ones.
final class LogRateLimiter: Sendable {
  private struct State {
    var second: Int64 = 0
    var lines = 0
    var skipped = 0
  }

  /// The maximum number of lines a second: more than an operator reads, and too few to slow a disk down.
  static let linesPerSecondMax = 100

  private let state = Mutex(State())
  private let clock: @Sendable () -> Int64

  /// - Parameter clock: milliseconds on the monotonic clock.
  init(clock: @escaping @Sendable () -> Int64 = { Clock.monotonicMilliseconds }) { self.clock = clock }

  /// Returns true, and counts a line, when there is room in this second.
  func admits() -> Bool {
    let second = clock() / 1000
    return state.withLock { state in
      if second != state.second { (state.second, state.lines) = (second, 0) }
      guard state.lines < Self.linesPerSecondMax else { return false }
      state.lines += 1
      return true
    }
  }

  /// Calls `write` when there is room for a line in this second; first logs the number of lines omitted in an earlier
  /// one.
  func log(to logger: Logger, _ write: () -> Void) {
    let second = clock() / 1000
    let (isAdmitted, skipped) = state.withLock { state -> (Bool, Int) in
      var skipped = 0
      if second != state.second {
        (skipped, state.skipped) = (state.skipped, 0)
        (state.second, state.lines) = (second, 0)
      }
      guard state.lines < Self.linesPerSecondMax else {
        state.skipped += 1
        return (false, 0)
      }
      state.lines += 1
      return (true, skipped)
    }
    if skipped > 0 {
      logger.warning("too many refusals at once; some were not logged", metadata: ["missing": "\(skipped)"])
    }
    if isAdmitted { write() }
  }
}
