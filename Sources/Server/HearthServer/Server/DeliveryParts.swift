import HearthConsole
import HearthGateway
import HearthSystem
import HearthTransport
import NIOCore
import NIOPosix

/// The event loops, and the router that delivers effects on them.
struct DeliveryParts: Sendable {
  let group: MultiThreadedEventLoopGroup
  let loops: [TransportLoop]
  /// The console's access control; nil when no console is served.
  let access: ConsoleAccess?
  let denials: DenialLog
  let router: EffectRouter

  init(_ plan: ServerPlan, _ stack: PartStack) async throws(ServerError) {
    let (options, meters) = (plan.options, plan.meters)
    let threads = min(options.ioThreadCount > 0 ? options.ioThreadCount : System.coreCount, LoopHub.loopsMax)
    group = stack.add(EventLoops(group: MultiThreadedEventLoopGroup(numberOfThreads: threads))).group
    loops = Transport.loops(
      of: group, memory: plan.memory, requestIDs: RequestIDs(proxies: plan.proxies), meters: meters.transport)
    let access = options.console.isServed ? ConsoleAccess() : nil
    self.access = access
    denials = DenialLog(
      logger: options.logger, meters: meters.gateway, feed: access == nil ? nil : DenialFeed(),
      keepsValues: options.console.keepsDenialValues)
    let receipts = ReceiptStore(
      node: options.cluster?.node.name, archive: try Self.receiptArchive(options), logger: options.logger,
      meters: meters.gateway)
    stack.add(receipts)
    let router = await EffectRouter(
      loops: loops.map(\.eventLoop), denials: denials, receipts: receipts, meters: meters.gateway)
    self.router = router
    access?.whenEnded { router.endConsoleSessions($0) }
  }

  private static func receiptArchive(_ options: HearthServer.Options) throws(ServerError) -> ReceiptArchive {
    do { return try ReceiptArchive(dataDirectory: options.dataDirectory, logger: options.logger) } catch {
      throw ServerError(.storage, error.description)
    }
  }
}

/// The threads of the event loops.
private struct EventLoops: ServerPart {
  let group: MultiThreadedEventLoopGroup

  func stop() async { try? await group.shutdownGracefully() }
}

extension ReceiptStore: ServerPart {
  func stop() async { await BlockingThread.run { self.close() } }
}
