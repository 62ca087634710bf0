import HearthEngine
import HearthTree
import Synchronization

/// Places that somebody looks at, and how many commits touched each since it was last asked.
package final class PulseWatch: Sendable {
  /// The keys from the root to the places, as a tree: a change looks at no more than the keys of its path, and at the
  /// places below it.
  private final class Step: Sendable {
    let keys: [Key]
    /// Of each key.
    let steps: [Step]
    /// The place where each key stands; empty where they are few: those are looked through one by one, quicker than
    /// hashing a key of every commit.
    private let slots: [Key: Int]
    /// The places that end here.
    let places: [Int]

    private static let scannedCountMax = 8

    /// - Parameter places: with how much of their paths is left.
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
    /// The last commit that each place was counted for: however much of it a commit changes, it counts once.
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

  /// The counts, in the order of the places; they begin anew.
  package func take() -> [Int] {
    state.withLock { state in
      defer { state.counts = [Int](repeating: 0, count: state.counts.count) }
      return state.counts
    }
  }

  func note(_ commits: CommitPlaces) {
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
