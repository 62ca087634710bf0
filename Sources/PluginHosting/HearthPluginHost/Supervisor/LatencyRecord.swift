/// The durations of a plugin's last requests, and the number of all failures.
struct LatencyRecord {
  /// The maximum number of requests that the percentiles cover.
  static let countMax = 1_024

  private var microseconds: [Int64] = []
  private var next = 0
  private(set) var requestCount = 0
  private(set) var failureCount = 0

  mutating func add(microseconds value: Int64, isFailure: Bool) {
    requestCount &+= 1
    if isFailure { failureCount &+= 1 }
    if microseconds.count < Self.countMax {
      microseconds.append(value)
    } else {
      microseconds[next] = value
      next = (next + 1) % Self.countMax
    }
  }

  /// Returns the duration that so many percent of the last requests stayed within; nil before the first.
  func percentile(_ percent: Int) -> Int64? {
    guard !microseconds.isEmpty else { return nil }
    let sorted = microseconds.sorted()
    return sorted[min(sorted.count - 1, max(0, (sorted.count * percent + 99) / 100 - 1))]
  }
}
