import HearthEngine
import HearthTree
import Synchronization

/// Counts durable commits at, above and below places that somebody looks at, without telling what they wrote.
public final class CommitPulse: Sendable {
  private let watches = Mutex<[PulseWatch]>([])
  private let isWanted = Atomic(false)

  /// Who may watch a database at a time.
  package static let watchesMax = 64
  /// Places of one watch.
  package static let pathsMax = 200

  /// True when anybody looks. Costs next to nothing.
  var isWatched: Bool { isWanted.load(ordering: .acquiring) }

  /// Counts from now on, until ``end(_:)``.
  ///
  /// - Parameter paths: ``pathsMax`` at most.
  /// - Returns: nil when too many watch already.
  package func watch(_ paths: [Path]) -> PulseWatch? {
    let watch = PulseWatch(Array(paths.prefix(Self.pathsMax)))
    return watches.withLock { watches in
      guard watches.count < Self.watchesMax else { return nil }
      watches.append(watch)
      isWanted.store(true, ordering: .releasing)
      return watch
    }
  }

  /// Nobody looks at these any more.
  package func end(_ watch: PulseWatch) {
    watches.withLock { watches in
      watches.removeAll { $0 === watch }
      isWanted.store(!watches.isEmpty, ordering: .releasing)
    }
  }

  /// Takes the places of commits.
  func note(_ commits: CommitPlaces) {
    guard !commits.isEmpty, isWatched else { return }
    for watch in watches.withLock({ $0 }) { watch.note(commits) }
  }
}
