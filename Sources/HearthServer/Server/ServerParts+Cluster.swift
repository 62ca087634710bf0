import HearthDatabase
import HearthEngine
import HearthGateway
import HearthJournal
import HearthNode
import HearthReplicas
import Logging
import NIOPosix

/// A server as a node of a cluster.
extension ServerParts {
  /// Joins the cluster; nil for a server by itself.
  static func join(
    _ options: HearthServer.Options, _ engine: JournalEngine, _ group: MultiThreadedEventLoopGroup
  ) async throws(ServerError) -> ClusterNode? {
    guard let cluster = options.cluster else { return nil }
    guard let postgres = engine.postgres else {
      throw ServerError(.badOptions, "the nodes of a cluster keep their databases in one PostgreSQL")
    }
    do {
      return try await ClusterNode(
        cluster, postgres, on: group.next(), clock: { SystemClock.now }, logger: options.logger)
    } catch let error as LinkIdentity.Failure {
      throw ServerError(.badCertificate, "\(error)")
    } catch let error as JournalError {
      throw ServerError(.storage, "cannot join the cluster: \(error)")
    } catch {
      throw ServerError(
        .cannotBind, "cannot listen for other nodes on \(cluster.node.host) port \(cluster.node.port): \(error)")
    }
  }

  /// Opens databases that the cluster's nodes share.
  static func opener(_ node: ClusterNode, _ router: EffectRouter) -> DatabaseOpener {
    { name, rules, environment, limits in
      var environment = environment
      environment.closeConnection = { router.sendAway($0) }
      return try node.open(
        name, of: JournalEngine.databasesPrefix, initialRules: rules, environment: environment, limits: limits,
        denied: { denials in
          // Who asked is a session of some node and no connection of this one.
          let own = denials.map { Effect.denied($0.ofNobody) }
          router.deliver(own, of: name)
        })
    }
  }
}

extension Denial {
  /// The same, refused to nobody who is connected here.
  fileprivate var ofNobody: Denial {
    var denial = self
    (denial.connection, denial.request) = (ConnectionID(rawValue: 0), nil)
    return denial
  }
}
