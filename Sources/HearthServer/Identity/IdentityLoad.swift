import Synchronization

/// Counts identity requests under way and refuses what is too many: each holds its body, and those that wait for a
/// password hash wait long.
final class IdentityLoad: Sendable {
  private let max: Int
  private let count = Atomic<Int>(0)

  init(max: Int) { self.max = max }

  /// Takes a place; false when there is none.
  func begin() -> Bool {
    guard count.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue <= max else {
      end()
      return false
    }
    return true
  }

  func end() { count.wrappingSubtract(1, ordering: .acquiringAndReleasing) }

  /// Waits until nothing is under way, or the time is over.
  func drain(timeoutSeconds: Int = 15) async {
    for _ in 0..<(timeoutSeconds * 50) where count.load(ordering: .acquiring) > 0 {
      try? await Task.sleep(nanoseconds: 20_000_000)
    }
  }
}
