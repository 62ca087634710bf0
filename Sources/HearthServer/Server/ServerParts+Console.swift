import HearthAccounts
import HearthConsole
import HearthGateway
import HearthTransport

/// The console's part of a start.
extension ServerParts {
  static func consoleAccess() -> ConsoleAccess { ConsoleAccess() }

  static func console(_ options: HearthServer.Options, _ access: ConsoleAccess, _ accounts: Accounts) -> Console {
    let publicHost = options.accounts.publicURL.split(separator: "/", maxSplits: 3).dropFirst().first.map(String.init)
    let hosts = KnownHosts(
      host: options.console.place?.host ?? options.host,
      names: options.console.hostNames + [publicHost].compactMap { $0.map(HTTPRequest.hostName(ofAuthority:)) })
    return Console(options.console, hosts: hosts, access: access, accounts: accounts)
  }

  /// Its own address speaks TLS where the server does, but on this machine.
  static func consolePlace(
    _ place: HearthServer.ConsoleOptions.Place, _ services: GatewayServices, _ routes: ServerRoutes, tls: ServedContext?
  ) -> Transport.Place {
    let responder = routes.list(for: .console)
    return Transport.Place(
      host: place.host, port: place.port, tls: isLoopback(place.host) ? nil : tls, responder: responder,
      acceptor: ServerSocketAcceptor(services: services, responder: responder))
  }

  /// The ports are open: links can be made.
  static func openConsole(_ options: HearthServer.Options, _ transport: Transport, _ routes: ServerRoutes) {
    guard let console = routes.console else { return }
    let place = options.console.place
    let host = place?.host ?? options.host
    let isEncrypted = options.tls != nil && (place == nil || !isLoopback(host))
    let port = (place == nil ? transport.port : transport.placePort) ?? 0
    console.opened(
      at: ServerFile.url(host: options.console.hostNames.first ?? host, port: port, isEncrypted: isEncrypted))
  }

  private static func isLoopback(_ host: String) -> Bool { ["127.0.0.1", "::1", "localhost"].contains(host) }
}
