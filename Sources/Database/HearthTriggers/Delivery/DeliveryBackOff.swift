/// The wait after a failure: 1, 2, 5, 10, 30, 60, 120, 300 seconds, then 600, each varied by up to a fifth.
enum DeliveryBackOff {
  private static let seconds: [Int64] = [1, 2, 5, 10, 30, 60, 120, 300, 600]

  /// Returns the wait.
  ///
  /// - Parameters:
  ///   - failures: The number of consecutive failures, from 1.
  ///   - chance: A random number from 0 to 1.
  static func milliseconds(failures: Int, chance: Double) -> Int64 {
    let step = seconds[min(max(failures, 1), seconds.count) - 1] * 1_000
    let share = min(max(chance, 0), 1) * 0.4 - 0.2
    return step + Int64(Double(step) * share)
  }
}
