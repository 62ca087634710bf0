/// Events of a database that follows a log, on their way to the deciding queue: in order, and bounded.
struct ReplicationEventQueue: Sendable {
  /// The bytes of events from which ``DatabaseFollower/take(_:)`` waits.
  static let bytesMax = 32 << 20

  private var events: [ReplicationEvent] = []
  private(set) var sizeBytes = 0
  /// True when a sender waits for room.
  var isFull = false

  var isEmpty: Bool { events.isEmpty }

  mutating func append(_ event: ReplicationEvent) {
    events.append(event)
    sizeBytes += event.sizeBytes
  }

  mutating func take() -> [ReplicationEvent] {
    defer { (events, sizeBytes) = ([], 0) }
    return events
  }
}
