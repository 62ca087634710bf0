import HearthEngine

/// A count of the rules decisions in the last minutes, second by second.
public struct TrafficMeter: Sendable {
  private struct Second {
    var number: Int64 = .min
    var count = TrafficCount()
  }

  /// The longest interval of a count, in seconds.
  public static let secondsMax = 600

  private var seconds = [Second](repeating: Second(), count: secondsMax)

  /// Creates an empty meter.
  public init() {}

  /// Counts the decisions of a batch.
  ///
  /// - Parameter milliseconds: The present time, on a monotonic clock.
  public mutating func add(_ decided: RecordedDecisions, atMonotonicMilliseconds milliseconds: Int64) {
    let number = milliseconds / 1_000
    let slot = Self.slot(of: number)
    if seconds[slot].number != number { seconds[slot] = Second(number: number) }
    seconds[slot].count.allowedCount += decided.allowedCount
    seconds[slot].count.deniedCount += decided.deniedCount
    seconds[slot].count.cancelledCount += decided.cancelledCount
  }

  /// Returns the count of the last `milliseconds`. The interval is rounded to whole seconds, includes the current one,
  /// and has at most ``secondsMax``.
  public func count(inLastMilliseconds milliseconds: Int64, nowMonotonicMilliseconds now: Int64) -> TrafficCount {
    let asked = min(max(milliseconds, 1_000) / 1_000, Int64(Self.secondsMax))
    let numbers = now / 1_000 - asked + 1...now / 1_000
    var count = TrafficCount()
    count.milliseconds = asked * 1_000
    for second in seconds where numbers.contains(second.number) {
      count.allowedCount += second.count.allowedCount
      count.deniedCount += second.count.deniedCount
      count.cancelledCount += second.count.cancelledCount
    }
    return count
  }

  private static func slot(of number: Int64) -> Int {
    let rest = Int(number % Int64(secondsMax))
    return rest < 0 ? rest + secondsMax : rest
  }
}

/// The number of rules decisions in an interval.
public struct TrafficCount: Sendable, Equatable {
  /// The number of allowed requests.
  public var allowedCount = 0
  /// The number of denied requests, without cancelled listens.
  public var deniedCount = 0
  /// The number of cancelled listens.
  public var cancelledCount = 0
  /// The length of the interval, in milliseconds.
  public var milliseconds: Int64 = 0

  /// Creates an empty count.
  public init() {}

  /// The number of all decisions.
  public var decidedCount: Int { allowedCount + deniedCount + cancelledCount }

  /// The denied share of the requests, from 0 to 1; 0 when there were none. Cancelled listens do not count.
  public var deniedShare: Double {
    let count = allowedCount + deniedCount
    return count == 0 ? 0 : Double(deniedCount) / Double(count)
  }
}
