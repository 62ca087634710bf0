import HearthEngine
import HearthTree
import Synchronization

/// Places that somebody looks at, and how many commits touched each since it was last asked.
package final class PulseWatch: Sendable {
  /// The keys from the root to the places, as a tree: a change looks at no more than the keys of its path, and at the
  /// places below it.
  private struct Step {
    /// Looked through one by one where they are few: quicker than hashing a key of every commit.
    private(set) var children: [(key: Key, step: Int)] = []
    private var byKey: [Key: Int] = [:]
    /// The places that end here.
    var places: [Int] = []

    private static let scannedCountMax = 8

    func child(_ key: Key) -> Int? {
      guard byKey.isEmpty else { return byKey[key] }
      return children.first { $0.key == key }?.step
    }

    mutating func add(_ key: Key, _ step: Int) {
      children.append((key, step))
      guard children.count > Self.scannedCountMax else { return }
      for child in children.dropFirst(byKey.count) { byKey[child.key] = child.step }
    }
  }

  private struct State {
    var counts: [Int]
    /// The last commit that each place was counted for: however much of it a commit changes, it counts once.
    var lastCommits: [Int]
    var commit = 0
  }

  private let steps: [Step]
  private let state: Mutex<State>

  init(_ paths: [Path]) {
    var steps = [Step()]
    for (place, path) in paths.enumerated() {
      var step = 0
      for key in path.keys {
        if let next = steps[step].child(key) {
          step = next
        } else {
          steps.append(Step())
          steps[step].add(key, steps.count - 1)
          step = steps.count - 1
        }
      }
      steps[step].places.append(place)
    }
    self.steps = steps
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
    var step = 0
    count(steps[0].places, &state)
    for key in path.keys {
      guard let next = steps[step].child(key) else { return }
      step = next
      count(steps[step].places, &state)
    }
    guard !steps[step].children.isEmpty else { return }
    var below = steps[step].children.map(\.step)
    while let next = below.popLast() {
      count(steps[next].places, &state)
      below += steps[next].children.map(\.step)
    }
  }

  private func count(_ places: [Int], _ state: inout State) {
    for place in places where state.lastCommits[place] != state.commit {
      state.lastCommits[place] = state.commit
      state.counts[place] += 1
    }
  }
}
