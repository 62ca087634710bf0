import Glibc
import HearthAccounts
import HearthClusterNode
import HearthGateway
import HearthSystem
import HearthTransport

/// A running server: the inside of a ``HearthServer``.
///
/// A new part is a ``ServerPart`` in a file of its own and a line where it is started, which adds it to the stack.
final class ServerParts: Sendable {
  let transport: Transport
  let services: GatewayServices
  let databases: DatabaseRegistry
  let rules: ServerRules
  /// The HTTP routes.
  let routes: ServerRoutes
  let spaceMonitor: DiskSpaceMonitor
  /// The certificate's monitor; nil without TLS.
  let certificateMonitor: CertificateMonitor?
  private let stack: PartStack

  init(_ options: HearthServer.Options) async throws(ServerError) {
    Allocator.configure()
    if options.pages != nil { Allocator.limitArenas() }
    let plan = try ServerPlan(options)
    let stack = PartStack()
    self.stack = stack
    do throws(ServerError) {
      let delivery = try await DeliveryParts(plan, stack)
      let storage = try await StorageParts(plan, delivery, stack)
      let parts = try await ServiceParts(plan, delivery, storage, stack)
      (services, databases, spaceMonitor) = (parts.services, parts.databases, parts.space)
      rules = ServerRules(plan.rules, parts.databases, parts.services)
      try await parts.start(plan, storage, stack)
      let erasures = ErasureQueue(folder: plan.directory.erasuresPath, services: parts.services)
      routes = ServerRoutes(plan, delivery, storage, parts, erasures)
      storage.node?.serve(parts, routes, delivery, proxies: plan.proxies, logger: plan.options.logger)
      // Ends console sessions of users who no longer have their role.
      if plan.options.console.claim != nil, let console = routes.console {
        stack.add(PeriodicTask(every: .milliseconds(500)) { console.endLapsedSessions() })
      }
      stack.add(RequestsInFlight(identityLimiter: plan.identityLimiter, accounts: storage.accounts.accounts.own))
      transport = stack.add(try await Transport.ofServer(plan, delivery, parts.services, routes))
      stack.add(WaitingRequests(services: parts.services))
      stack.add(erasures)
      routes.openConsole(plan.options, transport)
      stack.add(
        KeyRotator(storage.accounts.keys, isEmulator: plan.options.accounts.isEmulator, logger: plan.options.logger))
      certificateMonitor = stack.add(plan.certificate.map { CertificateMonitor($0, logger: plan.options.logger) })
      await stack.add(spaceMonitor).start()
      stack.add(try Announcement(plan.options, port: transport.port ?? 0))
      storage.accounts.warnOfSlowHashes(plan.options)
      // In a cluster only the owner of the accounts records the start.
      if storage.node.map({ $0.owner(of: AccountStore.journalName) == $0.name }) ?? true {
        await storage.accounts.accounts.own.recordStart()
      }
      stack.add(Serving(services: parts.services, node: storage.node, journals: storage.journals)).start()
      if storage.node == nil { erasures.resume() }
    } catch {
      await stack.stop()
      throw error
    }
    services.logger.info("serving", metadata: ["host": "\(options.host)", "port": "\(transport.port ?? 0)"])
  }

  func stop() async {
    await stack.stop()
    services.logger.info("stopped")
  }
}

extension DiskSpaceMonitor: ServerPart {}
extension CertificateMonitor: ServerPart {}
extension KeyRotator: ServerPart {}
extension JournalMonitor: ServerPart {}
extension ErasureQueue: ServerPart {}

extension Transport: ServerPart {
  func stop() async { await shutDown() }
}

/// The file by which commands on the data folder find the server.
private struct Announcement: ServerPart {
  private let dataDirectory: String

  init(_ options: HearthServer.Options, port: Int) throws(ServerError) {
    let file = ServerFile(
      processID: getpid(), url: ServerFile.url(host: options.host, port: port, isEncrypted: options.tls != nil),
      projectID: options.accounts.projectID, defaultNamespace: options.defaultNamespace)
    try file.write(dataDirectory: options.dataDirectory)
    dataDirectory = options.dataDirectory
  }

  func stop() async { ServerFile.remove(dataDirectory: dataDirectory) }
}

/// The requests whose clients have disconnected and whose work is not done: they include the last mails and requests to
/// plugins.
private struct RequestsInFlight: ServerPart {
  let identityLimiter: IdentityRequestLimiter
  let accounts: Accounts

  func stop() async {
    await identityLimiter.drain()
    await accounts.finishMails()
    await accounts.finishPlugins()
  }
}

/// The requests that wait for receipts or rules. They end before connections do, which wait for them.
private struct WaitingRequests: ServerPart {
  let services: GatewayServices

  func stop() async {
    services.router.receipts.dismissWaiters()
    services.rules.close()
  }
}

/// The phase in which clients are served.
private struct Serving: ServerPart {
  let services: GatewayServices
  let node: ClusterNode?
  let journals: ServerJournals

  func start() { services.phase.value = .serving }

  func stop() async {
    services.phase.value = .draining
    // While clients are still served here, so that they find their databases owned when they reach another node.
    if let node { await node.leave() }
    journals.store.shortenTimeouts()
  }
}
