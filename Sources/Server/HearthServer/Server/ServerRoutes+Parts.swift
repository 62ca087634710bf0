import HearthConsole
import HearthGateway
import HearthTransport

extension ServerRoutes {
  /// Creates the routes of a server with these parts.
  init(
    _ plan: ServerPlan, _ delivery: DeliveryParts, _ storage: StorageParts, _ parts: ServiceParts,
    _ erasures: ErasureQueue
  ) {
    let options = plan.options
    self.init(
      services: parts.services, identityLimiter: plan.identityLimiter,
      hub: EmulatorHub(options, parts.services, parts.databases),
      plugins: parts.plugins, erasures: erasures,
      console: delivery.access.map { access in
        Console(options, access, storage.accounts.accounts.own, plan.log, names: plan.certificate?.names ?? [])
      },
      cluster: storage.node.map { node in
        ClusterRoutes(
          node, storage.accounts.store, prefix: ServerJournals.databasesPrefix, proxies: plan.proxies,
          logger: options.logger
        ) { [others = parts.others] in await others?.catchUp() }
      })
  }
}

extension EmulatorHub {
  /// Creates the hub of an emulator; nil for other servers.
  fileprivate init?(_ options: HearthServer.Options, _ services: GatewayServices, _ databases: DatabaseRegistry) {
    guard options.accounts.isEmulator, let ports = options.emulatorPorts else { return nil }
    self.init(
      services: services, host: options.host, ports: ports, export: options.emulatorExport,
      databases: { databases.names })
  }
}
