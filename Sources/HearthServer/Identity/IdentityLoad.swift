import Synchronization

/// Counts identity requests under way and refuses what is too many: each holds its body, and those that wait for a
/// password hash wait long.
final class IdentityLoad: Sendable {
  private let max: Int
  private let count = Atomic<Int>(0)
  private let isTold = Atomic<Bool>(false)

  init(max: Int) { self.max = max }

  /// Requests under way.
  var inFlightCount: Int { Swift.max(0, count.load(ordering: .relaxed)) }

  /// Takes a place; false when there is none.
  func begin() -> Bool {
    guard count.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue <= max else {
      end()
      return false
    }
    return true
  }

  func end() {
    let left = count.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    if left <= max / 2, isTold.load(ordering: .relaxed) { isTold.store(false, ordering: .relaxed) }
  }

  /// True for the first refusal since it was half empty: an operator needs no line for each.
  func isNews() -> Bool { !isTold.exchange(true, ordering: .relaxed) }

  /// Waits until nothing is under way, or the time is over.
  func drain(timeoutSeconds: Int = 15) async {
    for _ in 0..<(timeoutSeconds * 50) where count.load(ordering: .acquiring) > 0 {
      try? await Task.sleep(nanoseconds: 20_000_000)
    }
  }
}
