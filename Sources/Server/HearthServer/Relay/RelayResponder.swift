import HearthTransport
import Logging
import NIOCore
import NIOHTTP1

/// A responder for requests that one node of a cluster owns: it responds here, if that is this node, or forwards them to the owner.
///
/// Requests that another node forwarded are answered here and never forwarded again, and so are preflight requests. While no owner
/// is known, or it cannot be reached, or reports that it is not the owner, the request waits for a while: after an owner's failure
/// there is another one soon. The request also waits when this node has just become the owner and could not change data: see
/// ``Relay/carryOut(roundsLeft:on:_:)``. A request that may have been carried out is not sent again. Body limits are those of the
/// own responder.
struct RelayResponder: HTTPResponder {
  /// Sends bytes to a node of that name, and returns its response, or fails with a ``Relay/Failure``. Any other error
  /// counts as ``Relay/Failure/outcomeUnknown``. The implementation has its own timeout.
  typealias Sender = @Sendable (_ node: String, _ question: [UInt8]) -> EventLoopFuture<[UInt8]>

  let relay: Relay
  let ask: Sender
  /// Waits until this node has all changes of the node that responded: a token that it made is then valid here.
  var catchUp: @Sendable (any EventLoop) -> EventLoopFuture<Void> = { $0.makeSucceededVoidFuture() }
  /// The responder on this node, also for refusals.
  let responder: any HTTPResponder

  func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    guard request.peer.clientAtOtherNode == nil, request.method != .OPTIONS else {
      return responder.respond(to: request, on: loop)
    }
    return forward(request, triesLeft: relay.retries.triesMax, on: loop)
  }

  func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse {
    responder.response(to: failure, for: request)
  }

  func bodyLimit(for request: HTTPRequest) -> HTTPBodyLimit? { responder.bodyLimit(for: request) }

  func caller(of request: HTTPRequest, on loop: TransportLoop) -> HTTPBodyCaller {
    responder.caller(of: request, on: loop)
  }

  func admission(of request: HTTPRequest, waits: Int, on loop: TransportLoop) -> HTTPBodyAdmission {
    responder.admission(of: request, waits: waits, on: loop)
  }

  // MARK: Forwarding

  private func forward(_ request: HTTPRequest, triesLeft: Int, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse>
  {
    guard let owner = relay.owner() else {
      return wait(request, .unreachable, "no node is known to serve it", triesLeft: triesLeft, on: loop)
    }
    if owner == relay.node {
      return relay.carryOut(on: loop.eventLoop) { responder.respond(to: request, on: loop) }.flatMap { response in
        if let response { return loop.eventLoop.makeSucceededFuture(response) }
        return wait(request, .unreachable, "another node serves it now", triesLeft: triesLeft, on: loop)
      }
    }
    let client = relay.proxies.address(of: request.peer, forwardedFor: request.headers["X-Forwarded-For"])
    guard let question = RelayedRequest(request, client: client).encoded else {
      return refuse(request, .bodyTooLong, "it is too large to be forwarded", on: loop)
    }
    return ask(owner, question)
      .map { Result.success($0) }
      .recover { .failure($0) }
      .hop(to: loop.eventLoop)
      .flatMap { result in take(result, of: owner, for: request, triesLeft: triesLeft, on: loop) }
  }

  private func take(
    _ result: Result<[UInt8], any Error>, of node: String, for request: HTTPRequest, triesLeft: Int,
    on loop: TransportLoop
  ) -> EventLoopFuture<HTTPResponse> {
    let answer: RelayedResponse
    do {
      answer = try RelayedResponse(encoded: try result.get())
    } catch {
      guard error as? Relay.Failure == .notReached else {
        return refuse(request, .outcomeUnknown, "\(node) did not answer: \(error)", on: loop)
      }
      return wait(request, .unreachable, "\(node) did not answer: \(error)", triesLeft: triesLeft, on: loop)
    }
    switch answer {
    case .response(let response):
      return catchUp(loop.eventLoop).recover { _ in }.map { response }
    case .notOwner:
      return wait(request, .unreachable, "\(node) does not serve it", triesLeft: triesLeft, on: loop)
    case .notUnderstood: return refuse(request, .unreachable, "\(node) cannot read it", on: loop)
    }
  }

  /// Tries again after a pause, if there is time left: the request has not been carried out yet.
  private func wait(
    _ request: HTTPRequest, _ failure: HTTPFailure, _ reason: String, triesLeft: Int, on loop: TransportLoop
  ) -> EventLoopFuture<HTTPResponse> {
    guard triesLeft > 0 else { return refuse(request, failure, reason, on: loop) }
    return loop.eventLoop.scheduleTask(in: relay.retries.pause) {}.futureResult
      .flatMap { forward(request, triesLeft: triesLeft - 1, on: loop) }
  }

  private func refuse(
    _ request: HTTPRequest, _ failure: HTTPFailure, _ reason: String, on loop: TransportLoop
  ) -> EventLoopFuture<HTTPResponse> {
    // While a node is gone there is a failure for each request: only an unknown outcome is worth a warning by itself.
    relay.logger.log(
      level: failure == .outcomeUnknown ? .warning : .debug, "a forwarded request got no answer",
      metadata: ["request": "\(request.id)", "reason": "\(reason)"])
    return loop.eventLoop.makeSucceededFuture(responder.response(to: failure, for: request))
  }
}
