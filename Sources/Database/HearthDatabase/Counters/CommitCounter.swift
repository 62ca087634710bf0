import HearthEngine
import HearthTree
import Synchronization

/// A counter of durable commits at, above and below watched locations, without their contents.
public final class CommitCounter: Sendable {
  private let watches = Mutex<[CommitCountWatch]>([])
  private let isWanted = Atomic(false)

  /// The most watches on a database at a time.
  package static let watchesMax = 64
  /// The most locations of one watch.
  package static let pathsMax = 200

  /// True when a watch exists. Reads one atomic flag.
  var isWatched: Bool { isWanted.load(ordering: .acquiring) }

  /// Starts counting, until ``end(_:)``.
  ///
  /// - Parameter paths: The locations, ``pathsMax`` at most.
  /// - Returns: The watch; nil when ``watchesMax`` watches exist already.
  package func watch(_ paths: [Path]) -> CommitCountWatch? {
    let watch = CommitCountWatch(Array(paths.prefix(Self.pathsMax)))
    return watches.withLock { watches in
      guard watches.count < Self.watchesMax else { return nil }
      watches.append(watch)
      isWanted.store(true, ordering: .releasing)
      return watch
    }
  }

  /// Ends a watch.
  package func end(_ watch: CommitCountWatch) {
    watches.withLock { watches in
      watches.removeAll { $0 === watch }
      isWanted.store(!watches.isEmpty, ordering: .releasing)
    }
  }

  /// Counts the locations of commits.
  func note(_ commits: CommitLocations) {
    guard !commits.isEmpty, isWatched else { return }
    for watch in watches.withLock({ $0 }) { watch.note(commits) }
  }
}
