import HearthEngine
import HearthTree
import Synchronization

/// Watched locations, with the number of commits that touched each since the last reading.
package final class CommitCountWatch: Sendable {
  /// The keys from the root to the locations, as a tree: a change visits no more than the keys of its path, and the
  /// locations below it.
  private final class Step: Sendable {
    let keys: [Key]
    /// The child of each key.
    let steps: [Step]
    /// The index of each key; empty for few keys: scanning those is quicker than hashing a key of every commit.
    private let slots: [Key: Int]
    /// The locations that end here.
    let places: [Int]

    private static let scannedCountMax = 8

    /// - Parameter places: The locations, with the rest of their paths.
    init(_ places: [(place: Int, rest: ArraySlice<Key>)]) {
      self.places = places.filter(\.rest.isEmpty).map(\.place)
      let below = Dictionary(grouping: places.filter { !$0.rest.isEmpty }) { $0.rest.first! }
      keys = below.keys.sorted()
      steps = keys.map { key in Step(below[key]!.map { ($0.place, $0.rest.dropFirst()) }) }
      let isScanned = keys.count <= Self.scannedCountMax
      slots = isScanned ? [:] : Dictionary(uniqueKeysWithValues: zip(keys, keys.indices))
    }

    func child(_ key: Key) -> Step? {
      if slots.isEmpty {
        for slot in keys.indices where keys[slot] == key { return steps[slot] }
        return nil
      }
      return slots[key].map { steps[$0] }
    }
  }

  private struct State {
    var counts: [Int]
    /// The last commit counted for each location: a commit counts once, however much of the location it changes.
    var lastCommits: [Int]
    var commit = 0
  }

  private let root: Step
  private let state: Mutex<State>

  init(_ paths: [Path]) {
    root = Step(paths.enumerated().map { ($0.offset, $0.element.keys[...]) })
    state = Mutex(
      State(counts: [Int](repeating: 0, count: paths.count), lastCommits: [Int](repeating: 0, count: paths.count)))
  }

  /// Returns the counts, in the order of the locations, and resets them.
  package func take() -> [Int] {
    state.withLock { state in
      defer { state.counts = [Int](repeating: 0, count: state.counts.count) }
      return state.counts
    }
  }

  func note(_ commits: CommitLocations) {
    state.withLock { state in
      let before = state.commit
      commits.visit { commit, place in
        state.commit = before + commit + 1
        note(place, &state)
      }
      state.commit = before + commits.count
    }
  }

  private func note(_ path: Path, _ state: inout State) {
    var step = root
    count(step.places, &state)
    for key in path.keys {
      guard let next = step.child(key) else { return }
      step = next
      count(step.places, &state)
    }
    var below = step.steps
    while let next = below.popLast() {
      count(next.places, &state)
      below += next.steps
    }
  }

  private func count(_ places: [Int], _ state: inout State) {
    for place in places where state.lastCommits[place] != state.commit {
      state.lastCommits[place] = state.commit
      state.counts[place] += 1
    }
  }
}
