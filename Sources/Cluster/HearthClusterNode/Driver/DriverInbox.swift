import HearthCluster

/// An item in a driver's queue: an event for the member, or other work.
struct DriverItem: Sendable {
  /// The event; nil for other work.
  var event: MemberEvent?
  /// The work; for an event, the callback after it was handled.
  var then: (@Sendable () -> Void)?

  init(event: MemberEvent, then: (@Sendable () -> Void)?) { (self.event, self.then) = (event, then) }
  init(_ work: @escaping @Sendable () -> Void) { (event, then) = (nil, work) }
}

/// The queue of a database's driver.
struct DriverInbox: Sendable {
  private var items: [DriverItem] = []
  /// True when the queue is being drained, or is about to be.
  private var isAwake = false

  /// - Returns: True when the caller has to start draining, until the queue is empty.
  mutating func put(_ item: DriverItem) -> Bool {
    items.append(item)
    defer { isAwake = true }
    return !isAwake
  }

  /// Removes and returns all items; after an empty result, the next item has to start draining.
  mutating func take() -> [DriverItem] {
    defer { items = [] }
    isAwake = !items.isEmpty
    return items
  }
}
