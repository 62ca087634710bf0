/// A detector of triggers whose handler seems to write data that triggers it again: at least ``eventsPerMinute`` events
/// of one location in a minute.
struct TriggerLoopDetector: Sendable {
  private struct LocationKey: Hashable {
    var id: QueueID
    var ref: String
  }

  private var minute: Int64 = 0
  private var counts: [LocationKey: Int] = [:]

  /// The number of events of one location in a minute that causes a warning.
  static let eventsPerMinute = 1_000
  /// The number of locations that are counted in a minute; events of further locations are not counted.
  static let locationsMax = 10_000

  /// Counts an event.
  ///
  /// - Returns: True for the event that causes a warning.
  mutating func note(_ id: QueueID, ref: String, milliseconds: Int64) -> Bool {
    let now = milliseconds / 60_000
    if now != minute { (minute, counts) = (now, [:]) }
    let key = LocationKey(id: id, ref: ref)
    guard let count = counts[key] else {
      if counts.count < Self.locationsMax { counts[key] = 1 }
      return false
    }
    counts[key] = count + 1
    return count + 1 == Self.eventsPerMinute + 1
  }
}
