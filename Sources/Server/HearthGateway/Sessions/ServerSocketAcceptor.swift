import HearthTransport
import HearthWire

/// An acceptor that opens or joins a session for every WebSocket handshake at `/.ws`.
package struct ServerSocketAcceptor: SocketAcceptor {
  let services: GatewayServices
  let responder: any HTTPResponder

  /// - Parameter responder: responds to requests that are no handshake, or an invalid one.
  package init(services: GatewayServices, responder: any HTTPResponder) {
    self.services = services
    self.responder = responder
  }

  /// Accepts handshakes at `/.ws` alone. A session that the request joins is looked up once the socket is open.
  package func accept(_ request: HTTPRequest, on loop: TransportLoop) -> SocketDecision {
    guard request.target.utf8.prefix(while: { $0 != UInt8(ascii: "?") }).elementsEqual(Handshake.path.utf8) else {
      return .none
    }
    guard
      let opening = SocketOpening(
        request, from: services.origin(of: request), defaultNamespace: services.defaultNamespace)
    else {
      return .refuse(responder.response(to: .malformed, for: request))
    }
    let session: any TransportDelegate =
      if let session = opening.joinedSession {
        JoiningSocket(opening, session: session, services: services, on: loop.eventLoop)
      } else {
        SocketConnection(opening, hub: services.router.hub(on: loop.eventLoop), services: services)
      }
    return .accept(
      SocketTransport(
        session, userAgent: request.header("User-Agent"), messageBytesMax: loop.limits.messageBytesMax))
  }
}
