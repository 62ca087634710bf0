import HearthClusterNode
import HearthGateway
import Synchronization

/// What other nodes of a cluster change beside what is in the databases: which there are, and the files that nodes share.
final class OtherNodes: Sendable {
  private let node: ClusterNode
  private let databases: DatabaseRegistry
  private let services: GatewayServices
  private let files: SharedFiles?
  /// One look at a time: what one has found is of no use after another.
  private let turn = Mutex(())

  init(_ node: ClusterNode, _ databases: DatabaseRegistry, _ services: GatewayServices, _ files: SharedFiles?) {
    (self.node, self.databases, self.services, self.files) = (node, databases, services, files)
  }

  /// Looks which databases others have made and removed. Clients of one that was removed are told so. Blocks.
  func look() {
    turn.withLock { _ in
      guard let found = node.look(for: JournalEngine.databasesPrefix) else { return }
      databases.note(found.names)
      for name in found.removed {
        databases.drop(name, isThereAgain: found.names.contains(name)) { [services] in
          services.forget(name)
          services.router.endClients(of: name)
        }
      }
    }
  }

  /// Returns when all is in force here that others had changed before.
  func catchUp() async {
    await BlockingThread.run { [self] in
      files?.catchUp()
      look()
    }
  }
}
