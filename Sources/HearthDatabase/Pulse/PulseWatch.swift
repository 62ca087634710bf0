import HearthTree
import Synchronization

/// Places that somebody looks at, and how many commits touched each since it was last asked.
package final class PulseWatch: Sendable {
  /// The keys from the root to the places, as a tree: a change looks at no more than the keys of its path, and at the
  /// places below it.
  private struct Step {
    var children: [Key: Int] = [:]
    /// The places that end here.
    var places: [Int] = []
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
        if let next = steps[step].children[key] {
          step = next
        } else {
          steps.append(Step())
          steps[step].children[key] = steps.count - 1
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

  func note(_ commits: [[Path]]) {
    state.withLock { state in
      for paths in commits {
        state.commit += 1
        for path in paths { note(path, &state) }
      }
    }
  }

  private func note(_ path: Path, _ state: inout State) {
    var step = 0
    count(steps[0].places, &state)
    for key in path.keys {
      guard let next = steps[step].children[key] else { return }
      step = next
      count(steps[step].places, &state)
    }
    var below = Array(steps[step].children.values)
    while let next = below.popLast() {
      count(steps[next].places, &state)
      below += steps[next].children.values
    }
  }

  private func count(_ places: [Int], _ state: inout State) {
    for place in places where state.lastCommits[place] != state.commit {
      state.lastCommits[place] = state.commit
      state.counts[place] += 1
    }
  }
}
