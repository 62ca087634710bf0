import Foundation

/// The time, and how to wait for it. Tests have one of their own.
package protocol AuthClock: Sendable {
  /// The time by this machine.
  var now: Date { get }
  /// Returns when that much time has passed; throws when the task is cancelled.
  func sleep(seconds: TimeInterval) async throws
}

struct SystemAuthClock: AuthClock {
  var now: Date { Date() }

  func sleep(seconds: TimeInterval) async throws {
    // A day at most: a longer time than any token's life, and one that no duration overflows at.
    try await Task.sleep(for: .seconds(min(max(seconds, 0), 86_400)))
  }
}
