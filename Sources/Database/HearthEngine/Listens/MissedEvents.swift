import HearthRules
import HearthTree

/// Where a listen stopped being told, because its decision was pending.
struct MissedEvent {
  /// The number of the event in ``MissedEvents``.
  var number: Int
  /// The last commit that the listen was told of before.
  var lastPosition: Int64
  /// The ``Connection/principalSerial`` at that time.
  var principalSerial: UInt64

  /// For a listen that is to be sent what is there.
  static func everything(after lastPosition: Int64) -> MissedEvent {
    MissedEvent(number: -1, lastPosition: lastPosition, principalSerial: 0)
  }
}

/// Events of one place that some of its listens were not told yet, with what they were decided on.
///
/// A listen that is allowed to go on is told them afterwards, unless it was not allowed at one of them. Only the last ones
/// are kept; a listen that missed more is sent what is there.
final class MissedEvents {
  struct Entry {
    var event: Event
    var root: Node
    var rules: RuleSet
  }

  /// A ``ListenNode`` or a ``QueryGroup``; held, so that its identity stays its own.
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

  /// All events from that number on; nil when some of them are not kept.
  func entries(from number: Int) -> ArraySlice<Entry>? {
    number < droppedCount ? nil : entries[min(number - droppedCount, entries.count)...]
  }
}

/// Events for listens that were told nothing while their decisions were pending: one effect for all who are told the same.
struct CatchUp {
  private var entries: [(event: Event, connections: [ConnectionID], tagged: [TaggedRecipient])] = []
  private var slots: [ObjectIdentifier: Int] = [:]
  /// What is at a place now, as one event for all who are sent it.
  private var values: [ObjectIdentifier: Event] = [:]

  var isEmpty: Bool { entries.isEmpty }

  mutating func tell(_ event: Event, to listen: Listen) {
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

  /// The event that sends all there is to the listens of one node or group.
  mutating func value(of owner: AnyObject, make: () -> Event) -> Event {
    if let known = values[ObjectIdentifier(owner)] { return known }
    let event = make()
    values[ObjectIdentifier(owner)] = event
    return event
  }

  /// The effects, in the order of commits.
  mutating func take() -> [Effect] {
    let sorted = entries.enumerated().sorted {
      ($0.element.event.position, $0.offset) < ($1.element.event.position, $1.offset)
    }
    self = CatchUp()
    return sorted.flatMap { _, entry -> [Effect] in
      let plain: [Effect] = entry.connections.isEmpty ? [] : [.event(entry.event, to: entry.connections)]
      return entry.tagged.isEmpty ? plain : plain + [.queryEvent(entry.event, to: entry.tagged)]
    }
  }
}
