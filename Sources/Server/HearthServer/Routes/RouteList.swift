import HearthTransport
import NIOCore

/// A responder that passes each request of one listener to the first matching row.
struct RouteList: HTTPResponder {
  /// The rows of this listener, in order.
  let routes: [Route]
  /// The responder for requests that match no row.
  private let otherwise: any HTTPResponder

  init(_ routes: [Route], on listener: Route.Listener, otherwise: any HTTPResponder) {
    self.routes = routes.filter { $0.listeners.contains(listener) }
    self.otherwise = otherwise
  }

  func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    responder(for: request).respond(to: request, on: loop)
  }

  func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse {
    guard let request else { return otherwise.response(to: failure, for: nil) }
    return responder(for: request).response(to: failure, for: request)
  }

  func responder(for request: HTTPRequest) -> any HTTPResponder {
    let routed = RoutedRequest(request)
    for route in routes {
      if let responder = route.responder(routed) { return responder }
    }
    return otherwise
  }
}
