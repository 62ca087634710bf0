import HearthClusterNode
import HearthTransport
import Logging
import NIOCore
import Synchronization

extension ClusterNode {
  /// Starts serving the requests of other nodes.
  func serve(
    _ parts: ServiceParts, _ routes: ServerRoutes, _ delivery: DeliveryParts, proxies: TrustedProxies, logger: Logger
  ) {
    if let others = parts.others {
      parts.databases.hooks.whenRemoved { [self] in await checkDeletionsOnPeers() }
      closeDeletedOnRequest(others, on: delivery.group.next())
    }
    openOnRequest(parts.databases, on: delivery.group.next())
    answerQuestions(routes, loops: delivery.loops, proxies: proxies, logger: logger)
  }

  /// Opens databases that other nodes ask this one to own, before any client uses them here.
  private func openOnRequest(_ databases: DatabaseRegistry, on loop: any EventLoop) {
    setOpenHandler { journal in
      let prefix = ServerJournals.databasesPrefix
      // Accounts are open as long as the server runs.
      guard journal.hasPrefix(prefix) else { return loop.makeSucceededVoidFuture() }
      // The asking node has its part in the database already. A missing one has been deleted since.
      return databases.database(String(journal.dropFirst(prefix.count)), .never, on: loop).map { _ in }
    }
  }

  /// Closes databases that other nodes have deleted, when those nodes report it.
  private func closeDeletedOnRequest(_ others: RemoteChanges, on loop: any EventLoop) {
    setDeletionHandler {
      let promise = loop.makePromise(of: Void.self)
      promise.completeWithTask { await BlockingThread.run { others.refresh() } }
      return promise.futureResult
    }
  }

  /// Starts responding to requests that other nodes forward.
  private func answerQuestions(_ routes: ServerRoutes, loops: [TransportLoop], proxies: TrustedProxies, logger: Logger)
  {
    guard let cluster = routes.cluster else { return }
    let rotation = LoopRotation(loops)
    let relayServer = RelayServer(
      relay: cluster.relay, responder: routes.list(for: .port), nextLoop: { rotation.next() },
      isForAnyNode: { ClusterRoutes.isForAnyNode($0) })
    setAnswerHandler { question in relayServer.answer(question) }
  }
}

/// The event loops in turn.
private final class LoopRotation: Sendable {
  private let loops: [TransportLoop]
  private let count = Atomic<Int>(0)

  init(_ loops: [TransportLoop]) { self.loops = loops }

  func next() -> TransportLoop {
    let number = count.wrappingAdd(1, ordering: .relaxed).oldValue
    return loops[Int(UInt(bitPattern: number) % UInt(loops.count))]
  }
}
