/// A queue of events ordered by time, then by insertion: a binary heap.
package struct Schedule<Event> {
  private var heap: [(time: Int64, order: Int, event: Event)] = []
  private var lastOrder = 0

  package mutating func add(_ event: Event, at time: Int64) {
    lastOrder += 1
    heap.append((time, lastOrder, event))
    var child = heap.count - 1
    while child > 0, isBefore(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  package mutating func next() -> (time: Int64, event: Event)? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      var parent = 0
      while true {
        var least = parent
        for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isBefore(child, least) {
          least = child
        }
        if least == parent { break }
        heap.swapAt(parent, least)
        parent = least
      }
    }
    return (first.time, first.event)
  }

  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    (heap[left].time, heap[left].order) < (heap[right].time, heap[right].order)
  }
}
