import HearthEngine

/// The number of decisions that were made in the last minutes, second by second.
public struct TrafficMeter: Sendable {
  private struct Second {
    var number: Int64 = .min
    var count = TrafficCount()
  }

  /// As far back as is told.
  public static let secondsMax = 600

  private var seconds = [Second](repeating: Second(), count: secondsMax)

  /// Nothing was counted.
  public init() {}

  /// Counts the decisions of a batch.
  ///
  /// - Parameter milliseconds: Now, on a clock that never goes back.
  public mutating func add(_ decided: DecidedCases, atMonotonicMilliseconds milliseconds: Int64) {
    let number = milliseconds / 1_000
    let slot = Self.slot(of: number)
    if seconds[slot].number != number { seconds[slot] = Second(number: number) }
    seconds[slot].count.allowedCount += decided.allowedCount
    seconds[slot].count.deniedCount += decided.deniedCount
    seconds[slot].count.cancelledCount += decided.cancelledCount
  }

  /// What was counted in the last so many milliseconds: in whole seconds, the one under way among them, and no more than
  /// ``secondsMax``.
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

/// Decisions of the rules in some time.
public struct TrafficCount: Sendable, Equatable {
  /// How many were allowed.
  public var allowedCount = 0
  /// How many were denied, listens that were cancelled not among them.
  public var deniedCount = 0
  /// The number of listens that were cancelled.
  public var cancelledCount = 0
  /// In how long.
  public var milliseconds: Int64 = 0

  /// Nothing.
  public init() {}

  /// All of them.
  public var decidedCount: Int { allowedCount + deniedCount + cancelledCount }

  /// What share of them was denied, from 0 to 1; 0 when nothing was decided. Listens that were cancelled do not count.
  public var deniedShare: Double {
    let count = allowedCount + deniedCount
    return count == 0 ? 0 : Double(deniedCount) / Double(count)
  }
}
