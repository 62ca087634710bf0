import HearthAccounts
import HearthEngine
import HearthGateway
import HearthIdentity
import HearthTransport
import HearthTree
import HearthWire
import NIOCore
import NIOHTTP1

/// The way of an HTTP request to the accounts, and of their answer back.
struct IdentityResponder: Sendable {
  /// What of a client's own description is kept.
  static let userAgentBytesMax = 256

  let services: GatewayServices
  let load: IdentityLoad
  let requestIDs: RequestIDs

  /// The future gives nil for a path that the accounts do not serve after all.
  func respond(to http: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse?> {
    let id = requestIDs.next()
    let request: IdentityRequest
    do throws(IdentityFailure) {
      request = try identityRequest(http, id: id)
    } catch {
      return loop.eventLoop.makeSucceededFuture(response(to: error, for: http, id: id))
    }
    guard load.begin() else {
      if load.isNews() {
        services.logger.warning("too many identity requests at a time", metadata: ["request": "\(id)"])
      }
      return loop.eventLoop.makeSucceededFuture(overloaded(http, id: id))
    }
    let promise = loop.eventLoop.makePromise(of: HTTPResponse?.self)
    Task(executorPreference: AccountsExecutor.shared) {
      let answer = await IdentityEndpoints(services.accounts).handle(request)
      promise.succeed(answer.map { response(to: $0, of: request, for: http) })
      load.end()
    }
    return promise.futureResult
  }

  /// Whose a large body is. An import is an administrator's; what is refused is refused by the operation itself.
  func caller(of http: HTTPRequest) -> HTTPBodyCaller {
    let origin = services.proxies.origin(of: http)
    if case .administrator = authority(http, from: origin, now: SystemClock.now) { return .known }
    return .anonymous
  }

  /// The tightest limit that the path allows.
  func bodyLimit(for http: HTTPRequest) -> HTTPBodyLimit {
    HTTPBodyLimit(
      bytesMax: IdentityRouter.bodyBytesMax(path: http.path, host: http.hostName),
      response: { response(to: .bodyTooLong, for: http, id: requestIDs.next()) })
  }
}

// MARK: The request

extension IdentityResponder {
  private func identityRequest(_ http: HTTPRequest, id: String) throws(IdentityFailure) -> IdentityRequest {
    let query: URLQuery
    do {
      query = try URLQuery(http.query)
    } catch {
      throw .badQuery
    }
    let now = SystemClock.now
    let origin = services.proxies.origin(of: http)
    return IdentityRequest(
      method: http.method.rawValue, host: http.hostName, path: http.path,
      query: query.parameters.map { (name: $0.name, value: $0.value) },
      contentType: http.header("Content-Type"), body: Array(http.body.readableBytesView),
      apiKey: query.parameters.first { $0.name == "key" }?.value ?? http.header("X-Goog-Api-Key"),
      authority: authority(http, from: origin, now: now), client: client(http, from: origin, id: id),
      isFromLoopback: origin.isFromLoopback, now: now)
  }

  /// A bearer that is wrong is refused, never passed over. Other schemes mean nothing here.
  private func authority(
    _ http: HTTPRequest, from origin: RequestOrigin, now: Instant
  ) -> IdentityRequest.Authority {
    let headers = http.headers["Authorization"]
    guard headers.count <= 1 else { return .refused }
    guard let header = headers.first else { return .none }
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.first?.lowercased() == "bearer" else { return .none }
    guard parts.count == 2 else { return .refused }
    return services.gate.authority(ofBearer: String(parts[1]), from: origin, now: now)
  }

  func client(_ http: HTTPRequest, from origin: RequestOrigin, id: String) -> ClientInfo {
    let agent = http.header("User-Agent") ?? ""
    return ClientInfo(
      address: origin.address, userAgent: String(decoding: agent.utf8.prefix(Self.userAgentBytesMax), as: UTF8.self),
      requestID: id, locale: http.locale)
  }
}

// MARK: The answer

extension IdentityResponder {
  private func response(
    to answer: IdentityResponse, of request: IdentityRequest, for http: HTTPRequest
  ) -> HTTPResponse {
    let id = request.client.requestID
    services.logger.debug(
      "identity request",
      metadata: ["request": "\(id)", "status": "\(answer.status)", "client": "\(request.client.address)"])
    // Apps take a JSON error of the server for a word about their user, and sign out. Scripts may read it.
    let isForApp = if case .administrator = request.authority { false } else { true }
    if isForApp, answer.status >= 500, answer.status != 501 {
      return overloaded(http, status: answer.status, id: id)
    }
    return HTTPResponse(
      HTTPResponseStatus(statusCode: answer.status),
      headers: Self.headers(http, id: id, cacheControl: answer.cacheControl, contentType: answer.contentType)
        + answer.headers,
      body: ByteBuffer(bytes: answer.body))
  }

  /// What the transport refused. What may go better the next time is no JSON, as above.
  func response(to failure: HTTPFailure, for http: HTTPRequest) -> HTTPResponse {
    let id = requestIDs.next()
    let (status, text) = failure.explanation
    switch failure {
    case .overloaded, .timeout, .internalError: return overloaded(http, status: Int(status.code), id: id)
    case .bodyTooLong: return response(to: IdentityFailure.bodyTooLong, for: http, id: id)
    case .malformed, .headTooLong, .bodyNeedsCredential, .badUpgrade:
      return response(
        to: IdentityFailure(Int(status.code), "INVALID_ARGUMENT : \(text)"), for: http, id: id)
    }
  }

  private func response(to failure: IdentityFailure, for http: HTTPRequest, id: String) -> HTTPResponse {
    HTTPResponse(
      HTTPResponseStatus(statusCode: failure.status), headers: Self.headers(http, id: id),
      body: ByteBuffer(bytes: failure.body))
  }

  /// Without JSON in it, so that clients take it for a failure of the network and try again.
  private func overloaded(_ http: HTTPRequest, status: Int = 503, id: String) -> HTTPResponse {
    HTTPResponse(
      HTTPResponseStatus(statusCode: status),
      headers: Self.headers(http, id: id, contentType: "text/plain; charset=utf-8")
        + [(name: "Retry-After", value: "5")],
      body: ByteBuffer(string: "The server cannot answer at the moment. Try again.\n"))
  }

  /// What every answer of the interface carries.
  static func headers(
    _ http: HTTPRequest, id: String, cacheControl: String = "no-store",
    contentType: String = "application/json; charset=utf-8"
  ) -> [(name: String, value: String)] {
    [
      (name: "Content-Type", value: contentType), (name: "Cache-Control", value: cacheControl),
      (name: "X-Content-Type-Options", value: "nosniff"), (name: "Referrer-Policy", value: "no-referrer"),
      (name: "X-Request-Id", value: id),
    ] + CrossOrigin.headers(for: http.headers)
  }
}
