import HearthGateway
import HearthTransport

/// Everything that the server answers beside sockets. A new page is a file with its ``HTTPResponder`` and a row here.
struct ServerRoutes: Sendable {
  /// The database's REST interface, for all that no row is for.
  let rest: RESTResponder
  let polls: PollResponder
  let identity: IdentityResponder

  init(services: GatewayServices, load: IdentityLoad) {
    rest = RESTResponder(services: services)
    polls = PollResponder(services: services)
    identity = IdentityResponder(services: services, load: load, requestIDs: RequestIDs())
  }

  /// The first row that matches a request answers it. What people and browsers look at is on the port alone.
  var rows: [Route] {
    let door = IdentityDoor(identity: identity, otherwise: rest)
    return [
      Route("long polls", on: [.port], matching: { _, path in path == PollResponder.path }, answeredBy: polls),
      Route(
        "web app configuration", on: [.port],
        matching: { request, _ in IdentityDoor.match(request)?.audience == .webApps }, answeredBy: door),
      Route(
        "pages of mailed links", on: [.port],
        matching: { request, _ in IdentityDoor.match(request)?.audience == .people }, answeredBy: door),
      Route(
        "identity endpoints", on: [.port, .folder],
        matching: { request, _ in IdentityDoor.match(request)?.audience == .programs }, answeredBy: door),
    ]
  }

  /// What one listener answers.
  func list(for listener: Route.Listener) -> RouteList { RouteList(rows, on: listener, otherwise: rest) }
}
