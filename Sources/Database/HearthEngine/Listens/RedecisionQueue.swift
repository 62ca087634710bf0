import HearthRules
import HearthTree

/// The queue of listens to decide again, by cause. Causes take turns, with one slice each.
///
/// A listen in doubt receives no events. Doubt is determined by comparing serial numbers, so that putting a million
/// listens in doubt costs no more than one.
struct RedecisionQueue {
  private let limits: EngineLimits
  /// The serial number, which grows with every cause whose listens are not all decided at once.
  private(set) var lastSerial: UInt64 = 1
  /// The serial number of the last change of rules: listens that were decided before it are in doubt.
  private var rulesSerial: UInt64 = 0
  /// The serial number of the last report.
  private var lastReportSerial: UInt64 = 0
  private var pending: [PendingRedecision] = []
  private var missed: [ObjectIdentifier: MissedEvents] = [:]
  private var missedCount = 0
  var catchUp = CatchUpEvents()
  var faults: InjectedFaults = []
  /// The client of the current command; nil when there is none, as when the passing of time is the cause.
  var payer: WorkPayer?

  init(limits: EngineLimits) { self.limits = limits }

  /// True when no listen is in doubt.
  var isIdle: Bool { pending.isEmpty }

  // MARK: Causes

  /// Returns the serial number of the next report.
  mutating func takeReportSerial() -> UInt64 {
    lastReportSerial += 1
    return lastReportSerial
  }

  mutating func append(_ redecision: Redecision, _ source: PendingRedecision.Source) -> PendingRedecision {
    lastSerial += 1
    let added = PendingRedecision(redecision, source, serial: lastSerial, payer: payer)
    pending.append(added)
    return added
  }

  /// Puts all listens of a connection in doubt. Several changes of the connection's identity are decided together.
  ///
  /// - Returns: The pending redecision that this one replaces; nil when there is none.
  mutating func decideAgain(_ connection: Connection, _ redecision: Redecision) -> PendingRedecision? {
    let old = connection.redecision
    if let old, old.redecision.cause == redecision.cause, old.redecision.revocation == nil, redecision.revocation == nil
    {
      lastSerial += 1
      connection.doubtSerial = lastSerial
      (old.startsOver, old.payer) = (true, payer)
      return nil
    }
    old?.isSuperseded = true
    connection.redecision = append(redecision, .connections([connection]))
    connection.doubtSerial = lastSerial
    return old
  }

  /// Puts the listens in doubt that depend on the changed aspects of a node.
  mutating func decideAgain(
    _ node: DependencyNode, _ aspects: ReadDependencies.Aspects, _ redecision: Redecision
  ) {
    if let known = node.redecision {
      lastSerial += 1
      (known.startsOver, known.payer) = (true, payer)
    } else {
      node.redecision = append(redecision, .place(node))
    }
    node.setDoubt(aspects, lastSerial)
  }

  /// Puts all listens in doubt after a change of rules.
  mutating func decideAgain(_ connections: [Connection], rules redecision: Redecision) {
    rulesSerial = append(redecision, .connections(connections)).serial
  }

  /// Queues the removal of a closed connection's listens from the indexes.
  mutating func remove(_ connection: Connection, _ redecision: Redecision) {
    _ = append(redecision, .ended(connection))
  }

  /// True while listens whose rules read the time are being decided again.
  var hasDue: Bool { pending.contains { if case .due = $0.source { true } else { false } } }

  // MARK: Rounds

  var first: PendingRedecision? { pending.first }

  /// Moves the first cause to the end of the queue.
  mutating func rotate() { if pending.count > 1 { pending.append(pending.removeFirst()) } }

  mutating func removeFirst() {
    pending.removeFirst().finish()
    if pending.isEmpty { (missed, missedCount) = ([:], 0) }
  }

  /// Returns true when a listen must be decided again before it receives events.
  func isInDoubt(_ listen: Listen) -> Bool {
    if pending.isEmpty { return false }
    let (decided, connection) = (listen.decidedSerial, listen.connection)
    return listen.isQueued || decided < rulesSerial || decided < connection.doubtSerial || connection.hasEnded
      || listen.dependencies.contains { $0.node.isDoubted(at: $0.slot) }
  }

  // MARK: Missed events

  /// Returns the recipients in an audience that receive an event now; keeps the event for those whose listens are in
  /// doubt.
  ///
  /// - Parameter owner: The node or group of the audience.
  mutating func recipients<Recipient>(
    of event: Event, in audience: ListenAudience<Recipient>, at owner: AnyObject, _ state: DatabaseState
  ) -> [Recipient] {
    if pending.isEmpty || faults.contains(.sendsWhileInDoubt) { return audience.recipients }
    var current: [Recipient]?
    for (slot, listen) in audience.recipientListens.enumerated() {
      guard isInDoubt(listen) else {
        current?.append(audience.recipients[slot])
        continue
      }
      if current == nil { current = Array(audience.recipients[..<slot]) }
      if listen.missed == nil {
        listen.missed = MissedEvent(
          number: events(at: owner).nextNumber, lastPosition: listen.lastPosition,
          principalSerial: listen.connection.principalSerial)
      }
    }
    guard let current else { return audience.recipients }
    keep(MissedEvents.Entry(event: event, root: state.root, rules: state.rules), at: owner)
    return current
  }

  /// Returns the events that a listen missed, or nil when some of them were dropped.
  func events(_ missed: MissedEvent, at owner: AnyObject) -> ArraySlice<MissedEvents.Entry>? {
    self.missed[ObjectIdentifier(owner)]?.entries(from: missed.number)
  }

  private mutating func events(at owner: AnyObject) -> MissedEvents {
    if let known = missed[ObjectIdentifier(owner)] { return known }
    let events = MissedEvents(of: owner)
    missed[ObjectIdentifier(owner)] = events
    return events
  }

  private mutating func keep(_ entry: MissedEvents.Entry, at owner: AnyObject) {
    events(at: owner).append(entry, countMax: limits.missedEventsPerLocationMax)
    missedCount += 1
    guard missedCount > limits.missedEventsMax else { return }
    // This costs no more than it cost to add the events.
    dropMissedEvents()
  }

  /// Drops all missed events: their listens receive the present data instead.
  mutating func dropMissedEvents() {
    for events in missed.values { events.drop(events.entries.count) }
    missedCount = 0
  }
}
