import HearthGateway
import HearthIdentity
import HearthPluginHost
import HearthTransport

/// The routes of all HTTP requests. A new page is a file with its ``HTTPResponder`` and a row here.
struct ServerRoutes: Sendable {
  /// The database's REST API, for all requests that match no row.
  let rest: RESTResponder
  let health: HealthResponder
  let polls: PollResponder
  let identity: IdentityResponder
  /// The emulator hub; nil for a server that is no emulator.
  let hub: EmulatorHub?
  let plugins: PluginsResponder
  let erasures: ErasureResponder
  /// The console; nil when none is served.
  let console: Console?
  /// The routes of a cluster; nil for a server by itself.
  let cluster: ClusterRoutes?
  let services: GatewayServices

  init(
    services: GatewayServices, identityLimiter: IdentityRequestLimiter, hub: EmulatorHub?, plugins: PluginHost,
    erasures: ErasureQueue,
    console: Console? = nil, cluster: ClusterRoutes? = nil
  ) {
    self.console = console
    (self.cluster, self.services) = (cluster, services)
    self.hub = hub
    self.erasures = ErasureResponder(queue: erasures, isShared: cluster != nil)
    self.plugins = PluginsResponder(services: services, host: plugins)
    rest = RESTResponder(services: services)
    health = HealthResponder(services: services)
    polls = PollResponder(services: services)
    identity = IdentityResponder(services: services, identityLimiter: identityLimiter)
  }

  private var check: PermissionCheck { PermissionCheck(services: services) }

  /// The rows; the first match responds to a request. Pages for browsers are on the port alone.
  var rows: [Route] {
    [
      Route("health", on: [.port, .folder], needs: .nothing) { [health] request in
        HealthResponder.isFor(request.head) ? health : nil
      },
      // Each client on them sends its own credential.
      Route("long polls", on: [.port], needs: .nothing) { [polls] request in
        request.path == PollResponder.path ? polls : nil
      },
      Route("emulator hub", on: [.port], needs: .emulator) { [hub] request in
        EmulatorHub.operation(at: request.path) == nil ? nil : hub
      },
      // Plugins are programs on this machine: only users who can access the data folder manage them, and no token of another client
      // suffices.
      Route(
        "plugins", on: [.folder], needs: .server, checkedBy: check
      ) { [plugins] path in path == PluginsResponder.path ? plugins : nil },
      // The page is for browsers; when it has an address of its own, it is there alone.
      Route("console", on: [console?.options.address == nil ? .port : .console], needs: .ofItsOperations) {
        [console, services] request in
        guard let console, ConsoleResponder.isFor(request.path) else { return nil }
        return ConsoleResponder(services: services, console: console, server: { list(for: .folder) })
      },
      Route("console links", on: [.port, .folder], needs: .serverChange, checkedBy: check) { [console] path in
        path == ConsoleLinkResponder.path ? ConsoleLinkResponder(console: console) : nil
      },
      Route("erasures", on: [.port, .folder], needs: .serverChange, checkedBy: check) { [erasures] path in
        path == ErasureResponder.path ? erasures : nil
      },
      Route(
        "cluster", on: [.port, .folder], needs: .server, checkedBy: check
      ) { [cluster] path in path == ClusterResponder.path ? cluster?.responder : nil },
      Route("what nodes decide together", on: [.port, .folder], needs: .ofItsOperations) {
        [cluster, rest] request in
        ClusterRoutes.isForOwnerOfAccounts(request.path)
          ? cluster?.byOwnerOfAccounts(rest, changesServer: request.head.method != .GET) : nil
      },
      Route("receipts of another node", on: [.port, .folder], needs: .ofItsOperations) {
        [cluster, rest] request in
        request.path == ReceiptList.path ? cluster?.byNamedNode(request.head, rest) : nil
      },
      row("identity endpoints", on: [.port, .folder], for: .programs),
      row("web app configuration", on: [.port], for: .webApps),
      row("pages of mailed links", on: [.port], for: .people),
    ]
  }

  /// Returns the part of the identity endpoints' table for an audience.
  private func row(
    _ name: String, on listeners: Set<Route.Listener>, for audience: IdentityOperation.Audience
  ) -> Route {
    Route(name, on: listeners, needs: .ofItsOperations) { [identity, cluster] request in
      guard let match = request.identity, match.audience == audience else { return nil }
      let endpoint = RoutedIdentityResponder(identity: identity, head: request.head, match: match)
      return cluster?.byOwnerOfAccounts(endpoint) ?? endpoint
    }
  }

  /// Returns the routes of one listener.
  func list(for listener: Route.Listener) -> RouteList {
    RouteList(rows, on: listener, otherwise: listener == .console ? NotFoundResponder() : rest)
  }
}
