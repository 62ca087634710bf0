import HearthTransport
import Logging
import NIOCore
import NIOHTTP1

/// Answers requests that one node of a cluster answers for all: here, if that is this one, or by handing them to it.
///
/// Requests that another node handed over are answered here and never handed on, and so is what a browser asks before it
/// sends another request. Where a node that was asked says that it is not the one, another is tried if this node knows of
/// one by then, once. Bodies are limited as the own responder says.
struct RelayResponder: HTTPResponder {
  /// Asks a node of that name: gives its answer, or a ``Relay/Failure``. Any other error stands for
  /// ``Relay/Failure/outcomeUnknown``. To give one in time is up to it.
  typealias Ask = @Sendable (_ node: String, _ question: [UInt8]) -> EventLoopFuture<[UInt8]>

  let relay: Relay
  let ask: Ask
  /// Answers here, and says what is refused.
  let responder: any HTTPResponder

  func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    guard request.peer.clientAtOtherNode == nil, request.method != .OPTIONS else {
      return responder.respond(to: request, on: loop)
    }
    return pass(request, to: relay.owner(), isLastTry: false, on: loop)
  }

  func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse {
    responder.response(to: failure, for: request)
  }

  func bodyLimit(for request: HTTPRequest) -> HTTPBodyLimit? { responder.bodyLimit(for: request) }

  func caller(of request: HTTPRequest, on loop: TransportLoop) -> HTTPBodyCaller {
    responder.caller(of: request, on: loop)
  }

  // MARK: Handing over

  private func pass(
    _ request: HTTPRequest, to owner: String?, isLastTry: Bool, on loop: TransportLoop
  ) -> EventLoopFuture<HTTPResponse> {
    guard let owner else { return refuse(request, .unreachable, "no node is known to answer it", on: loop) }
    if owner == relay.node { return responder.respond(to: request, on: loop) }
    let client = relay.proxies.address(of: request.peer, forwardedFor: request.headers["X-Forwarded-For"])
    guard let question = RelayedRequest(request, client: client).encoded else {
      return refuse(request, .bodyTooLong, "it is too large to be handed over", on: loop)
    }
    return ask(owner, question)
      .map { Result.success($0) }
      .recover { .failure($0) }
      .hop(to: loop.eventLoop)
      .flatMap { result in take(result, of: owner, for: request, isLastTry: isLastTry, on: loop) }
  }

  private func take(
    _ result: Result<[UInt8], any Error>, of node: String, for request: HTTPRequest, isLastTry: Bool,
    on loop: TransportLoop
  ) -> EventLoopFuture<HTTPResponse> {
    let answer: RelayedResponse
    do {
      answer = try RelayedResponse(encoded: try result.get())
    } catch {
      let isKnown = error as? Relay.Failure == .notReached
      return refuse(request, isKnown ? .unreachable : .outcomeUnknown, "\(node) gave no answer: \(error)", on: loop)
    }
    switch answer {
    case .response(let response): return loop.eventLoop.makeSucceededFuture(response)
    case .notOwner:
      let owner = relay.owner()
      guard !isLastTry, owner != node else {
        return refuse(request, .unreachable, "\(node) is not the node that answers it", on: loop)
      }
      return pass(request, to: owner, isLastTry: true, on: loop)
    case .notUnderstood: return refuse(request, .unreachable, "\(node) cannot read it", on: loop)
    }
  }

  private func refuse(
    _ request: HTTPRequest, _ failure: HTTPFailure, _ reason: String, on loop: TransportLoop
  ) -> EventLoopFuture<HTTPResponse> {
    // While a node is gone there is one for each request: only what nobody knows the end of is of interest by itself.
    relay.logger.log(
      level: failure == .outcomeUnknown ? .warning : .debug, "a request was not answered by another node",
      metadata: ["request": "\(request.id)", "reason": "\(reason)"])
    return loop.eventLoop.makeSucceededFuture(responder.response(to: failure, for: request))
  }
}
