import HearthTree

/// A cache of a few recently reconstructed past states, the most recently used first.
struct PastStateCache {
  private struct Entry {
    var state: PastState
    var sizeBytes: Int
  }

  private let limits: HistoryLimits
  private var entries: [Entry] = []
  /// The number of times the cache was cleared.
  private(set) var generation = 0

  init(_ limits: HistoryLimits) { self.limits = limits }

  /// The cached states, for tests.
  var states: [PastState] { entries.map(\.state) }

  /// Returns the newest state of a location between two positions.
  mutating func nearest(_ path: Path, from oldest: Int64, to position: Int64) -> PastState? {
    var best: Int?
    for (index, entry) in entries.enumerated() {
      let state = entry.state
      guard state.path.contains(path), (oldest...position).contains(state.position) else { continue }
      if best.map({ entries[$0].state.position < state.position }) ?? true { best = index }
    }
    guard let best else { return nil }
    let entry = entries.remove(at: best)
    entries.insert(entry, at: 0)
    return entry.state.part(path)
  }

  /// Drops all states. States whose reconstruction is under way are not cached afterwards.
  mutating func forget() {
    entries = []
    generation += 1
  }

  /// Caches a state, and drops the least recently used ones.
  ///
  /// - Parameter generation: The generation in which its reconstruction began; a state of an earlier one is not cached.
  mutating func keep(_ state: PastState, of generation: Int) {
    guard limits.cachedStatesMax > 0, generation == self.generation else { return }
    let sizeBytes = state.node.heldBytes(upTo: limits.cachedStateBytesMax)
    guard sizeBytes <= limits.cachedStateBytesMax else { return }
    // States that the new one includes are superfluous.
    entries.removeAll { $0.state.position == state.position && state.path.contains($0.state.path) }
    entries.insert(Entry(state: state, sizeBytes: sizeBytes), at: 0)
    var (count, bytes) = (0, 0)
    entries = entries.filter { entry in
      count += 1
      bytes += entry.sizeBytes
      return count <= limits.cachedStatesMax && bytes <= limits.cachedStateBytesMax
    }
  }
}
