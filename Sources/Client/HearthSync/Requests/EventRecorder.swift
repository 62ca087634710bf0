/// The events that the current step has produced for the app, in order.
final class EventRecorder {
  private var events: [SyncEvent] = []

  /// True while the current step has produced no event.
  var isEmpty: Bool { events.isEmpty }

  func raise(_ new: [DataEvent]) {
    for event in new { events.append(.data(event)) }
  }

  func raise(_ event: SyncEvent) { events.append(event) }

  func raise(_ new: [SyncEvent]) { events += new }

  /// Removes and returns the events.
  func take() -> [SyncEvent] {
    defer { events = [] }
    return events
  }
}
