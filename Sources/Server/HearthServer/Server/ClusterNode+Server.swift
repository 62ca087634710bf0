import HearthClusterNode
import HearthTransport
import Logging
import NIOCore
import Synchronization

extension ClusterNode {
  /// Serves the requests of other nodes, from here on.
  func serve(
    _ parts: ServiceParts, _ routes: ServerRoutes, _ delivery: DeliveryParts, proxies: TrustedProxies, logger: Logger
  ) {
    if let others = parts.others {
      parts.databases.whenRemoved { [self] in await haveOthersLook() }
      lookWhenAsked(others, on: delivery.group.next())
    }
    openAsked(parts.databases, on: delivery.group.next())
    answerQuestions(routes, loops: delivery.loops, proxies: proxies, logger: logger)
  }

  /// Opens databases that other nodes want this one to own, also when nobody here has asked for them yet.
  private func openAsked(_ databases: DatabaseRegistry, on loop: any EventLoop) {
    whenAsked { journal in
      let prefix = JournalEngine.databasesPrefix
      // Accounts are open as long as the server runs.
      guard journal.hasPrefix(prefix) else { return loop.makeSucceededVoidFuture() }
      // Whoever asks has a part in it already. One that is there no more has been deleted since.
      return databases.database(String(journal.dropFirst(prefix.count)), .never, on: loop).map { _ in }
    }
  }

  /// Lets go of databases that other nodes have deleted, when they say so.
  private func lookWhenAsked(_ others: OtherNodes, on loop: any EventLoop) {
    whenAskedToLook {
      let promise = loop.makePromise(of: Void.self)
      promise.completeWithTask { await BlockingThread.run { others.look() } }
      return promise.futureResult
    }
  }

  /// Answers what other nodes hand over, from here on.
  private func answerQuestions(_ routes: ServerRoutes, loops: [TransportLoop], proxies: TrustedProxies, logger: Logger)
  {
    guard let cluster = routes.cluster else { return }
    let turns = Turns(loops)
    let desk = RelayServer(
      relay: cluster.relay, responder: routes.list(for: .port), nextLoop: { turns.next() },
      isForAnyNode: { ClusterRoutes.isForAnyNode($0) })
    answer { question in desk.answer(question) }
  }
}

/// Loops, one after the other.
private final class Turns: Sendable {
  private let loops: [TransportLoop]
  private let count = Atomic<Int>(0)

  init(_ loops: [TransportLoop]) { self.loops = loops }

  func next() -> TransportLoop {
    let number = count.wrappingAdd(1, ordering: .relaxed).oldValue
    return loops[Int(UInt(bitPattern: number) % UInt(loops.count))]
  }
}
