import HearthAccounts
import HearthBackup
import HearthBytes
import HearthConsole
import HearthGateway
import HearthSystem
import HearthTransport

extension Console {
  /// Creates the console of a server.
  ///
  /// - Parameter names: those of the server's certificate.
  convenience init(
    _ options: HearthServer.Options, _ access: ConsoleAccess, _ accounts: Accounts, _ log: LogRing,
    sessions: ConsoleSessionStore? = nil, names: [String] = []
  ) {
    let publicHost = options.accounts.publicURL.split(separator: "/", maxSplits: 3).dropFirst().first.map(String.init)
    let hosts = KnownHosts(
      host: options.console.address?.host ?? options.host,
      names: options.console.hostNames + names + [publicHost].compactMap { $0.map(HTTPRequest.hostName(ofAuthority:)) })
    self.init(
      options.console, hosts: hosts, access: access, accounts: accounts, log: log,
      backups: ConsoleBackups(dataDirectory: options.dataDirectory) {
        [folder = options.dataDirectory, place = options.journal] in
        try BackupSource(dataDirectory: folder, journalLocation: place)
      },
      sessions: sessions, rulesPath: options.rulesPath, version: HearthServer.version, logger: options.logger)
  }
}

extension ServerRoutes {
  /// Publishes the console's URL once the ports are open: links can be made.
  func openConsole(_ options: HearthServer.Options, _ transport: Transport) {
    guard let console else { return }
    console.watch(
      FigureRing(options.metrics, services),
      ServerOverview(
        services: services, plugins: plugins.host, cluster: cluster?.node, storageProduct: options.journal.product,
        dataDirectory: options.dataDirectory, version: console.version))
    let place = options.console.address
    let host = place?.host ?? options.host
    let isEncrypted = options.tls != nil && (place == nil || !IPAddress.isLoopback(host: host))
    let port = (place == nil ? transport.port : transport.additionalPort) ?? 0
    // Behind a proxy that terminates TLS, browsers use its address.
    if place == nil, options.tls == nil, options.accounts.publicURL.hasPrefix("https://") {
      return console.opened(at: options.accounts.publicURL)
    }
    let name = isEncrypted ? options.console.hostNames.first : nil
    console.opened(at: ServerFile.url(host: name ?? host, port: port, isEncrypted: isEncrypted))
  }
}
