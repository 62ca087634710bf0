/// What happens to a database that follows a log, on its way to the deciding queue: in order, and not without bound.
struct FollowedEvents: Sendable {
  /// Whoever brings commits waits while these have more bytes than that.
  static let bytesMax = 32 << 20

  private var events: [FollowedEvent] = []
  private(set) var sizeBytes = 0
  /// Somebody waits until there is room.
  var isFull = false

  var isEmpty: Bool { events.isEmpty }

  mutating func append(_ event: FollowedEvent) {
    events.append(event)
    sizeBytes += event.sizeBytes
  }

  mutating func take() -> [FollowedEvent] {
    defer { (events, sizeBytes) = ([], 0) }
    return events
  }
}
