import Foundation

/// A clock with a timer, replaceable in tests.
package protocol AuthClock: Sendable {
  /// The current time.
  var now: Date { get }
  /// Waits for the given time; throws when the task is cancelled.
  func sleep(seconds: TimeInterval) async throws
}

struct SystemAuthClock: AuthClock {
  var now: Date { Date() }

  func sleep(seconds: TimeInterval) async throws {
    // Waits a day at most, which is longer than the lifetime of any token, to avoid an overflow.
    let seconds = seconds > 0 ? min(seconds, 86_400) : 0
    try await Task.sleep(nanoseconds: UInt64(seconds * 1e9))
  }
}
