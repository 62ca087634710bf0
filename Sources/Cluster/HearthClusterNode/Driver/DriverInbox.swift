import HearthCluster

/// Something that a database's driver is to take in its turn: an event, or something else that is to be done.
struct DriverItem: Sendable {
  /// Nil for something else.
  var event: MemberEvent?
  /// What is to be done; with an event, when that was taken.
  var then: (@Sendable () -> Void)?

  init(event: MemberEvent, then: (@Sendable () -> Void)?) { (self.event, self.then) = (event, then) }
  init(_ work: @escaping @Sendable () -> Void) { (event, then) = (nil, work) }
}

/// What came for a database's driver, in the order in which it came.
struct DriverInbox: Sendable {
  private var items: [DriverItem] = []
  /// Somebody takes out, or is about to.
  private var isAwake = false

  /// - Returns: Whether somebody has to be woken, who takes until nothing is left.
  mutating func put(_ item: DriverItem) -> Bool {
    items.append(item)
    defer { isAwake = true }
    return !isAwake
  }

  /// All that is there; when that is nothing, the next one has to wake somebody.
  mutating func take() -> [DriverItem] {
    defer { items = [] }
    isAwake = !items.isEmpty
    return items
  }
}
