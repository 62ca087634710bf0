import HearthTree

/// A few states of the past that were put together lately, the last one used first.
struct WarmStates {
  private struct Entry {
    var state: PastState
    var sizeBytes: Int
  }

  private let limits: HistoryLimits
  private var entries: [Entry] = []
  /// Counts how often they were forgotten.
  private(set) var era = 0

  init(_ limits: HistoryLimits) { self.limits = limits }

  /// Those kept, for tests.
  var states: [PastState] { entries.map(\.state) }

  /// The newest state of a place that is not after a position, nor before another.
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

  /// Lets go of all, and of those that are being put together now.
  mutating func forget() {
    entries = []
    era += 1
  }

  /// Keeps a state, and lets go of those that were not used for the longest time.
  ///
  /// - Parameter era: that in which it was begun; of an earlier one than now nothing is kept.
  mutating func keep(_ state: PastState, of era: Int) {
    guard limits.warmCountMax > 0, era == self.era else { return }
    let sizeBytes = state.node.heldBytes(upTo: limits.warmBytesMax)
    guard sizeBytes <= limits.warmBytesMax else { return }
    // What the new one shows as well is superfluous.
    entries.removeAll { $0.state.position == state.position && state.path.contains($0.state.path) }
    entries.insert(Entry(state: state, sizeBytes: sizeBytes), at: 0)
    var (count, bytes) = (0, 0)
    entries = entries.filter { entry in
      count += 1
      bytes += entry.sizeBytes
      return count <= limits.warmCountMax && bytes <= limits.warmBytesMax
    }
  }
}
