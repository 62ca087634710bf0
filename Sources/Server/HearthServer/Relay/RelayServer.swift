import HearthTransport
import Logging
import NIOCore

/// A responder to requests that other nodes of a cluster forward to this one, while it is the owner.
struct RelayServer: Sendable {
  let relay: Relay
  /// The responder on this node. It may be a ``RelayResponder`` or contain one, which never forwards a forwarded
  /// request.
  let responder: any HTTPResponder
  /// Returns the loop for the next request. Thread-safe.
  let nextLoop: @Sendable () -> TransportLoop
  /// Returns true when a request is answered here even if this node is not the owner.
  var isForAnyNode: @Sendable (HTTPRequest) -> Bool = { _ in false }

  /// Decodes a ``RelayedRequest``, and returns the bytes of the ``RelayedResponse``. Does not fail.
  func answer(_ question: [UInt8]) -> EventLoopFuture<[UInt8]> {
    let loop = nextLoop()
    let request: HTTPRequest
    do throws(MalformedRelay) {
      request = try RelayedRequest(encoded: question).request
    } catch {
      relay.logger.warning("a forwarded request cannot be read", metadata: ["reason": "\(error)"])
      return loop.eventLoop.makeSucceededFuture(encoded(.notUnderstood))
    }
    guard isForAnyNode(request) || relay.owner() == relay.node else {
      return loop.eventLoop.makeSucceededFuture(encoded(.notOwner))
    }
    return loop.eventLoop.flatSubmit { relay.carryOut(on: loop.eventLoop) { respond(to: request, on: loop) } }
      .map { response in response.map { encoded($0, to: request) } ?? encoded(.notOwner) }
  }

  private func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    responder.respond(to: request, on: loop).recover { error in
      relay.logger.warning(
        "a forwarded request failed", metadata: ["request": "\(request.id)", "reason": "\(error)"])
      return responder.response(to: .internalError, for: request)
    }
  }

  /// Encodes a response. To be called on the event loop that it was made for.
  private func encoded(_ response: HTTPResponse, to request: HTTPRequest) -> [UInt8] {
    if let bytes = RelayedResponse.response(response).encoded { return bytes }
    response.stream?.value.closed()
    relay.logger.warning(
      "the response to a forwarded request cannot be sent",
      metadata: ["request": "\(request.id)", "bytes": "\(response.body.readableBytes)"])
    return encoded(.response(responder.response(to: .unrelayable, for: request)))
  }

  /// Encodes a small response: a refusal always fits.
  private func encoded(_ answer: RelayedResponse) -> [UInt8] { answer.encoded ?? [] }
}
