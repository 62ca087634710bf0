/// The generic cell rate algorithm (ITU-T I.371): a token bucket that keeps one number and reads no clock.
///
/// It begins full. What is taken, what the bucket holds, and the clock are in one unit of time that its owner chooses:
/// an event costs the time in which the bucket refills by as much.
public struct TokenBucket: Sendable {
  /// The time when it is full, if nothing more is taken.
  private var fullAt: Int64 = 0

  /// A full bucket.
  public init() {}

  /// Returns true when it is as if nothing had ever been taken.
  public func isFull(at now: Int64) -> Bool { fullAt <= now }

  /// Returns the time until it is full.
  public func timeUntilFull(at now: Int64) -> Int64 { max(0, fullAt - now) }

  /// Takes `cost`, if it is there. What is larger than the bucket is taken when the bucket is full, and owed
  /// afterwards.
  ///
  /// - Returns: 0 when it was taken; otherwise the time until it is there, and nothing was taken.
  public mutating func take(_ cost: Int64, capacity: Int64, at now: Int64) -> Int64 {
    let start = max(fullAt, now)
    let wait = start - now + min(cost, capacity) - capacity
    guard wait <= 0 else { return wait }
    fullAt = start + cost
    return 0
  }

  /// Takes `cost`, whether it is there or not. The bucket is full after `timeMax` at most.
  public mutating func charge(_ cost: Int64, timeMax: Int64, at now: Int64) {
    fullAt = min(max(fullAt, now) + min(cost, timeMax), now + timeMax)
  }

  /// Returns what was taken to the bucket.
  public mutating func refund(_ cost: Int64) { fullAt -= cost }

  /// Becomes as empty as `other`, if that is emptier.
  public mutating func lower(to other: TokenBucket) { fullAt = max(fullAt, other.fullAt) }
}
