import HearthEngine
import HearthTree
import Synchronization

/// The watched locations of one watch, with the number of commits that touched each since the last call of ``take()``.
package final class CommitCountWatch: Sendable {
  /// A trie of the locations' paths: recording a change visits only the nodes on its path and the watched locations
  /// below it.
  private final class TrieNode: Sendable {
    let keys: [Key]
    /// The child of each key.
    let children: [TrieNode]
    /// The index of each key; empty for a node with at most ``scannedCountMax`` keys, because scanning so few is
    /// quicker than hashing.
    private let slots: [Key: Int]
    /// The numbers of the locations whose paths end here.
    let locations: [Int]

    private static let scannedCountMax = 8

    /// - Parameter locations: The numbers of locations, with the rest of their paths.
    init(_ locations: [(location: Int, rest: ArraySlice<Key>)]) {
      self.locations = locations.filter(\.rest.isEmpty).map(\.location)
      let below = Dictionary(grouping: locations.filter { !$0.rest.isEmpty }) { $0.rest.first! }
      keys = below.keys.sorted()
      children = keys.map { key in TrieNode(below[key]!.map { ($0.location, $0.rest.dropFirst()) }) }
      let isScanned = keys.count <= Self.scannedCountMax
      slots = isScanned ? [:] : Dictionary(uniqueKeysWithValues: zip(keys, keys.indices))
    }

    func child(_ key: Key) -> TrieNode? {
      if slots.isEmpty {
        for slot in keys.indices where keys[slot] == key { return children[slot] }
        return nil
      }
      return slots[key].map { children[$0] }
    }
  }

  private struct State {
    var counts: [Int]
    /// The number of the last commit that was counted for each location, so that a commit with several changes there
    /// counts once.
    var lastCommits: [Int]
    var commit = 0
  }

  private let root: TrieNode
  private let state: Mutex<State>

  init(_ paths: [Path]) {
    root = TrieNode(paths.enumerated().map { ($0.offset, $0.element.keys[...]) })
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
      commits.visit { commit, location in
        state.commit = before + commit + 1
        countChange(at: location, &state)
      }
      state.commit = before + commits.count
    }
  }

  private func countChange(at path: Path, _ state: inout State) {
    var node = root
    count(node.locations, &state)
    for key in path.keys {
      guard let next = node.child(key) else { return }
      node = next
      count(node.locations, &state)
    }
    var below = node.children
    while let next = below.popLast() {
      count(next.locations, &state)
      below += next.children
    }
  }

  private func count(_ locations: [Int], _ state: inout State) {
    for location in locations where state.lastCommits[location] != state.commit {
      state.lastCommits[location] = state.commit
      state.counts[location] += 1
    }
  }
}
