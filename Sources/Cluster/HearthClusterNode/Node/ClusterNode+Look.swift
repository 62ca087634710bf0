import HearthCluster
import NIOCore

/// Which databases there are, where other nodes make and delete them.
extension ClusterNode {
  /// Looks which databases there are; done when this node has let go of those that are there no more.
  package typealias Looker = @Sendable () -> EventLoopFuture<Void>

  /// The time that another node may take to let go of what was deleted.
  private static let lookSeconds = 3

  /// Which databases there are, and which of those that this node has a part in are there no more. Blocks.
  ///
  /// - Parameter collection: what the names of their journals begin with; it is left away in the answer.
  /// - Returns: Nil when the store does not answer.
  package func look(for collection: String) -> (names: [String], removed: [String])? {
    let open = members.withLock { $0.mapValues(\.driver.database) }.filter { $0.key.hasPrefix(collection) }
    guard let found = try? store.journals(collection) else { return nil }
    let removed = open.filter { journal, id in found[journal] != id }.keys
    let bare = { (journal: String) in String(journal.dropFirst(collection.count)) }
    return (found.keys.map(bare), removed.map(bare))
  }

  /// Looks from here on when another node has deleted a database; before that, such questions are refused.
  package func whenAskedToLook(_ look: @escaping Looker) { looker.set(look) }

  /// Has all other nodes look. Returns when those that are reached have let go of what is there no more, or after a while:
  /// the others look by themselves.
  package func haveOthersLook() async {
    let asked = peers.map { ask(NodeID($0), .look, seconds: Self.lookSeconds) }
    _ = try? await EventLoopFuture.whenAllComplete(asked, on: driver.links.loop).get()
  }
}
