import HearthTransport
import Logging
import NIOCore

/// Answers requests that other nodes of a cluster hand to this one, while it is the one that answers them.
struct RelayDesk: Sendable {
  let relay: Relay
  /// Answers here. It may be a ``RelayResponder`` or hold one: that hands nothing on that was handed over.
  let responder: any HTTPResponder
  /// The loop that the next request is answered on. From any thread.
  let nextLoop: @Sendable () -> TransportLoop
  /// Whether a request is answered here also while this node is not the one that answers the others.
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
    return loop.eventLoop.flatSubmit { responder.respond(to: request, on: loop) }
      .recover { error in
        relay.logger.warning(
          "a request of another node failed", metadata: ["request": "\(request.id)", "reason": "\(error)"])
        return responder.response(to: .internalError, for: request)
      }
      .flatMap { response in
        guard response.mayBeginAnew else { return loop.eventLoop.makeSucceededFuture(encoded(response, to: request)) }
        // Whoever asked takes it to the next one, when that is known: until then it would come back here.
        return relay.otherOwner(triesLeft: relay.patience.triesMax, on: loop.eventLoop)
          .map { isThere in isThere ? encoded(.notOwner) : encoded(response, to: request) }
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
