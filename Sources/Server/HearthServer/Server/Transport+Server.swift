import HearthBytes
import HearthGateway
import HearthTransport
import Logging

extension Transport {
  /// Listens on the addresses of a server.
  static func ofServer(
    _ plan: ServerPlan, _ delivery: DeliveryParts, _ services: GatewayServices, _ routes: ServerRoutes
  ) async throws(ServerError) -> Transport {
    let (options, tls) = (plan.options, plan.certificate?.served)
    let responder = routes.list(for: .port)
    var transport = Transport.Options()
    transport.proxies = services.proxies
    (transport.host, transport.port) = (options.host, options.port)
    if options.accounts.isEmulator {
      transport.furtherPorts = options.emulatorPorts?.others(beside: options.port) ?? []
    }
    (transport.tls, transport.allowsPlaintext) = (tls, tls == nil)
    transport.local = localSocket(options)
    if let address = options.console.address, options.console.isServed {
      transport.additionalListener = consoleListener(address, services, routes, tls: tls)
    }
    do {
      return try await Transport.start(
        transport, group: delivery.group, loops: delivery.loops,
        responder: responder, localResponder: routes.list(for: .folder),
        acceptor: ServerSocketAcceptor(services: services, responder: responder))
    } catch let error as Transport.AdditionalListenerError {
      throw ServerError(.cannotBind, "cannot listen on \(error.place) for --console: \(BindProblem(error.cause))")
    } catch {
      throw ServerError(
        .cannotBind, "cannot listen on \(options.host) port \(ports(transport)): \(BindProblem(error))")
    }
  }

  private static func ports(_ transport: Transport.Options) -> String {
    ([transport.port] + transport.furtherPorts).map(String.init).joined(separator: ", ")
  }

  /// Opens the socket for commands on the data folder; nil when the file system has no sockets, since databases and
  /// accounts are served without it.
  private static func localSocket(_ options: HearthServer.Options) -> LocalSocket.Listener? {
    do {
      return try LocalSocket(dataDirectory: options.dataDirectory).listen()
    } catch {
      options.logger.warning(
        "commands cannot reach this server through the data folder; use --server: \(error.description)")
      return nil
    }
  }

  /// Returns the listener on the console's own address, which has TLS like the server, but not on a loopback address.
  private static func consoleListener(
    _ address: ConsoleOptions.Address, _ services: GatewayServices, _ routes: ServerRoutes, tls: CurrentTLSContext?
  ) -> Transport.AdditionalListener {
    let responder = routes.list(for: .console)
    return Transport.AdditionalListener(
      host: address.host, port: address.port, tls: IPAddress.isLoopback(host: address.host) ? nil : tls,
      responder: responder,
      acceptor: ServerSocketAcceptor(services: services, responder: responder))
  }
}
