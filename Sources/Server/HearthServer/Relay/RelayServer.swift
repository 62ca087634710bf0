import HearthTransport
import Logging
import NIOCore

/// Answers requests that other nodes of a cluster hand to this one, while it is the one that answers them.
struct RelayServer: Sendable {
  let relay: Relay
  /// Answers here. It may be a ``RelayResponder`` or hold one: that hands nothing on that was handed over.
  let responder: any HTTPResponder
  /// The loop that the next request is answered on. From any thread.
  let nextLoop: @Sendable () -> TransportLoop
  /// True when a request is answered here also while this node is not the one that answers the others.
  var isForAnyNode: @Sendable (HTTPRequest) -> Bool = { _ in false }

  /// Takes the bytes of a ``RelayedRequest``; gives those of a ``RelayedResponse``. Does not fail.
  func answer(_ question: [UInt8]) -> EventLoopFuture<[UInt8]> {
    let loop = nextLoop()
    let request: HTTPRequest
    do throws(MalformedRelay) {
      request = try RelayedRequest(encoded: question).request
    } catch {
      relay.logger.warning("a request of another node cannot be read", metadata: ["reason": "\(error)"])
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
        "a request of another node failed", metadata: ["request": "\(request.id)", "reason": "\(error)"])
      return responder.response(to: .internalError, for: request)
    }
  }

  /// On the event loop that the response was made for.
  private func encoded(_ response: HTTPResponse, to request: HTTPRequest) -> [UInt8] {
    if let bytes = RelayedResponse.response(response).encoded { return bytes }
    response.stream?.value.closed()
    relay.logger.warning(
      "an answer cannot be handed to another node",
      metadata: ["request": "\(request.id)", "bytes": "\(response.body.readableBytes)"])
    return encoded(.response(responder.response(to: .unrelayable, for: request)))
  }

  /// Of what is small: a refusal fits in any case.
  private func encoded(_ answer: RelayedResponse) -> [UInt8] { answer.encoded ?? [] }
}
