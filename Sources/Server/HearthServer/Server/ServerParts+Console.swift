import HearthAccounts
import HearthBackup
import HearthBytes
import HearthConsole
import HearthGateway
import HearthTransport

/// The console's part of a start.
extension ServerParts {
  /// - Parameter names: those of the server's certificate.
  static func console(
    _ options: HearthServer.Options, _ access: ConsoleAccess, _ accounts: Accounts, _ log: LogRing,
    names: [String] = []
  ) -> Console {
    let publicHost = options.accounts.publicURL.split(separator: "/", maxSplits: 3).dropFirst().first.map(String.init)
    let hosts = KnownHosts(
      host: options.console.place?.host ?? options.host,
      names: options.console.hostNames + names + [publicHost].compactMap { $0.map(HTTPRequest.hostName(ofAuthority:)) })
    return Console(
      options.console, hosts: hosts, access: access, accounts: accounts, log: log,
      backups: ConsoleBackups(dataDirectory: options.dataDirectory) {
        [folder = options.dataDirectory, place = options.journal] in
        try BackupSource(dataDirectory: folder, place: place)
      },
      version: HearthServer.version, logger: options.logger)
  }

  /// Its own address speaks TLS where the server does, but on this machine.
  static func consolePlace(
    _ place: ConsoleOptions.Place, _ services: GatewayServices, _ routes: ServerRoutes, tls: ServedContext?
  ) -> Transport.Place {
    let responder = routes.list(for: .console)
    return Transport.Place(
      host: place.host, port: place.port, tls: IPAddress.isLoopback(host: place.host) ? nil : tls, responder: responder,
      acceptor: ServerSocketAcceptor(services: services, responder: responder))
  }

  /// The ports are open: links can be made.
  static func openConsole(_ options: HearthServer.Options, _ transport: Transport, _ routes: ServerRoutes) {
    guard let console = routes.console else { return }
    console.watch(
      FigureRing(options.metrics, routes.services),
      ServerSight(
        services: routes.services, plugins: routes.plugins.host, cluster: routes.cluster?.node,
        dataDirectory: options.dataDirectory, version: console.version))
    let place = options.console.place
    let host = place?.host ?? options.host
    let isEncrypted = options.tls != nil && (place == nil || !IPAddress.isLoopback(host: host))
    let port = (place == nil ? transport.port : transport.placePort) ?? 0
    // Where a proxy ends TLS, browsers come by its address.
    if place == nil, options.tls == nil, options.accounts.publicURL.hasPrefix("https://") {
      return console.opened(at: options.accounts.publicURL)
    }
    let name = isEncrypted ? options.console.hostNames.first : nil
    console.opened(at: ServerFile.url(host: name ?? host, port: port, isEncrypted: isEncrypted))
  }
}

extension HearthServer.Options {
  /// The same; where there is a console, it shows the newest lines of the log, and accounts know the claim that opens it.
  func keeping(_ log: LogRing) -> HearthServer.Options {
    var options = self
    if console.isServed { options.logger = logger.keeping(in: log) }
    options.accounts.consoleClaim = console.claim
    return options
  }
}
