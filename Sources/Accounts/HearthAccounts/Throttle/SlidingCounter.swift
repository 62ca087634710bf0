/// The number of things that happened in the last while: never more than the limit in any period of that length.
///
/// The period is counted in seven parts, and what happened in an eighth is not yet forgotten, so a limit is kept for up to
/// a seventh longer than it says, and a counter has one size however large the limit.
struct SlidingCounter: Sendable {
  /// Counts by part number modulo 8.
  private var counts = SIMD8<Int32>.zero
  /// The newest part that was counted in.
  private var newest: Int64 = 0

  /// Things within the last period.
  mutating func count(periodMilliseconds: Int64, nowMilliseconds: Int64) -> Int {
    let part = nowMilliseconds / max(1, periodMilliseconds / 7)
    if part > newest {
      if part - newest >= 8 {
        counts = .zero
      } else {
        for passed in (newest + 1)...part { counts[Int(passed & 7)] = 0 }
      }
      newest = part
    }
    var sum = 0
    for lane in 0..<8 { sum += Int(counts[lane]) }
    return sum
  }

  /// Counts one thing, in the part that ``count(periodMilliseconds:nowMilliseconds:)`` saw last.
  mutating func add() {
    let lane = Int(newest & 7)
    if counts[lane] < .max { counts[lane] += 1 }
  }

  /// Counts one thing unless there are `limit` of them already; says whether it did.
  mutating func admit(_ limit: Int, periodMilliseconds: Int64, nowMilliseconds: Int64) -> Bool {
    guard count(periodMilliseconds: periodMilliseconds, nowMilliseconds: nowMilliseconds) < limit else { return false }
    add()
    return true
  }
}
