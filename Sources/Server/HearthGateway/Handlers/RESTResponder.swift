import HearthTransport
import HearthTree
import NIOCore
import NIOHTTP1

/// The adapter between the transport and the REST API.
package struct RESTResponder: HTTPResponder {
  private let services: GatewayServices

  /// - Parameter services: the services that requests use.
  package init(services: GatewayServices) { self.services = services }

  /// Responds on the request's own loop; to a write once it is durable.
  package func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    let promise = loop.eventLoop.makePromise(of: HTTPResponse.self)
    handler(on: loop).respond(to: request) { response in promise.succeed(HTTPResponse(response)) }
    return promise.futureResult
  }

  /// Returns the sender of a body: known for a valid credential.
  package func caller(of request: HTTPRequest, on loop: TransportLoop) -> HTTPBodyCaller {
    do throws(RESTFailure) {
      return try handler(on: loop).isSignedIn(request) ? .known : .anonymous
    } catch {
      return .refused(HTTPResponse(RESTResponse(error)))
    }
  }

  /// Delays the body of a client whose work is over its allowance, so that it waits at the client.
  package func admission(of request: HTTPRequest, waits: Int, on loop: TransportLoop) -> HTTPBodyAdmission {
    guard let (wait, database) = handler(on: loop).workWait(of: request) else { return .now }
    guard waits < QuotaLimits.workWaitsMax else { return .refused(HTTPResponse(RESTResponse(.overWork(wait)))) }
    if waits == 0 { services.quotas.noteWait(in: database) }
    return .later(milliseconds: wait.milliseconds)
  }

  private func handler(on loop: TransportLoop) -> RESTHandler {
    RESTHandler(services: services, hub: services.router.hub(on: loop.eventLoop))
  }

  /// Returns the refusal as JSON: `{"error": …}`.
  package func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse {
    HTTPResponse(RESTResponse(RESTFailure(failure)))
  }
}

extension RESTFailure {
  /// Creates the response to a request that the transport refused, with Firebase's texts, where Firebase has any.
  init(_ failure: HTTPFailure) {
    guard failure != .bodyTooLong else {
      self.init(400, "Data to write exceeds the maximum size that can be modified with a single request.")
      return
    }
    let (status, text) = failure.explanation
    self.init(Int(status.code), text)
  }
}

extension HTTPResponse {
  /// Adds the headers of every response. Browser code of any origin may read all of it: a credential is never ambient.
  init(_ response: RESTResponse) {
    var headers: [(name: String, value: String)] = [
      (name: "Cache-Control", value: "no-cache"),
      (name: "Access-Control-Allow-Origin", value: "*"),
      (name: "Access-Control-Expose-Headers", value: "ETag, X-Firebase-Auth-Debug, X-Request-Id"),
      (name: "X-Content-Type-Options", value: "nosniff"),
    ]
    if response.body.readableBytes > 0 {
      headers.append((name: "Content-Type", value: response.contentType))
    }
    headers += response.headers
    self.init(
      HTTPResponseStatus(statusCode: response.status), headers: headers, body: response.body)
    stream = response.stream
    // As Firebase sends it: libraries of micro-controllers read the lines of an event stream from the raw socket.
    isUnframed = true
    readPauseMilliseconds = response.readPauseMilliseconds
  }
}
