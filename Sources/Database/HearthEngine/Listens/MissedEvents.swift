import HearthRules
import HearthTree

/// The event at which a listen stopped receiving events because it was in doubt.
struct MissedEvent {
  /// The number of the event in ``MissedEvents``.
  var number: Int
  /// The last commit that the listen has received before.
  var lastPosition: Int64
  /// The ``Connection/principalSerial`` at that time.
  var principalSerial: UInt64

  /// Returns the value for a listen that must receive the present data.
  static func everything(after lastPosition: Int64) -> MissedEvent {
    MissedEvent(number: -1, lastPosition: lastPosition, principalSerial: 0)
  }
}

/// The events of one location that some of its listens have not received yet, each with the data and the rules of its
/// time.
///
/// A listen that is still permitted receives them afterwards, unless it was not permitted at one of them. Only the last
/// events are kept; a listen that missed more receives the present data.
final class MissedEvents {
  struct Entry {
    var event: Event
    var root: Node
    var rules: RuleSet
  }

  /// The ``ListenNode`` or ``QueryGroup``, retained so that its identity stays unique.
  let owner: AnyObject
  private(set) var entries: [Entry] = []
  private var droppedCount = 0

  init(of owner: AnyObject) { self.owner = owner }

  /// The number of the next event.
  var nextNumber: Int { droppedCount + entries.count }

  func append(_ entry: Entry, countMax: Int) {
    entries.append(entry)
    if entries.count > countMax { drop(entries.count - countMax) }
  }

  func drop(_ count: Int) {
    entries.removeFirst(count)
    droppedCount += count
  }

  /// Returns all events from `number` on, or nil when some of them were dropped.
  func entries(from number: Int) -> ArraySlice<Entry>? {
    number < droppedCount ? nil : entries[min(number - droppedCount, entries.count)...]
  }
}

/// Events for listens whose decisions were pending: one effect for all recipients of the same event.
struct CatchUpEvents {
  private var entries: [(event: Event, connections: [ConnectionID], tagged: [TaggedRecipient])] = []
  private var slots: [ObjectIdentifier: Int] = [:]
  /// The present data of a node or group, as one event for all its recipients.
  private var values: [ObjectIdentifier: Event] = [:]

  var isEmpty: Bool { entries.isEmpty }

  mutating func add(_ event: Event, to listen: Listen) {
    let slot = slots[ObjectIdentifier(event)] ?? entries.count
    if slot == entries.count {
      slots[ObjectIdentifier(event)] = slot
      entries.append((event, [], []))
    }
    if let tag = listen.tag {
      entries[slot].tagged.append(TaggedRecipient(connection: listen.connection.id, tag: tag))
    } else {
      entries[slot].connections.append(listen.connection.id)
    }
  }

  /// Returns the event with all data for the listens of one node or group.
  mutating func value(of owner: AnyObject, make: () -> Event) -> Event {
    if let known = values[ObjectIdentifier(owner)] { return known }
    let event = make()
    values[ObjectIdentifier(owner)] = event
    return event
  }

  /// Returns the effects, in the order of commits.
  mutating func take() -> [Effect] {
    let sorted = entries.enumerated().sorted {
      ($0.element.event.position, $0.offset) < ($1.element.event.position, $1.offset)
    }
    self = CatchUpEvents()
    return sorted.flatMap { _, entry -> [Effect] in
      let plain: [Effect] = entry.connections.isEmpty ? [] : [.event(entry.event, to: entry.connections)]
      return entry.tagged.isEmpty ? plain : plain + [.queryEvent(entry.event, to: entry.tagged)]
    }
  }
}
