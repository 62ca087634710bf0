/// The generic cell rate algorithm (ITU-T I.371): a token bucket that stores one number and reads no clock.
///
/// It begins full. Costs, the capacity and the clock have the same unit of time, which the caller chooses: the cost of
/// an event is the time in which the bucket refills by as much.
public struct TokenBucket: Sendable {
  /// The time when the bucket will be full, if nothing more is taken.
  private var fullAt: Int64 = 0

  /// Creates a full bucket.
  public init() {}

  /// Returns true when the bucket is full.
  public func isFull(at now: Int64) -> Bool { fullAt <= now }

  /// Returns the time until the bucket is full.
  public func timeUntilFull(at now: Int64) -> Int64 { max(0, fullAt - now) }

  /// Takes `cost` if the bucket contains it. A cost above the capacity is taken when the bucket is full, which then has
  /// a debt.
  ///
  /// - Returns: 0 when it was taken; otherwise the time until it can be taken.
  public mutating func take(_ cost: Int64, capacity: Int64, at now: Int64) -> Int64 {
    let start = max(fullAt, now)
    let wait = start - now + min(cost, capacity) - capacity
    guard wait <= 0 else { return wait }
    fullAt = start + cost
    return 0
  }

  /// Takes `cost` in any case. The bucket is full again after at most `timeMax`.
  public mutating func charge(_ cost: Int64, timeMax: Int64, at now: Int64) {
    fullAt = min(max(fullAt, now) + min(cost, timeMax), now + timeMax)
  }

  /// Puts a taken cost back.
  public mutating func refund(_ cost: Int64) { fullAt -= cost }

  /// Lowers the content to that of `other`, if `other` contains less.
  public mutating func lower(to other: TokenBucket) { fullAt = max(fullAt, other.fullAt) }
}
