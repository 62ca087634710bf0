import HearthClusterNode
import HearthGateway
import Synchronization

/// The changes by other nodes of a cluster outside of the databases: which databases exist, and the shared files.
final class RemoteChanges: Sendable {
  private let node: ClusterNode
  private let databases: DatabaseRegistry
  private let services: GatewayServices
  private let files: SharedFiles?
  /// A lock that allows one lookup at a time, so that no older result follows a newer one.
  private let refreshLock = Mutex(())

  init(_ node: ClusterNode, _ databases: DatabaseRegistry, _ services: GatewayServices, _ files: SharedFiles?) {
    (self.node, self.databases, self.services, self.files) = (node, databases, services, files)
  }

  /// Looks up the databases that others have made and removed. Clients of removed ones are notified. Blocks.
  func refresh() {
    refreshLock.withLock { _ in
      guard let found = node.checkDeleted(in: ServerJournals.databasesPrefix) else { return }
      databases.note(found.names)
      for name in found.removed {
        databases.drop(name, existsAgain: found.names.contains(name)) { [services] in
          services.forget(name)
          services.router.endClients(of: name)
        }
      }
    }
  }

  /// Returns when all earlier changes of others are in force here.
  func catchUp() async {
    await BlockingThread.run { [self] in
      files?.catchUp()
      refresh()
    }
  }
}
