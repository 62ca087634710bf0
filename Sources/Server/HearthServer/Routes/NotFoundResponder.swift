import HearthTransport
import NIOCore
import NIOHTTP1

/// The responder for paths without a route.
struct NotFoundResponder: ToolResponder {
  func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    loop.eventLoop.makeSucceededFuture(HTTPResponse.refusal(.notFound, "Nothing is served at this path."))
  }
}
