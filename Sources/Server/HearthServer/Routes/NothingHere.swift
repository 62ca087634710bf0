import HearthTransport
import NIOCore
import NIOHTTP1

/// Answers where nothing else does.
struct NothingHere: ToolResponder {
  func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    loop.eventLoop.makeSucceededFuture(HTTPResponse.refusal(.notFound, "There is nothing here."))
  }
}
