import HearthSystem
import Synchronization

/// A limiter that lets one line a second through.
final class NoticeRateLimiter: Sendable {
  private let second = Atomic<Int64>(-1)

  func admits() -> Bool {
    let now = Clock.monotonicMilliseconds / 1_000
    return second.exchange(now, ordering: .relaxed) != now
  }
}
