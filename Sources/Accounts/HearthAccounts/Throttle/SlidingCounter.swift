/// A sliding-window counter: it admits at most the limit in any period of its length.
///
/// The period is divided into seven parts, plus one that is still counted, so a limit applies for up to a seventh
/// longer than the period, and a counter has a fixed size.
struct SlidingCounter: Sendable {
  /// The counts, by part number modulo 8.
  private var counts = SIMD8<Int32>.zero
  /// The newest part with a count.
  private var newest: Int64 = 0

  /// Returns the number of events within the last period.
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

  /// Counts one event, in the part of the last ``count(periodMilliseconds:nowMilliseconds:)``.
  mutating func add() {
    let lane = Int(newest & 7)
    if counts[lane] < .max { counts[lane] += 1 }
  }

  /// Counts one event unless there are `limit` already; returns true when it did.
  mutating func admit(_ limit: Int, periodMilliseconds: Int64, nowMilliseconds: Int64) -> Bool {
    guard count(periodMilliseconds: periodMilliseconds, nowMilliseconds: nowMilliseconds) < limit else { return false }
    add()
    return true
  }
}
