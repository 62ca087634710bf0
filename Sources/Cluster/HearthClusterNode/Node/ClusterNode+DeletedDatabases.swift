import HearthCluster
import NIOCore

/// Finds databases that other nodes have created or deleted.
extension ClusterNode {
  /// The handler that looks for deleted databases; it completes when this node has closed them.
  package typealias DeletionHandler = @Sendable () -> EventLoopFuture<Void>

  /// The time limit for another node to close deleted databases.
  private static let deletionCheckSeconds = 3

  /// Returns the existing databases, and those open on this node that were deleted. Blocks.
  ///
  /// - Parameter collection: The prefix of the journals' names, omitted from the result.
  /// - Returns: nil when the store does not answer.
  package func checkDeleted(in collection: String) -> (names: [String], removed: [String])? {
    let open = members.withLock { $0.mapValues(\.driver.database) }.filter { $0.key.hasPrefix(collection) }
    guard let found = try? store.journals(collection) else { return nil }
    let removed = open.filter { journal, id in found[journal] != id }.keys
    let bare = { (journal: String) in String(journal.dropFirst(collection.count)) }
    return (found.keys.map(bare), removed.map(bare))
  }

  /// Sets the handler that runs when another node has deleted a database; before that, such questions are refused.
  package func setDeletionHandler(_ handler: @escaping DeletionHandler) { deletionHandler.set(handler) }

  /// Makes all other nodes close deleted databases. Returns when the reachable ones have done so, or after
  /// ``deletionCheckSeconds``: the other nodes find deletions by themselves later.
  package func checkDeletionsOnPeers() async {
    let asked = peers.map { ask(NodeID($0), .closeDeleted, seconds: Self.deletionCheckSeconds) }
    _ = try? await EventLoopFuture.whenAllComplete(asked, on: driver.links.loop).get()
  }
}
