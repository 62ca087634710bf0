import Dispatch
import HearthEngine
import HearthSystem
import HearthTree
import Synchronization

/// How much data the databases hold. Counting takes time with the data, so it is done beside everything else, seldom
/// enough to take a small part of one processor, and what was counted last is told meanwhile.
final class TreeCensus: Sendable {
  /// What a database's tree came to.
  struct Count: Sendable, Equatable {
    var bytes: Int
    var leaves: Int
  }

  private struct State {
    var counts: [String: Count] = [:]
    /// The commits that the counts are of.
    var positions: [String: Int64] = [:]
    var isCounting = false
    /// When it is counted again at the earliest, on the monotonic clock.
    var notBeforeNanoseconds: UInt64 = 0
  }

  /// It rests this many times as long as it worked.
  static let restFactor: UInt64 = 50

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "hearth.census", qos: .utility)
  private let clock: @Sendable () -> UInt64

  /// - Parameter clock: nanoseconds on the monotonic clock.
  init(clock: @escaping @Sendable () -> UInt64 = { Clock.monotonicNanoseconds }) { self.clock = clock }

  /// What was counted last of each database, by name; has what is different since be counted, if it is time.
  func counts(of databases: [(name: String, state: Published)]) -> [String: Count] {
    let now = clock()
    let (counts, due) = state.withLock { state -> ([String: Count], [(name: String, state: Published)]) in
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

  private func count(_ databases: [(name: String, state: Published)]) {
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
      state.notBeforeNanoseconds = end &+ (end &- start) &* Self.restFactor
    }
  }

  /// Waits until what is being counted is. For tests.
  func settle() { queue.sync {} }
}
