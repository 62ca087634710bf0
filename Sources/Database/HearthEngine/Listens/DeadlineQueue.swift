/// A queue of deadlines, soonest first: a binary heap.
///
/// A connection that signs in again leaves its earlier deadline in the queue; the serial number shows whether a
/// deadline belongs to the present principal.
struct DeadlineQueue {
  struct Entry {
    var deadlineMonotonicMilliseconds: Int64
    var connection: ConnectionID
    /// The serial number of the connection's principal, or of the transaction turn.
    var serial: UInt64
  }

  private(set) var heap: [Entry] = []

  var first: Entry? { heap.first }
  var count: Int { heap.count }

  mutating func insert(_ entry: Entry) {
    heap.append(entry)
    var i = heap.count - 1
    while i > 0, Self.precedes(heap[i], heap[(i - 1) / 2]) {
      heap.swapAt(i, (i - 1) / 2)
      i = (i - 1) / 2
    }
  }

  mutating func removeFirst() -> Entry? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    if !heap.isEmpty {
      heap[0] = last
      sink(0)
    }
    return first
  }

  /// Removes stale entries.
  mutating func removeAll(where isStale: (Entry) -> Bool) {
    heap.removeAll(where: isStale)
    for i in (0..<heap.count / 2).reversed() { sink(i) }
  }

  /// Removes stale entries when repeated sign-ins have made them the majority of a large queue.
  mutating func dropStale(_ connections: [ConnectionID: Connection]) {
    guard count > 2 * connections.count + 64 else { return }
    removeAll { connections[$0.connection]?.identitySerial != $0.serial }
  }

  private mutating func sink(_ start: Int) {
    var i = start
    while true {
      var least = i
      for child in [2 * i + 1, 2 * i + 2] where child < heap.count && Self.precedes(heap[child], heap[least]) {
        least = child
      }
      if least == i { return }
      heap.swapAt(i, least)
      i = least
    }
  }

  private static func precedes(_ a: Entry, _ b: Entry) -> Bool {
    (a.deadlineMonotonicMilliseconds, a.connection.rawValue, a.serial)
      < (b.deadlineMonotonicMilliseconds, b.connection.rawValue, b.serial)
  }
}
