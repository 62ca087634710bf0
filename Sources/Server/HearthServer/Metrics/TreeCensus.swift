import Dispatch
import HearthEngine
import HearthSystem
import HearthTree
import Synchronization

/// A census of the data in the databases. Counting takes time with the data, so it runs in the background, seldom
/// enough to take a small part of one processor, and the last counts are returned meanwhile.
final class TreeCensus: Sendable {
  /// The counts of a database's tree.
  struct Count: Sendable, Equatable {
    var bytes: Int
    var leaves: Int
  }

  private struct State {
    var counts: [String: Count] = [:]
    /// The commits at which the trees were counted.
    var positions: [String: Int64] = [:]
    var isCounting = false
    /// The earliest time of the next count, on the monotonic clock.
    var notBeforeNanoseconds: UInt64 = 0
  }

  /// The pause after a count, as a multiple of its duration.
  static let pauseFactor: UInt64 = 50

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "hearth.census", qos: .utility)
  private let clock: @Sendable () -> UInt64

  /// - Parameter clock: nanoseconds on the monotonic clock.
  init(clock: @escaping @Sendable () -> UInt64 = { Clock.monotonicNanoseconds }) { self.clock = clock }

  /// Returns the last counts of each database, by name; starts a new count of changed ones, if the next count is due.
  func counts(of databases: [(name: String, state: DatabaseState)]) -> [String: Count] {
    let now = clock()
    let (counts, due) = state.withLock { state -> ([String: Count], [(name: String, state: DatabaseState)]) in
      let names = Set(databases.map(\.name))
      state.counts = state.counts.filter { names.contains($0.key) }
      state.positions = state.positions.filter { names.contains($0.key) }
      guard !state.isCounting, now >= state.notBeforeNanoseconds else { return (state.counts, []) }
      let due = databases.filter { state.positions[$0.name] != $0.state.position }
      state.isCounting = !due.isEmpty
      return (state.counts, due)
    }
    if !due.isEmpty { queue.async { self.count(due) } }
    return counts
  }

  private func count(_ databases: [(name: String, state: DatabaseState)]) {
    let start = clock()
    for (name, published) in databases {
      let count = Count(bytes: published.root.heldBytes(), leaves: published.root.leafCount)
      state.withLock { state in
        state.counts[name] = count
        state.positions[name] = published.position
      }
    }
    let end = clock()
    state.withLock { state in
      state.isCounting = false
      state.notBeforeNanoseconds = end &+ (end &- start) &* Self.pauseFactor
    }
  }

  /// Waits until the current count is done. For tests.
  func settle() { queue.sync {} }
}
